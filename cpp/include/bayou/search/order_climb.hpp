// Local search over orders of variables: each variable takes its best parent set among those before it (Teyssier and
// Koller 2005); a step moves one variable to any other position (Scanagatta et al. 2017).
#pragma once

#include <cstddef>
#include <cstdint>

namespace bayou {

// The parent sets of n variables: the sets of each variable together, the best first.
struct ParentLists {
    std::size_t variables = 0;
    std::size_t words = 0;                // 64-bit words of a set
    const std::int64_t* starts = nullptr; // variables + 1: where each variable's sets begin
    const std::uint64_t* sets = nullptr;  // a bit for each parent
    const double* scores = nullptr;
};

// The score of a variable none of whose sets is contained in its predecessors.
constexpr double kNoParentSet = -1e12;

// Moves single variables to better positions, at most `passes` times over all variables in the order of `visits`, or
// until none moves. `order` is changed; `chosen` gets the number of each variable's set (-1: none). Returns the score,
// summed in the order of the variables.
double climb_order(const ParentLists& lists, const std::int32_t* visits, std::size_t passes, std::int32_t* order,
                   std::int64_t* chosen);

}  // namespace bayou
