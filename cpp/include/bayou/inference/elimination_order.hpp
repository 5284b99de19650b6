// In which order to sum variables out of a product of tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bayou {

struct EliminationOrder {
    std::vector<std::uint32_t> variables;              // in the order of elimination
    std::vector<std::vector<std::uint32_t>> cliques;   // of each step: the variable, then its neighbours
    double entries = 0;                                // of all step's tables together
};

// A cheap order for all variables that occur in the scopes. Tries several greedy rules, and more of them with
// random ties where the tables are so large that a better order pays for the search. Always the same answer.
// `last`: these variables are eliminated after all others (they stay together at the root).
EliminationOrder elimination_order(const std::vector<std::uint32_t>& cards,
                                   const std::vector<std::vector<std::uint32_t>>& scopes,
                                   const std::vector<std::uint32_t>& last);

}  // namespace bayou
