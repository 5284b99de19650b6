#include "climb_estimates.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace bayou {

namespace {

constexpr double least_weight = 1e-12;    // a state with less is not visited
constexpr double no_direction = 1e-12;    // a smaller share of a scatter is rounding
constexpr std::size_t most = most_gaussian_columns;

using Square = std::array<double, most * most>;

// Weight, mean and centred scatter (lower triangle) of the rows of a state.
struct StateMoments {
    double n = 0;
    std::array<double, most> mean{};
    Square scatter{};
};

StateMoments state_moments(const double* sums, const double* centre, std::size_t d) {
    StateMoments found;
    found.n = sums[0];
    const bool visited = found.n > least_weight;
    const double* products = sums + 1 + d;
    std::array<double, most> shift{};
    for (std::size_t a = 0; a < d; ++a) {
        shift[a] = visited ? sums[1 + a] / found.n : 0.0;
        found.mean[a] = centre[a] + shift[a];
        for (std::size_t b = 0; b <= a; ++b) found.scatter[a * most + b] = *products++ - found.n * shift[a] * shift[b];
    }
    return found;
}

// Slopes of each column on those before it, and what they leave of its scatter: S = L D Lᵀ, the slopes are I - L⁻¹.
struct Regressions {
    Square slopes{};
    std::array<double, most> left{};
};

Regressions regressions_of(const Square& scatter, std::size_t d, bool linked) {
    Regressions found;
    Square lower{}, inverse{};
    for (std::size_t j = 0; j < d; ++j) {
        const double own = scatter[j * most + j];
        double left = own;
        for (std::size_t i = 0; linked && i < j; ++i) {
            double sum = scatter[j * most + i];
            for (std::size_t k = 0; k < i; ++k) sum -= lower[j * most + k] * found.left[k] * lower[i * most + k];
            const bool varies = found.left[i] > no_direction * scatter[i * most + i];
            lower[j * most + i] = varies ? sum / found.left[i] : 0.0;
            left -= lower[j * most + i] * sum;
        }
        found.left[j] = left > 1e-14 * own ? left : 0.0;
        inverse[j * most + j] = 1;
        for (std::size_t i = 0; i < j; ++i) {
            double sum = 0;
            for (std::size_t k = i; k < j; ++k) sum += lower[j * most + k] * inverse[k * most + i];
            inverse[j * most + i] = -sum;
            found.slopes[j * most + i] = sum;
        }
    }
    return found;
}

// The Gaussian of one state: rows of the arrays of parameters.
struct StateGaussian {
    double *mean, *slopes, *variance;
};

StateGaussian gaussian_of(const ClimbProblem& problem, const ClimbLayout& layout, double* parameters, std::size_t s) {
    const std::size_t d = problem.numbers.size();
    return {parameters + layout.means + s * d, parameters + layout.slopes + s * problem.slopes(),
            parameters + layout.variances + s * d};
}

// A Gaussian of its own for a state; a column with too few rows keeps its line.
void estimate_own(const ClimbProblem& problem, const StateMoments& moments, const StateGaussian& state) {
    const std::size_t d = problem.numbers.size();
    if (!(moments.n > least_weight)) return;
    const bool linked = problem.covariance == Covariance::full;
    const Regressions found = regressions_of(moments.scatter, d, linked);
    std::array<double, most> before{};
    std::copy_n(state.mean, d, before.begin());
    double* slope = state.slopes;
    for (std::size_t j = 0; j < d; slope += j, ++j) {
        const std::size_t inputs = linked ? j : 0;
        const bool enough = moments.n >= static_cast<double>(inputs + 2) ||
                            found.left[j] > no_direction * moments.scatter[j * most + j];
        if (enough) {
            state.mean[j] = moments.mean[j];
            state.variance[j] = std::max(found.left[j] / moments.n, problem.floors[j]);
            for (std::size_t i = 0; i < j; ++i) slope[i] = found.slopes[j * most + i];
        } else {
            for (std::size_t i = 0; i < j; ++i) state.mean[j] += slope[i] * (state.mean[i] - before[i]);
        }
    }
    if (problem.covariance == Covariance::spherical) {
        double sum = 0;
        for (std::size_t j = 0; j < d; ++j) sum += state.variance[j];
        std::fill_n(state.variance, d, sum / static_cast<double>(d));
    }
}

// Means of each state, one covariance for all: that of the scatter within the states.
void estimate_shared(const ClimbProblem& problem, const ClimbLayout& layout, const double* sums, std::size_t width,
                     double* parameters) {
    const std::size_t d = problem.numbers.size();
    Square within{};
    double total = 0;
    for (std::size_t s = 0; s < problem.states; ++s) {
        const StateGaussian state = gaussian_of(problem, layout, parameters, s);
        const StateMoments moments = state_moments(sums + s * width, state.mean, d);
        total += moments.n;
        for (std::size_t at = 0; at < within.size(); ++at) within[at] += moments.scatter[at];
        if (moments.n > least_weight) std::copy_n(moments.mean.begin(), d, state.mean);
    }
    const Regressions found = regressions_of(within, d, problem.covariance == Covariance::shared);
    for (std::size_t s = 0; s < problem.states; ++s) {
        const StateGaussian state = gaussian_of(problem, layout, parameters, s);
        double* slope = state.slopes;
        for (std::size_t j = 0; j < d; ++j) {
            state.variance[j] = std::max(found.left[j] / std::max(total, 1e-300), problem.floors[j]);
            for (std::size_t i = 0; i < j; ++i) *slope++ = found.slopes[j * most + i];
        }
    }
}

void estimate_rows(const double* counts, const double* pseudocounts, std::size_t rows, std::size_t width,
                   double* parameters) {
    for (std::size_t row = 0; row < rows; ++row, counts += width, pseudocounts += width, parameters += width) {
        double sum = 0;
        for (std::size_t at = 0; at < width; ++at) sum += counts[at] + pseudocounts[at];
        if (!(sum > 0)) continue;
        for (std::size_t at = 0; at < width; ++at) parameters[at] = (counts[at] + pseudocounts[at]) / sum;
    }
}

}  // namespace

