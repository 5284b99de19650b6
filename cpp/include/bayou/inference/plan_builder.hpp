// Compiles a question: an elimination order, a tree of cliques, and the products and sums of a run.
#pragma once

#include "bayou/inference/inference_plan.hpp"

namespace bayou {

// Throws std::length_error if a table would have more entries than any memory can hold.
InferencePlan build_plan(const PlanQuestion& question);

}  // namespace bayou
