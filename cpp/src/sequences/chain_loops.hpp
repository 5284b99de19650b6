// The inner loops of hidden chains, compiled for several processors. Messages are arrays [state, lane]: the states are
// padded to a multiple of four with states that nothing reaches.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bayou {

constexpr std::size_t chain_lanes = 8;
constexpr std::size_t chain_tile = 4;
constexpr double least_scale = 1e-250;  // a step with a smaller one is run again in logarithms

// A matrix in tiles of four columns: element (i, j) is at (j / 4 · rows + i) · 4 + j % 4.
struct TiledMatrix {
    const double* values = nullptr;
    std::size_t rows = 0;    // without padding
    std::size_t padded = 0;  // columns
};

struct ForwardSteps {
    TiledMatrix transition;
    const double* start = nullptr;  // [padded, lanes]; null: the steps follow others
    std::size_t steps = 0;
    const double* likelihoods = nullptr;  // [steps, padded, lanes]
    double* filtered = nullptr;           // [steps + 1, padded, lanes]; the first is that before these steps
    double* scales = nullptr;             // [steps, lanes]
    double* inverses = nullptr;           // [steps, lanes]: 1 / scale, or 0 where the scale is too small
    unsigned* risky = nullptr;            // a bit for each lane in which a positive number may have become 0
};

struct BackwardSteps {
    TiledMatrix transposed;
    bool at_start = false;
    std::size_t steps = 0;
    const double* filtered = nullptr;  // [steps + 1, padded, lanes]
    double* likelihoods = nullptr;     // becomes likelihood · message / scale
    const double* inverses = nullptr;
    const std::ptrdiff_t* last = nullptr;  // [lanes]: the step at which a lane ends, or -1
    const double* final_message = nullptr;  // [padded, lanes]
    double* message = nullptr;              // [padded, lanes], of the step after these; becomes that of the first step
    double* smoothed = nullptr;             // [steps, padded, lanes]
};

struct BestSteps {
    TiledMatrix log_transition;
    const double* log_start = nullptr;  // null: the steps follow others
    std::size_t steps = 0;
    const double* logs = nullptr;  // [steps, padded, lanes]
    double* best = nullptr;        // [steps + 1, padded, lanes]
};

// The product of many scales as mantissas, which are below 2^512 after 512 of them, and exponents, lane by lane.
struct ScaleProducts {
    double mantissa[chain_lanes], smallest[chain_lanes], largest[chain_lanes];
    std::int64_t exponent[chain_lanes];
};

struct ChainLoops {
    void (*forward)(const ForwardSteps& run, bool careful);
    void (*backward)(const BackwardSteps& run);
    // counts[i, j] += the sum over steps and lanes of before[step, i] · after[step, j]; counts is [padded, padded].
    void (*add_products)(std::size_t padded, std::size_t steps, const double* before, const double* after,
                         double* counts);
    void (*best)(const BestSteps& run);
    void (*exponentials)(const double* from, std::size_t count, double* to);  // 0 below -700
    // to[j, lane] = rows[lane][j], j below `padded`; rows[lane][j] += from[j, lane].
    void (*gather)(const double* const* rows, std::size_t padded, double* to);
    void (*scatter)(const double* from, std::size_t padded, double* const* rows);
    // Subtracts the largest of each lane, offsets[lane]; marks lanes in which another one is far below it.
    void (*subtract_largest)(double* logs, std::size_t padded, double* offsets, unsigned* risky);
    void (*multiply_scales)(const double* scales, std::size_t steps, ScaleProducts& products);
};

const ChainLoops& chain_loops();

}  // namespace bayou
