// Gaussian kernel densities of one number by class, in logarithms: direct sums, or within a relative error.
#pragma once

#include <cstddef>
#include <vector>

namespace bayou {

// The points of one class, ascending and finite, and the bandwidth of their kernels.
struct KernelPoints {
    const double* values = nullptr;
    const double* weights = nullptr;  // null: 1 each; else positive
    std::size_t count = 0;
    double bandwidth = 1;
};

// log[row * K + k] = log of the density of class k at the query; NaN for a NaN, -inf for a class without points
// or an infinite query; a finite query never gets -inf from a class with points.
// relative_error 0 adds every term that changes a double; otherwise the density (not its log) is within that
// relative error, which must not be below least_relative_error.
void kernel_log_density(const std::vector<KernelPoints>& classes, const double* queries, std::size_t rows,
                        double relative_error, double* log, int threads);

// log[i]: the log density at point i (all distinct) without one record of that point (without its whole weight if
// that is less than 1); -inf if no weight is left. The relative error of the density is at most 1e-7.
void kernel_held_out(const KernelPoints& points, double* log, int threads);

constexpr double least_relative_error = 1e-13;

}  // namespace bayou
