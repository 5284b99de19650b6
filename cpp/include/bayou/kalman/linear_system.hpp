// Linear Gaussian systems: x(t) = A x(t-1) + B u(t) + w, y(t) = C x(t) + D u(t) + v, with w ~ N(0, Q) and v ~ N(0, R)
// (Kalman 1960; Rauch, Tung and Striebel 1965; for learning Shumway and Stoffer 1982). The first state of a sequence is
// drawn from N(start mean, start covariance). All matrices are flat, row by row.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bayou {

struct LinearSystem {
    std::size_t states = 0, columns = 0, inputs = 0;
    const double* transition = nullptr;         // A [states, states]
    const double* control = nullptr;            // B [states, inputs]
    const double* transition_noise = nullptr;   // Q [states, states]
    const double* observation = nullptr;        // C [columns, states]
    const double* direct = nullptr;             // D [columns, inputs]
    const double* observation_noise = nullptr;  // R [columns, columns]
    const double* start_mean = nullptr;         // [states]
    const double* start_covariance = nullptr;   // [states, states]
};

// Sequences one after the other: sequence k has the rows starts[k] up to starts[k + 1]. NaN is a value that is missing.
struct ObservedSeries {
    const std::int64_t* starts = nullptr;
    std::size_t count = 0;
    const double* values = nullptr;   // [rows, columns]
    const double* inputs = nullptr;   // [rows, inputs], all known
    const double* weights = nullptr;  // one for each sequence, or null: 1
};

// What is wanted; null: not wanted.
struct FilteredSeries {
    double* log_likelihoods = nullptr;  // [sequences]
    double* step_logs = nullptr;        // [rows]: log density of the row given those before
    double* means = nullptr;            // [rows, states]
    double* covariances = nullptr;      // [rows, states, states]
};

struct SmoothedSeries {
    double* log_likelihoods = nullptr;
    double* means = nullptr;
    double* covariances = nullptr;
};

// Sums of one vector z over steps: Σ w, Σ w E[z] and Σ w E[z zᵀ] given all rows.
struct VectorSums {
    std::size_t size = 0;
    double* weight = nullptr;
    double* first = nullptr;   // [size]
    double* second = nullptr;  // [size, size]
};

// The expected statistics of sequences, about the matrices of `reference`, so that small residuals keep their digits:
// start: x(1) − start mean; moves: (x(t−1), u(t), x(t) − A x(t−1) − B u(t)); observed: (x(t), u(t), y(t) − C x(t) −
// D u(t)) of the steps with a value. The missing values of such a step are expected, too.
struct SystemSums {
    double* log_likelihoods = nullptr;
    VectorSums start, moves, observed;
};

// Each returns -1, or the first row whose density does not exist: the covariance of what is expected there is singular,
// or numbers have left the range of double.
std::int64_t filter_series(const LinearSystem& system, const ObservedSeries& series, const FilteredSeries& results,
                           int threads);
std::int64_t smooth_series(const LinearSystem& system, const ObservedSeries& series, const SmoothedSeries& results,
                           int threads);
std::int64_t expect_series(const LinearSystem& system, const LinearSystem& reference, const ObservedSeries& series,
                           const SystemSums& results, int threads);

}  // namespace bayou
