#include <algorithm>
#include <cmath>

#include "bayou/base/interrupt.hpp"
#include "bayou/base/threads.hpp"
#include "forward_pass.hpp"
#include "sequence_parts.hpp"

namespace bayou {

namespace {

// Filters one sequence; the row that has no density, or -1.
std::int64_t filter_one(kalman::ForwardPass& pass, const LinearSystem& system, const ObservedSeries& series,
                        std::size_t number, const FilteredSeries& results) {
    const std::size_t n = system.states;
    double total = 0;
    pass.begin();
    for (std::int64_t row = series.starts[number]; row < series.starts[number + 1]; ++row) {
        const auto at = static_cast<std::size_t>(row);
        if (at % 256 == 0) stop_if_interrupted();
        if (!pass.take(series.values + at * system.columns, series.inputs + at * system.inputs)) return row;
        total += pass.log_density();
        if (results.step_logs) results.step_logs[at] = pass.log_density();
        if (results.means) std::copy_n(pass.mean(), n, results.means + at * n);
        if (results.covariances) std::copy_n(pass.covariance(), n * n, results.covariances + at * n * n);
    }
    results.log_likelihoods[number] = total;
    return -1;
}

}  // namespace

std::int64_t filter_series(const LinearSystem& system, const ObservedSeries& series, const FilteredSeries& results,
                           int threads) {
    const kalman::SystemRoots roots(system);
    const kalman::SequenceParts parts(series);
    parallel_for(parts.size(), threads, [&](std::size_t part, int) {
        kalman::ForwardPass pass(roots, false);
        for (std::size_t k = parts.first(part); k < parts.first(part + 1); ++k) {
            parts.note(part, filter_one(pass, system, series, k, results));
        }
    });
    return parts.first_noted();
}

}  // namespace bayou
