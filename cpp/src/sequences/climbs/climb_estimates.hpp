// The M-step of one climb, and the log-prior of its parameters.
#pragma once

#include <cstddef>

#include "bayou/sequences/chain_climbs.hpp"

namespace bayou {

// Where each part of a climb's parameters begins.
struct ClimbLayout {
    explicit ClimbLayout(const ClimbProblem& problem);

    std::size_t transition = 0, means = 0, slopes = 0, variances = 0;
    std::vector<std::size_t> tables;
};

// Estimates all parameters from expected counts of the tables (in the same layout) and from sums of the numbers (see
// GaussianEmission). A row of a table without counts and pseudocounts keeps its numbers, a state that no row visits its
// Gaussian.
void estimate_climb(const ClimbProblem& problem, const ClimbLayout& layout, const double* counts, const double* sums,
                    double* parameters);

// The sum of pseudocount · log(parameter) over all tables.
double climb_log_prior(const ClimbProblem& problem, const double* parameters);

}  // namespace bayou
