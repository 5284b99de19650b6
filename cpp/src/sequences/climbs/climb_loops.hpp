// A sequence forwards and backwards under eight sets of parameters, compiled for several processors. Arrays of
// parameters, messages and counts have a last axis of lanes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../chain_lanes.hpp"

namespace bayou {

struct ClimbTable {
    const std::uint32_t* codes = nullptr;   // [rows]
    const double* probabilities = nullptr;  // [card + 1, states, lanes]; the last row, of missing codes, is 1
    double* counts = nullptr;               // [card + 1, states, lanes]: expected counts are added
};

struct ClimbPass {
    std::size_t states = 0, tables = 0, numbers = 0;
    const double *start = nullptr, *transition = nullptr;  // [states, lanes], [states, states, lanes]
    const ClimbTable* table = nullptr;
    const double* cells = nullptr;  // [rows, numbers]
    // The log density of a state is base - |U (x - mean)|² / 2, U a lower triangle by rows.
    const double *means = nullptr, *whiteners = nullptr, *bases = nullptr;
    double *first = nullptr, *moves = nullptr;  // expected counts are added; `moves` without the factor P(move)
    double* sums = nullptr;  // [states, 1 + d + d (d + 1) / 2, lanes]: weights, deviations from the mean, products
    double *likelihoods = nullptr, *messages = nullptr, *inverses = nullptr;  // memory of [steps, states or 1, lanes]
    double* log_likelihood = nullptr;  // [lanes]: the sequence's is added, times its weight; -inf if it is impossible
};

struct ClimbSequence {
    std::size_t row = 0, steps = 0;
    double weight = 1;
};

using RunClimbs = void (*)(const ClimbPass& pass, const ClimbSequence& sequence);

RunClimbs climb_loops();

}  // namespace bayou