ClimbLayout::ClimbLayout(const ClimbProblem& problem) {
    const std::size_t k = problem.states, d = problem.numbers.size();
    transition = k;
    std::size_t next = k + k * k;
    for (const CodeColumn& column : problem.columns) {
        tables.push_back(next);
        next += k * column.card;
    }
    means = next;
    slopes = means + k * d;
    variances = slopes + k * problem.slopes();
}

void estimate_climb(const ClimbProblem& problem, const ClimbLayout& layout, const double* counts, const double* sums,
                    double* parameters) {
    const std::size_t k = problem.states, d = problem.numbers.size();
    const double* pseudo = problem.pseudocounts;
    estimate_rows(counts, pseudo, 1, k, parameters);
    estimate_rows(counts + layout.transition, pseudo + layout.transition, k, k, parameters + layout.transition);
    for (std::size_t c = 0; c < problem.columns.size(); ++c) {
        const std::size_t at = layout.tables[c];
        estimate_rows(counts + at, pseudo + at, k, problem.columns[c].card, parameters + at);
    }
    if (!d) return;
    const std::size_t width = 1 + d + d * (d + 1) / 2;
    if (problem.covariance == Covariance::shared || problem.covariance == Covariance::shared_diagonal) {
        return estimate_shared(problem, layout, sums, width, parameters);
    }
    for (std::size_t s = 0; s < k; ++s) {
        const StateGaussian state = gaussian_of(problem, layout, parameters, s);
        estimate_own(problem, state_moments(sums + s * width, state.mean, d), state);
    }
}

double climb_log_prior(const ClimbProblem& problem, const double* parameters) {
    double total = 0;
    for (std::size_t at = 0; at < problem.table_cells(); ++at) {
        if (problem.pseudocounts[at] > 0) total += problem.pseudocounts[at] * std::log(parameters[at]);
    }
    return total;
}

}  // namespace bayou
