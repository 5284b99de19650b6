// Resampling: which particles live on, and how often, so that particle i has n W_i offspring on average.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayou/particles/weights.hpp"
#include "bayou/tables/sampling.hpp"

namespace bayou {

enum class Resampling { systematic, stratified, residual, multinomial };

// Writes the ancestor of each of n new particles. The weights of block b are multiplied by scales[b], and add up to
// `sum` then. For Douc, Cappé and Moulines (2005): Comparison of resampling schemes for particle filtering.
void resample(Resampling kind, const double* weights, const AllWeights& all, std::size_t n, const StreamOfRows& random,
              std::int64_t* ancestors, int threads);

}  // namespace bayou
