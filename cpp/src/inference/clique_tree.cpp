#include "bayou/inference/clique_tree.hpp"

#include <algorithm>

namespace bayou {

namespace {

constexpr std::uint32_t none = UINT32_MAX;
constexpr double least_grouped_entries = 512, least_group_shrinking = 4;

// The cliques of the elimination steps as a tree: the parent is the clique of the earliest remaining neighbour.
struct Steps {
    std::vector<std::vector<std::uint32_t>> scope;
    std::vector<std::uint32_t> parent;
    std::vector<char> merged;
    std::vector<std::uint32_t> into;  // of a merged step: the step that it was merged into; else itself
};

Steps make_steps(const EliminationOrder& order, const std::vector<std::uint32_t>& rank) {
    Steps steps;
    const std::size_t count = order.variables.size();
    steps.scope = order.cliques;
    steps.parent.assign(count, none);
    steps.merged.assign(count, 0);
    steps.into.resize(count);
    for (std::size_t step = 0; step < count; ++step) {
        auto& scope = steps.scope[step];
        std::sort(scope.begin(), scope.end(), [&](auto a, auto b) { return rank[a] < rank[b]; });
        if (scope.size() > 1) steps.parent[step] = rank[scope[1]];
        steps.into[step] = static_cast<std::uint32_t>(step);
    }
    return steps;
}

std::uint32_t representative(const Steps& steps, std::uint32_t step) {
    while (steps.into[step] != step) step = steps.into[step];
    return step;
}

// A parent whose clique equals the separator of its child adds nothing: it is merged into the child.
void merge_contained(Steps& steps, const std::vector<std::uint32_t>& variables, const std::vector<char>& apart) {
    const std::vector<std::uint32_t> above = steps.parent;
    for (std::uint32_t step = 0; step < above.size(); ++step) {
        const std::uint32_t parent = above[step];
        if (parent == none) continue;
        const std::uint32_t keeper = representative(steps, step);
        steps.parent[keeper] = parent;
        if (apart[variables[parent]] != apart[variables[step]]) continue;
        if (!steps.merged[parent] && steps.scope[parent].size() + 1 == steps.scope[step].size()) {
            steps.merged[parent] = 1;
            steps.into[parent] = keeper;
            steps.parent[keeper] = above[parent];
        }
    }
}

}  // namespace

CliqueTree clique_tree(const std::vector<std::uint32_t>& cards,
                       const std::vector<std::vector<std::uint32_t>>& scopes, const EliminationOrder& order,
                       const std::vector<char>& apart) {
    CliqueTree tree;
    tree.rank.assign(cards.size(), none);
    tree.home.assign(cards.size(), -1);
    for (std::size_t step = 0; step < order.variables.size(); ++step) {
        tree.rank[order.variables[step]] = static_cast<std::uint32_t>(step);
    }
    Steps steps = make_steps(order, tree.rank);
    merge_contained(steps, order.variables, apart);
    std::vector<std::int32_t> place(order.variables.size(), -1);
    // A merged clique takes the position of its last step, so that children stay before parents.
    std::vector<std::uint32_t> top(order.variables.size());
    for (std::uint32_t step = 0; step < top.size(); ++step) top[representative(steps, step)] = step;
    std::vector<std::uint32_t> kept;
    for (std::uint32_t step = 0; step < top.size(); ++step) {
        if (!steps.merged[step]) kept.push_back(step);
    }
    std::sort(kept.begin(), kept.end(), [&](auto a, auto b) { return top[a] < top[b]; });
    for (std::size_t at = 0; at < kept.size(); ++at) place[kept[at]] = static_cast<std::int32_t>(at);
    tree.cliques.resize(kept.size());
    for (std::size_t at = 0; at < kept.size(); ++at) {
        Clique& clique = tree.cliques[at];
        clique.scope = std::move(steps.scope[kept[at]]);
        for (const std::uint32_t variable : clique.scope) clique.entries *= cards[variable];
        const std::uint32_t parent = steps.parent[kept[at]];
        if (parent != none) clique.parent = place[representative(steps, parent)];
    }
    for (std::size_t variable = 0; variable < cards.size(); ++variable) {
        if (tree.rank[variable] != none) tree.home[variable] = place[representative(steps, tree.rank[variable])];
    }
    for (std::size_t at = 0; at < tree.cliques.size(); ++at) {
        Clique& clique = tree.cliques[at];
        if (clique.parent < 0) continue;
        tree.cliques[clique.parent].children.push_back(static_cast<std::uint32_t>(at));
        const auto& above = tree.cliques[clique.parent].scope;
        for (const std::uint32_t variable : clique.scope) {
            if (contains(above, variable)) clique.separator.push_back(variable);
        }
    }
    for (std::size_t factor = 0; factor < scopes.size(); ++factor) {
        if (scopes[factor].empty()) continue;
        const auto first = *std::min_element(scopes[factor].begin(), scopes[factor].end(),
                                             [&](auto a, auto b) { return tree.rank[a] < tree.rank[b]; });
        tree.cliques[tree.home[first]].factors.push_back(static_cast<std::uint32_t>(factor));
    }
    return tree;
}

namespace {

// Inserts a clique over the separators of some children of a clique with this scope; returns its number.
std::uint32_t add_group(CliqueTree& tree, const std::vector<std::uint32_t>& cards,
                        const std::vector<std::uint32_t>& scope, std::vector<std::uint32_t> children) {
    Clique group;
    for (const std::uint32_t variable : scope) {
        const bool passed = std::any_of(children.begin(), children.end(), [&](auto child) {
            return contains(tree.cliques[child].separator, variable);
        });
        if (!passed) continue;
        group.scope.push_back(variable);
        group.entries *= cards[variable];
    }
    group.separator = group.scope;
    const auto number = static_cast<std::uint32_t>(tree.cliques.size());
    for (const std::uint32_t child : children) tree.cliques[child].parent = static_cast<std::int32_t>(number);
    group.children = std::move(children);
    tree.cliques.push_back(std::move(group));
    return number;
}

// At most most_children in a group, so that no product has too many tables.
void group_many(CliqueTree& tree, const std::vector<std::uint32_t>& cards, const Clique& clique,
                std::vector<std::uint32_t>& children) {
    while (children.size() > most_children) {
        std::vector<std::uint32_t> grouped;
        for (std::size_t first = 0; first < children.size(); first += most_children) {
            const std::size_t last = std::min(children.size(), first + most_children);
            if (last - first == 1) {
                grouped.push_back(children[first]);
                continue;
            }
            grouped.push_back(
                add_group(tree, cards, clique.scope, {children.begin() + first, children.begin() + last}));
        }
        children = std::move(grouped);
    }
}

double entries_together(const std::vector<std::uint32_t>& cards, const Clique& a, const Clique& b) {
    double entries = 1;
    for (const std::uint32_t variable : a.separator) entries *= cards[variable];
    for (const std::uint32_t variable : b.separator) {
        if (!contains(a.separator, variable)) entries *= cards[variable];
    }
    return entries;
}

// Each child costs passes over the whole clique: two children whose messages fit a much smaller table share one.
void group_small(CliqueTree& tree, const std::vector<std::uint32_t>& cards, const Clique& clique,
                 std::vector<std::uint32_t>& children) {
    while (clique.entries >= least_grouped_entries && children.size() > 1) {
        double least = clique.entries / least_group_shrinking;
        std::size_t a = 0, b = 0;
        for (std::size_t i = 0; i < children.size(); ++i) {
            for (std::size_t j = i + 1; j < children.size(); ++j) {
                const double size = entries_together(cards, tree.cliques[children[i]], tree.cliques[children[j]]);
                if (size > least || (size == least && b > 0)) continue;
                least = size;
                a = i;
                b = j;
            }
        }
        if (b == 0) return;
        children[a] = add_group(tree, cards, clique.scope, {children[a], children[b]});
        children.erase(children.begin() + static_cast<std::ptrdiff_t>(b));
    }
}

}  // namespace

void limit_children(CliqueTree& tree, const std::vector<std::uint32_t>& cards) {
    std::vector<Clique> old = std::move(tree.cliques);
    std::vector<std::int32_t> place(old.size());
    tree.cliques.clear();
    // Children come before parents in `old`, so new intermediate cliques are inserted just before their parent.
    for (std::size_t at = 0; at < old.size(); ++at) {
        Clique clique = std::move(old[at]);
        std::vector<std::uint32_t> children;
        for (const std::uint32_t child : clique.children) {
            children.push_back(static_cast<std::uint32_t>(place[child]));
        }
        group_many(tree, cards, clique, children);
        group_small(tree, cards, clique, children);
        place[at] = static_cast<std::int32_t>(tree.cliques.size());
        for (const std::uint32_t child : children) tree.cliques[child].parent = place[at];
        clique.children = std::move(children);
        tree.cliques.push_back(std::move(clique));
    }
    for (auto& home : tree.home) {
        if (home >= 0) home = place[home];
    }
}

}  // namespace bayou
