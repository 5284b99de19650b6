// Weights, means and centred scatter matrices of real columns, by group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bayou {

struct MomentInput {
    std::vector<const double*> columns;
    std::size_t rows = 0;
    const std::uint32_t* groups = nullptr;  // null: every row is in group 0
    std::size_t n_groups = 1;
    const double* weights = nullptr;  // null: 1 each
};

// n[q], mean[q, k] and scatter[q, k, k] (zero for a group without weight), C-order, written in full.
// Rows with a NaN or without a group are left out. The rows are divided into parts that depend on the sizes
// only, and the parts are added in order: the result is the same for any number of threads.
void group_moments(const MomentInput& input, double* n, double* mean, double* scatter, int threads);

}  // namespace bayou
