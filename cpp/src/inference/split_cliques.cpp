#include "bayou/inference/split_cliques.hpp"

#include <algorithm>

namespace bayou {

namespace {

constexpr double least_split_entries = 1 << 13, least_split_shrinking = 4, small_leaf = 64;

double entries_of(const std::vector<std::uint32_t>& scope, const std::vector<std::uint32_t>& cards) {
    double entries = 1;
    for (const std::uint32_t variable : scope) entries *= cards[variable];
    return entries;
}

std::vector<std::uint32_t> together(std::vector<std::uint32_t> scope, const std::vector<std::uint32_t>& more) {
    for (const std::uint32_t variable : more) {
        if (std::find(scope.begin(), scope.end(), variable) == scope.end()) scope.push_back(variable);
    }
    return scope;
}

// Joins leaves while their table stays small, or below `most` as long as there are more than `wanted` leaves.
void join_leaves(std::vector<Clique>& leaves, const std::vector<std::uint32_t>& cards, std::size_t wanted,
                 double most) {
    while (leaves.size() > 1) {
        double least = leaves.size() > wanted ? most : std::min(most, small_leaf);
        std::size_t a = 0, b = 0;
        for (std::size_t i = 0; i < leaves.size(); ++i) {
            for (std::size_t j = i + 1; j < leaves.size(); ++j) {
                const double size = entries_of(together(leaves[i].scope, leaves[j].scope), cards);
                if (size > least || (size == least && b > 0)) continue;
                least = size;
                a = i;
                b = j;
            }
        }
        if (b == 0) return;
        leaves[a].scope = together(leaves[a].scope, leaves[b].scope);
        leaves[a].factors.insert(leaves[a].factors.end(), leaves[b].factors.begin(), leaves[b].factors.end());
        leaves.erase(leaves.begin() + static_cast<std::ptrdiff_t>(b));
    }
}

std::vector<Clique> leaves_of(const Clique& clique, const std::vector<std::uint32_t>& cards,
                              const std::vector<std::vector<std::uint32_t>>& scopes) {
    std::vector<Clique> leaves;
    for (const std::uint32_t factor : clique.factors) {
        Clique& leaf = leaves.emplace_back();
        leaf.scope = scopes[factor];
        leaf.factors.push_back(factor);
    }
    const std::size_t taken = std::min(clique.children.size(), most_children - 1);
    join_leaves(leaves, cards, most_children - taken, clique.entries / (2 * least_split_shrinking));
    for (Clique& leaf : leaves) {
        leaf.separator = leaf.scope;
        leaf.entries = entries_of(leaf.scope, cards);
    }
    return leaves;
}

}  // namespace

void split_large_cliques(CliqueTree& tree, const std::vector<std::uint32_t>& cards,
                const std::vector<std::vector<std::uint32_t>>& scopes) {
    std::vector<Clique> old = std::move(tree.cliques);
    std::vector<std::uint32_t> place(old.size());
    tree.cliques.clear();
    for (std::size_t at = 0; at < old.size(); ++at) {
        Clique clique = std::move(old[at]);
        for (std::uint32_t& child : clique.children) child = place[child];
        double small = 0;
        for (const std::uint32_t factor : clique.factors) small += entries_of(scopes[factor], cards);
        if (clique.entries >= least_split_entries && clique.entries >= least_split_shrinking * small) {
            for (Clique& leaf : leaves_of(clique, cards, scopes)) {
                clique.children.push_back(static_cast<std::uint32_t>(tree.cliques.size()));
                tree.cliques.push_back(std::move(leaf));
            }
            clique.factors.clear();
        }
        place[at] = static_cast<std::uint32_t>(tree.cliques.size());
        for (const std::uint32_t child : clique.children) {
            tree.cliques[child].parent = static_cast<std::int32_t>(place[at]);
        }
        tree.cliques.push_back(std::move(clique));
    }
    for (auto& home : tree.home) {
        if (home >= 0) home = static_cast<std::int32_t>(place[static_cast<std::size_t>(home)]);
    }
}

}  // namespace bayou
