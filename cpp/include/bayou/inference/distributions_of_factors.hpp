// Whether the factors of a network are distributions of their last variable.
#pragma once

#include <cstdint>
#include <vector>

#include "bayou/inference/inference_plan.hpp"

namespace bayou {

// Throws std::invalid_argument if a table does not sum to 1 over its last variable: a plan leaves out the variables that
// sum to 1, and the trees of whole networks do not.
void require_distributions(const std::vector<PlanFactor>& factors, const std::vector<std::uint32_t>& cards);

}  // namespace bayou
