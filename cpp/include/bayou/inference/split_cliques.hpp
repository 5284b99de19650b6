// Large cliques whose factors are small.
#pragma once

#include <cstdint>
#include <vector>

#include "bayou/inference/clique_tree.hpp"

namespace bayou {

// Moves the factors of each large clique with small factors into new leaves below it, so that the clique itself needs no
// table: memory is that of the factors, and a run skips entries that no row visits.
void split_large_cliques(CliqueTree& tree, const std::vector<std::uint32_t>& cards,
                const std::vector<std::vector<std::uint32_t>>& scopes);

}  // namespace bayou
