// Hidden Markov chains on many sequences: filtered and smoothed states, expected counts, best paths.
//
// Rabiner (1989), A tutorial on hidden Markov models, Proc. IEEE 77. Forward and backward messages are scaled so that
// the filtered probabilities of each step sum to 1. Eight sequences run side by side, one in each lane of a vector; a
// sequence that scaled numbers cannot hold is run again, alone, in logarithms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayou/data/codes.hpp"

namespace bayou {

// P(first state), P(state | state before) as rows, and P(ends | state); `end` is null where sequences may end anywhere.
struct HiddenChain {
    std::size_t states = 0;
    const double* start = nullptr;       // [states]
    const double* transition = nullptr;  // [states, states]
    const double* end = nullptr;         // [states] or null
};

// A column of codes whose P(code | state) is looked up; the last row of the table is that of a missing code.
struct CodedEmission {
    CodeColumn column;
    const double* table = nullptr;  // [card + 1, states]
    double* counts = nullptr;       // expected counts are added here, [card + 1, states]; null: not wanted
};

// Columns of numbers without gaps that are Gaussian given the state: with the whitener U of a state (lower triangle) the
// log density is base - |U (x - mean)|² / 2.
struct GaussianEmission {
    struct Column {
        const double* cells = nullptr;  // [rows], so many numbers apart
        std::ptrdiff_t step = 1;
        const double* place(std::size_t row) const { return cells + static_cast<std::ptrdiff_t>(row) * step; }
        double at(std::size_t row) const { return *place(row); }
    };

    std::vector<Column> columns;         // none: no such emission
    const double* means = nullptr;       // [states, columns]
    const double* whiteners = nullptr;   // [states, columns · (columns + 1) / 2]: rows of the lower triangle
    const double* bases = nullptr;       // [states]
    // Expected sums of each state are added here, [states, 1 + d + d (d + 1) / 2]: weights, deviations from the mean,
    // and their products (lower triangle); null: not wanted.
    double* sums = nullptr;

    std::size_t cells() const { return 1 + columns.size() + columns.size() * (columns.size() + 1) / 2; }
};

constexpr std::size_t most_gaussian_columns = 16;

// What the states emit, row by row: the product of the coded columns, the Gaussian ones and exp(logs).
struct Emissions {
    std::vector<CodedEmission> coded;
    const double* logs = nullptr;  // [rows, states] or null
    GaussianEmission gaussian;

    bool dense() const { return logs || !gaussian.columns.empty(); }
};

// Sequence k is rows starts[k] up to starts[k + 1]; `weights` has one number for each sequence, or is null: 1 each.
struct SequenceRows {
    const std::int64_t* starts = nullptr;
    std::size_t count = 0;
    const double* weights = nullptr;

    std::size_t first(std::size_t k) const { return static_cast<std::size_t>(starts[k]); }
    std::size_t length(std::size_t k) const { return static_cast<std::size_t>(starts[k + 1] - starts[k]); }
};

// What is wanted of a run; null: not wanted.
struct ChainResults {
    double* log_likelihoods = nullptr;  // [sequences]; -inf where the sequence is impossible
    double* step_logs = nullptr;        // [rows]: log P(observation | observations before)
    double* filtered = nullptr;         // [rows, states]: P(state | observations so far)
    double* smoothed = nullptr;         // [rows, states]: P(state | all observations), times the sequence's weight
    double* start_counts = nullptr;     // [states]
    double* transition_counts = nullptr;  // [states, states]
    double* end_counts = nullptr;         // [states]: of the last states

    bool backward(const Emissions& emissions) const {
        for (const CodedEmission& one : emissions.coded) {
            if (one.counts) return true;
        }
        return emissions.gaussian.sums || smoothed || start_counts || transition_counts || end_counts;
    }
};

// Impossible sequences add nothing to the counts, and their rows of `smoothed` stay 0.
void run_hidden_chain(const HiddenChain& chain, const Emissions& emissions, const SequenceRows& rows,
                      const ChainResults& results, int threads);

// Carry a message, in logarithms, over all rows of a block of one sequence; with `best` of the most probable paths.
// Forward: from P(state of the first row | rows before it) to P(state of the last row, the block). Backward: from
// P(rows after the block | state of its last row) to P(the block and those rows | state of its first row). The message is
// divided by its largest entry, whose logarithm is returned: log odds of states keep their digits over any number of rows.
// If nothing is possible, all of it is -inf.
double carry_message(const HiddenChain& chain, const Emissions& emissions, std::size_t rows, bool backward, bool best,
                     double* message);

// The most probable states of each sequence (of several, the first in order of the last state that differs), and their
// log probability; an impossible sequence has -inf and states 0.
void best_paths(const HiddenChain& chain, const Emissions& emissions, const SequenceRows& rows, std::uint32_t* states,
                double* log_probabilities, int threads);

}  // namespace bayou
