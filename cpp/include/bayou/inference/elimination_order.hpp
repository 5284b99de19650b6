// The order in which variables are summed out of a product of tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace bayou {

struct EliminationOrder {
    std::vector<std::uint32_t> variables;              // in the order of elimination
    std::vector<std::vector<std::uint32_t>> cliques;   // of each step: the variable, then its neighbours
    double entries = 0;                                // of all step's tables together
};

// An order with small tables for all variables in the scopes. Tries several greedy rules, and further tries with
// random ties if the tables are so large that a better order pays for the search. The result is deterministic.
// `last`: these variables are eliminated after all others (they stay together at the root).
// A search that finds nothing near `most_entries` ends early, with infinitely many entries and no order.
EliminationOrder elimination_order(const std::vector<std::uint32_t>& cards,
                                   const std::vector<std::vector<std::uint32_t>>& scopes,
                                   const std::vector<std::uint32_t>& last,
                                   double most_entries = std::numeric_limits<double>::infinity());

}  // namespace bayou
