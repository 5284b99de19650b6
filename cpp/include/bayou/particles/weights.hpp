// Weights of particles, kept as logarithms; and numbers that describe a weighted set.
#pragma once

#include <cstddef>
#include <vector>

#include "bayou/particles/blocks.hpp"

namespace bayou {

// The weights exp(log - reference) of a block, and their sums.
struct BlockWeights {
    double reference, sum, squares;
};

// Writes logs = before + change (or change, without `before`) and the weights of a block, relative to its largest log.
// A block without weight has the reference -infinity, one with logs that are no numbers the reference NaN.
BlockWeights block_weights(const double* before, const double* change, std::size_t n, double* logs, double* weights);

// The blocks together: weights of block b times scales[b] are comparable with each other and add up to `sum`.
struct AllWeights {
    double log_mean, effective_size, sum;
    std::vector<double> scales, block_sums;  // block_sums: before they are scaled
    bool any() const { return sum > 0.0; }
};

AllWeights combine_weights(const std::vector<BlockWeights>& blocks, std::size_t n);

// Writes logs = before + change and the weights of n particles, which sum to 1. Without any weight they are 0.
AllWeights weigh(const double* before, const double* change, std::size_t n, double* logs, double* weights, int threads);

// Weights as they are: throws std::invalid_argument unless all are finite and at least 0, and one is above.
AllWeights given_weights(const double* weights, std::size_t n);

// The weighted mean of a block and its centred sum of squares; `sum` is that of the weights.
struct BlockMoments {
    double sum, mean, scatter;
};
BlockMoments block_moments(const double* x, const double* weights, std::size_t n);

// Weighted mean and standard deviation of each column of a matrix [row, column].
void weighted_moments(const double* values, const double* weights, std::size_t rows, std::size_t columns,
                      double* means, double* spreads);

// The smallest value whose cumulative weight reaches each level; `weights` as they are, or times a scale a block.
void weighted_quantiles(const double* values, const double* weights, const double* scales, std::size_t n,
                        const std::vector<double>& levels, double* out);

}  // namespace bayou
