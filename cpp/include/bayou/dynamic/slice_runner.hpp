// Sequences run through the programs of their slices: filtered and smoothed beliefs, expected counts, best paths.
#pragma once

#include <cstdint>
#include <vector>

#include "bayou/dynamic/slice_program.hpp"

namespace bayou {

struct SliceRows {
    std::size_t rows = 0, variables = 0, sequences = 0;
    const std::uint32_t* codes = nullptr;        // [variable][row]
    std::vector<const double*> likelihoods;      // each [row][state]
    std::vector<std::size_t> likelihood_states;
    const std::int64_t* starts = nullptr;        // of sequences, and the end
    const double* weights = nullptr;             // of sequences; null: ones
    const std::uint32_t* programs = nullptr;     // the program of each row
};

// What is wanted of a run; null or empty: nothing.
struct SliceResults {
    double* logs = nullptr;                      // log P of each sequence, or of its best path
    double* step_logs = nullptr;                 // of each row given those before
    std::vector<double*> beliefs;                // of each wanted variable: [row][state]
    std::vector<std::size_t> belief_states;
    std::vector<std::vector<std::vector<double>>>* counts = nullptr;  // [program][table]: expected counts of its entries
    std::uint32_t* paths = nullptr;              // [variable][row]
};

void filter_slices(const std::vector<const SliceProgram*>& programs, const SliceRows& rows, const SliceResults& results, int threads);
// `kept_entries`: a sequence whose messages have more entries keeps those of some steps and computes the others again.
void smooth_slices(const std::vector<const SliceProgram*>& programs, const SliceRows& rows, const SliceResults& results,
                   std::size_t kept_entries, int threads);
void best_slices(const std::vector<const SliceProgram*>& programs, const SliceRows& rows, const SliceResults& results,
                 std::size_t kept_entries, int threads);

// Throws std::invalid_argument unless every row has a program whose incoming message the row before sends.
void check_slices(const std::vector<const SliceProgram*>& programs, const SliceRows& rows, const SliceResults& results);

}  // namespace bayou
