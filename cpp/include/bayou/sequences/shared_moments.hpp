// Moments of groups that share their rows: row i belongs to group g with weight w(i, g), as in the E-step of a mixture.
#pragma once

#include <cstddef>

namespace bayou {

struct SharedRows {
    const double* matrix = nullptr;   // [rows, columns], without missing cells
    const double* weights = nullptr;  // [rows, groups]
    const double* centres = nullptr;  // [groups, columns]: near the means, so that few digits are lost
    std::size_t rows = 0, columns = 0, groups = 0;
};

// n, mean and scatter of one group from its sums about a centre: weights, deviations, their products (lower triangle).
void moments_from_sums(const double* sums, const double* centre, std::size_t d, double* n, double* mean,
                       double* scatter);

// Writes n [groups], the means [groups, columns] and the scatter about them [groups, columns, columns].
void shared_moments(const SharedRows& rows, double* n, double* mean, double* scatter, int threads);

}  // namespace bayou
