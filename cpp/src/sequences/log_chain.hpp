// One sequence in logarithms: slow, but for numbers of any size.
#pragma once

#include <cstddef>
#include <vector>

#include "bayou/sequences/hidden_chain.hpp"

namespace bayou {

struct LogChainRun {
    const HiddenChain& chain;
    const Emissions& emissions;
    std::size_t first = 0, length = 0;
    double weight = 1;
};

// Where expected counts are added. The transitions' are divided by P(state | state before), as the scaled runs leave
// them, in rows of `padded` cells.
struct LogChainCounts {
    double* start = nullptr;
    double* transition = nullptr;
    std::size_t padded = 0;
    double* end = nullptr;
    std::vector<std::vector<double>>* coded = nullptr;
    double* gaussian = nullptr;  // [state, cell, lane]: the first lane is used
};

// Returns the log-likelihood; with -inf nothing is added.
double run_log_chain(const LogChainRun& run, const ChainResults& results, const LogChainCounts& counts);

// log P(observation | state) of one row, for all states.
void emission_logs(const Emissions& emissions, std::size_t states, std::size_t row, double* logs);

}  // namespace bayou
