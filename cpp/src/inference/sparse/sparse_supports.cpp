#include "sparse_supports.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace bayou {

SparseSupports::SparseSupports(const std::vector<std::uint32_t>& cards, const std::vector<PlanFactor>& factors,
                               const EliminationOrder& order)
    : cards_(cards) {
    std::vector<Scope> scopes;
    for (const PlanFactor& factor : factors) scopes.push_back(factor.scope);
    tree_ = clique_tree(cards, scopes, order, std::vector<char>(cards.size(), 0));
    limit_children(tree_, cards);
    for (const Clique& clique : tree_.cliques) axes_.emplace_back(clique.scope.rbegin(), clique.scope.rend());
    for (const std::uint32_t states : cards) variables_.push_back(SupportTrie::of_variable(states));
    place_parts(factors);
    separators_.resize(tree_.cliques.size());
    for (std::size_t clique = 0; clique < separators_.size(); ++clique) {
        separators_[clique] = join(clique).project(tree_.cliques[clique].separator.size());
    }
}

// Each factor and each variable belongs to the smallest clique that has it.
void SparseSupports::place_parts(const std::vector<PlanFactor>& factors) {
    parts_.resize(tree_.cliques.size());
    std::vector<std::uint32_t> by_size(tree_.cliques.size());
    for (std::uint32_t clique = 0; clique < by_size.size(); ++clique) {
        by_size[clique] = clique;
        for (const std::uint32_t child : tree_.cliques[clique].children) {
            parts_[clique].push_back({CliquePart::Kind::message, child});
        }
    }
    std::stable_sort(by_size.begin(), by_size.end(),
                     [&](auto a, auto b) { return tree_.cliques[a].entries < tree_.cliques[b].entries; });
    const auto place = [&](const Scope& scope, CliquePart part) {
        const auto found = std::find_if(by_size.begin(), by_size.end(), [&](auto clique) {
            const Scope& whole = tree_.cliques[clique].scope;
            return std::all_of(scope.begin(), scope.end(), [&](auto variable) { return contains(whole, variable); });
        });
        if (found == by_size.end()) {
            throw std::invalid_argument("variable " + std::to_string(scope.front()) + " is in no table");
        }
        parts_[*found].push_back(part);
    };
    for (std::uint32_t number = 0; number < factors.size(); ++number) {
        Scope& axes = factor_axes_.emplace_back(factors[number].scope);
        std::sort(axes.begin(), axes.end(), [&](auto a, auto b) { return tree_.rank[a] > tree_.rank[b]; });
        factors_.push_back(trie_of(factors[number], axes));
        place(axes, {CliquePart::Kind::factor, number});
    }
    for (std::uint32_t variable = 0; variable < cards_.size(); ++variable) {
        place({variable}, {CliquePart::Kind::variable, variable});
    }
}

SupportTrie SparseSupports::trie_of(const PlanFactor& factor, const Scope& axes) const {
    SupportTrie trie(axes.size());
    std::vector<std::size_t> strides(axes.size());
    std::size_t stride = 1;
    for (std::size_t axis = factor.scope.size(); axis-- > 0; stride *= cards_[factor.scope[axis]]) {
        const auto at = std::find(axes.begin(), axes.end(), factor.scope[axis]);
        strides[static_cast<std::size_t>(at - axes.begin())] = stride;
    }
    const auto fill = [&](const auto& self, std::size_t level, std::size_t from) -> bool {
        trie.open(level);
        std::uint64_t mask = 0;
        for (std::uint32_t state = 0; state < cards_[axes[level]]; ++state, from += strides[level]) {
            const bool occurs = level + 1 == axes.size() ? factor.table[from] > 0 : self(self, level + 1, from);
            mask |= std::uint64_t{occurs} << state;
        }
        return trie.close(level, mask);
    };
    fill(fill, 0, 0);
    return trie;
}

const SupportTrie& SparseSupports::trie(const CliquePart& part) const {
    switch (part.kind) {
        case CliquePart::Kind::message: return separators_[part.number];
        case CliquePart::Kind::factor: return factors_[part.number];
        default: return variables_[part.number];
    }
}

SparseSupports::Scope SparseSupports::separator_axes(std::size_t clique) const {
    const Scope& separator = tree_.cliques[clique].separator;
    return {separator.rbegin(), separator.rend()};
}

SupportJoin::Table SparseSupports::joined(std::size_t clique, const SupportTrie& trie, const Scope& axes) const {
    SupportJoin::Table table{&trie, {}};
    for (const std::uint32_t variable : axes) {
        const auto at = std::find(axes_[clique].begin(), axes_[clique].end(), variable);
        table.levels.push_back(static_cast<std::uint32_t>(at - axes_[clique].begin()));
    }
    return table;
}

SupportJoin SparseSupports::join(std::size_t clique) const {
    std::vector<SupportJoin::Table> tables;
    for (const CliquePart& part : parts_[clique]) {
        switch (part.kind) {
            case CliquePart::Kind::message:
                tables.push_back(joined(clique, trie(part), separator_axes(part.number)));
                break;
            case CliquePart::Kind::factor:
                tables.push_back(joined(clique, trie(part), factor_axes_[part.number]));
                break;
            default: tables.push_back(joined(clique, trie(part), {part.number}));
        }
    }
    if (separators_[clique].depth() > 0) tables.push_back(joined(clique, separators_[clique], separator_axes(clique)));
    return {axes_[clique].size(), std::move(tables)};
}

double SparseSupports::separator_entries() const {
    double entries = 0;
    for (const SupportTrie& separator : separators_) entries += separator.combinations();
    return entries;
}

// Marks which combinations of the children's separators occur with the rest of the clique; the others go.
void SparseSupports::restrict_children(std::size_t clique) {
    const std::vector<std::uint32_t>& children = tree_.cliques[clique].children;
    std::vector<std::vector<char>> marks;
    for (const std::uint32_t child : children) marks.emplace_back(separators_[child].combinations(), 0);
    SupportJoin all = join(clique);
    all.for_each([&](std::uint64_t mask, auto numbers, auto masks) {
        for (std::size_t k = 0; k < children.size(); ++k) {
            char* from = marks[k].data() + numbers[k];
            if (!all.tables()[k].is_last_moving) {
                *from = 1;
                continue;
            }
            for (std::uint64_t rest = masks[k]; rest; rest &= rest - 1) *from++ |= (mask & rest & -rest) != 0;
        }
    });
    for (std::size_t k = 0; k < children.size(); ++k) {
        separators_[children[k]] = separators_[children[k]].restricted_to(marks[k]);
    }
}

}  // namespace bayou
