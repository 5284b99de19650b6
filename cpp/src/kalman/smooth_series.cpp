#include <algorithm>

#include "backward_pass.hpp"
#include "bayou/base/threads.hpp"
#include "sequence_parts.hpp"

namespace bayou {

std::int64_t smooth_series(const LinearSystem& system, const ObservedSeries& series, const SmoothedSeries& results,
                           int threads) {
    const kalman::SystemRoots roots(system);
    const kalman::SequenceParts parts(series);
    const std::size_t n = system.states;
    parallel_for(parts.size(), threads, [&](std::size_t part, int) {
        kalman::BackwardPass pass(roots, series);
        for (std::size_t k = parts.first(part); k < parts.first(part + 1); ++k) {
            const std::int64_t failed = pass.filter(k, results.log_likelihoods[k]);
            parts.note(part, failed);
            while (failed < 0 && pass.back()) {
                std::copy_n(pass.mean(), n, results.means + pass.row() * n);
                std::copy_n(pass.covariance(), n * n, results.covariances + pass.row() * n * n);
            }
        }
    });
    return parts.first_noted();
}

}  // namespace bayou
