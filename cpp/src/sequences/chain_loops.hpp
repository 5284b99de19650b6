// The inner loops of hidden chains, compiled for several processors. Messages are arrays [state, lane].
#pragma once

#include <cstddef>
#include <cstdint>

#include "chain_lanes.hpp"

namespace bayou {

constexpr double least_scale = 1e-250;  // a step with a smaller one is run again in logarithms

// A matrix in tiles of four columns: element (i, j) is at (j / 4 · rows + i) · 4 + j % 4.
struct TiledMatrix {
    const double* values = nullptr;
    std::size_t rows = 0;    // without padding
    std::size_t padded = 0;  // columns
};

// A step's message is P(state, observation | observations before). Its sum is the step's scale, by which the *next* step
// divides: so no step waits for the division.
struct ForwardSteps {
    TiledMatrix transition;
    const double* start = nullptr;  // [padded, lanes]; null: the steps follow others
    std::size_t steps = 0;
    const double* likelihoods = nullptr;  // [steps, padded, lanes]
    double* messages = nullptr;           // [steps + 1, padded, lanes]; the first is that before these steps
    double* scales = nullptr;             // [steps, lanes]
    double* inverses = nullptr;  // [steps + 1, lanes]: 1 / scale, or 0 where it is too small; first: before these steps
    unsigned* risky = nullptr;   // a bit for each lane in which a positive number may have become 0
};

// The message back to a step is P(observations after | state) / P(observations after | observations so far), divided by
// the step's scale: times the message forward it is the smoothed state.
struct BackwardSteps {
    TiledMatrix transposed;
    bool at_start = false;
    std::size_t steps = 0;
    const double* messages = nullptr;  // forward, [steps + 1, padded, lanes]
    double* likelihoods = nullptr;     // becomes likelihood · message back / scale of the step before
    const double* inverses = nullptr;  // [steps + 1, lanes]
    const std::ptrdiff_t* last = nullptr;   // [lanes]: the step at which a lane ends, or -1
    const double* final_message = nullptr;  // [padded, lanes]
    double* back = nullptr;      // [padded, lanes], of the last of these steps; becomes that of the step before them
    double* smoothed = nullptr;  // [steps, padded, lanes]
};

struct BestSteps {
    TiledMatrix log_transition;
    const double* log_start = nullptr;  // null: the steps follow others
    std::size_t steps = 0;
    const double* logs = nullptr;  // [steps, padded, lanes]
    double* best = nullptr;        // [steps + 1, padded, lanes]
};

// The way back along the best paths, all lanes at once.
struct TraceSteps {
    const double* into = nullptr;  // [padded, padded]: log P(state | state before), in rows of the state
    std::size_t padded = 0, steps = 0;
    const double* best = nullptr;          // [steps + 1, padded, lanes]
    const std::ptrdiff_t* last = nullptr;  // [lanes]: the step at which a lane ends, or -1
    const std::uint32_t* final_state = nullptr;
    std::uint32_t* state = nullptr;  // [lanes], of the step after these; becomes that of the first of them
    std::uint32_t* path = nullptr;   // [steps, lanes]
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
    void (*trace)(const TraceSteps& run);
    void (*multiply_scales)(const double* scales, std::size_t steps, ScaleProducts& products);
};

const ChainLoops& chain_loops();

}  // namespace bayou
