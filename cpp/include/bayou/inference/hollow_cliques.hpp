// Cliques that keep no table of their own.
#pragma once

#include <cstdint>
#include <vector>

#include "bayou/inference/clique_tree.hpp"

namespace bayou {

// A large clique with small factors keeps no table: the factors become leaves below it, so that memory is that of
// the factors and a run does not go through entries that no row meets.
void hollow_out(CliqueTree& tree, const std::vector<std::uint32_t>& cards,
                const std::vector<std::vector<std::uint32_t>>& scopes);

}  // namespace bayou
