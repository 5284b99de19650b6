// The inner loops of what states emit, compiled for several processors: likelihoods [step, state, lane] from tables and
// from Gaussian columns, and expected counts and moments from smoothed states.
#pragma once

#include <cstddef>

#include "bayou/sequences/hidden_chain.hpp"
#include "chain_lanes.hpp"

namespace bayou {

enum class Taking { write, multiply, add };

// The parameters of a GaussianEmission.
struct GaussianStates {
    std::size_t states = 0, columns = 0;
    const double* means = nullptr;      // [states, columns]
    const double* whiteners = nullptr;  // [states, columns · (columns + 1) / 2]: rows of the lower triangle
    const double* bases = nullptr;      // [states]
};

// A column of codes and a table of rows [padded]: one for each code, one for missing cells (code `card` or a larger
// one), and one for lanes that have ended.
struct TableRows {
    const void* codes = nullptr;
    int bytes = 1;  // of a code: 1, 2 or 4
    std::size_t card = 0;
    const double* table = nullptr;
    std::size_t first[chain_lanes];  // row of the lanes' first step
    std::size_t steps[chain_lanes];  // how many the lanes have; 0: an ended lane
};

struct EmissionLoops {
    // to[step, j, lane] = rows[step, lane][j], j below `padded`.
    void (*gather)(const double* const* rows, std::size_t steps, std::size_t padded, double* to);
    // to[step, j, lane] is, or is multiplied or increased by, the j-th number of the row of the lane's code.
    void (*look_up)(const TableRows& rows, std::size_t steps, std::size_t padded, Taking how, double* to);
    // rows[lane][j] += from[j, lane].
    void (*scatter)(const double* from, std::size_t padded, double* const* rows);
    // logs[step, state, lane] += log density of numbers[step, column, lane].
    void (*add_densities)(const GaussianStates& states, std::size_t padded, std::size_t steps, const double* numbers,
                          double* logs);
    // sums[state, cell, lane] += what GaussianEmission::sums has, with weights[step, state, lane].
    void (*add_moments)(const GaussianStates& states, std::size_t padded, std::size_t steps, const double* numbers,
                        const double* weights, double* sums);
    // Subtracts the largest of each lane, offsets[lane]; marks lanes in which another one is far below it.
    void (*subtract_largest)(double* logs, std::size_t padded, double* offsets, unsigned* risky);
    void (*exponentials)(double* values, std::size_t count);  // 0 below -700; count is a multiple of four
};

const EmissionLoops& emission_loops();

}  // namespace bayou
