// The tree of cliques that an elimination order implies: the skeleton of a plan.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayou/inference/elimination_order.hpp"

namespace bayou {

inline bool contains(const std::vector<std::uint32_t>& scope, std::uint32_t variable) {
    return std::find(scope.begin(), scope.end(), variable) != scope.end();
}

struct Clique {
    std::vector<std::uint32_t> scope;        // ascending rank: what is summed out first comes first
    std::vector<std::uint32_t> separator;    // shared with the parent, ascending rank; empty at a root
    std::int32_t parent = -1;
    std::vector<std::uint32_t> children;
    std::vector<std::uint32_t> factors;      // which of the given scopes live here
    double entries = 1;
};

struct CliqueTree {
    std::vector<Clique> cliques;             // children before parents
    std::vector<std::uint32_t> rank;         // of each variable: the step that sums it out
    std::vector<std::int32_t> home;          // of each variable: the clique that sums it out, -1: it is in no scope
};

// Cliques that are contained in a neighbour are merged into it, unless they sum out variables of two kinds
// (`apart`, by variable).
CliqueTree clique_tree(const std::vector<std::uint32_t>& cards,
                       const std::vector<std::vector<std::uint32_t>>& scopes, const EliminationOrder& order,
                       const std::vector<char>& apart);

// Inserts intermediate cliques between a clique and groups of its children until no clique has more than
// most_children; the scope of each is the union of its group's separators.
constexpr std::size_t most_children = 6;
void limit_children(CliqueTree& tree, const std::vector<std::uint32_t>& cards);

}  // namespace bayou
