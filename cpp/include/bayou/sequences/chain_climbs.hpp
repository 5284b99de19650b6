// Many climbs of EM for one hidden Markov model and the same sequences, each from parameters of its own.
//
// Where learning starts decides which maximum it reaches, so many starts are tried. Eight climbs run side by side, one
// in each lane of a vector: all of them read the same rows. Numbers are scaled step by step; a climb that scaled numbers
// cannot hold is given up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayou/sequences/hidden_chain.hpp"

namespace bayou {

// The covariance of the columns of numbers: of each state, or shared by all states.
enum class Covariance { full, diagonal, spherical, shared, shared_diagonal };

constexpr std::size_t most_climb_states = 16;

// The model, the rows, and what the M-step adds. Parameters of a climb are one row of numbers: P(first state), P(state |
// state before), P(code | state) of each coded column [states, card], then of the columns of numbers, which are
// regressions on the columns before them, the means [states, d], slopes [states, d (d - 1) / 2] and variances [states, d].
struct ClimbProblem {
    std::size_t states = 0;
    SequenceRows sequences;
    std::vector<CodeColumn> columns;  // a missing code says nothing
    std::vector<GaussianEmission::Column> numbers;
    Covariance covariance = Covariance::full;
    const double* floors = nullptr;        // [d]: the least variances
    const double* pseudocounts = nullptr;  // [table_cells()]: added to the counts of all tables

    std::size_t rows() const { return sequences.count ? static_cast<std::size_t>(sequences.starts[sequences.count]) : 0; }
    std::size_t slopes() const { return numbers.size() * (numbers.size() - (numbers.empty() ? 0 : 1)) / 2; }
    std::size_t table_cells() const;
    std::size_t cells() const { return table_cells() + states * (2 * numbers.size() + slopes()); }
};

struct ClimbResults {
    double* parameters = nullptr;  // [climbs, cells()]: where each climb starts, and then where it is
    // [climbs]: log-likelihood + log-prior before the last step; -inf if it was given up, NaN if no step was wanted
    double* objectives = nullptr;
    std::int64_t* taken = nullptr;  // [climbs]: the steps that were made
};

// At most so many steps of EM for each climb; a climb ends earlier if a step gains less than `tolerance`.
void climb_chains(const ClimbProblem& problem, const ClimbResults& results, std::size_t climbs, std::size_t steps,
                  double tolerance, int threads);

}  // namespace bayou
