// Loopy belief propagation: sum-product messages on a graph of factors, sent again and again until they stop changing.
//     variable v to factor f:   c(x) = product of the messages to v of all its other factors
//     factor f to variable v:   m(x) = sum over the other variables of f of  table(f) * their messages c
//     belief of v:              b(x) = product of all messages to v, divided by its sum
// On a graph without cycles the first sweep gives the exact marginals, otherwise they are approximate. Pearl (1988),
// Probabilistic Reasoning in Intelligent Systems; Kschischang, Frey and Loeliger (2001), Factor graphs and the
// sum-product algorithm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bayou {

// A table over different variables, in the order of its axes (the last one changes fastest).
struct LoopyFactor {
    std::vector<std::uint32_t> scope;
    const double* table = nullptr;
    bool in_logs = false;  // whether the table has logarithms
};

struct LoopyLimits {
    double tolerance = 0;    // messages that change by no more than this have converged
    std::size_t sweeps = 0;  // the most sweeps, each from the ends of the graph to a root and back
};

struct LoopyResult {
    // log of the sum over all states of the product of all tables, by Bethe's approximation (exact without cycles);
    // minus infinity if messages proved that no states are possible.
    double log_total = 0;
    double residual = 0;     // the largest change of a message in the last sweep; the largest value of a message is 1
    std::size_t sweeps = 0;  // of the part of the graph that took the most
    bool is_forest = true;   // whether the graph has no cycle
};

// `beliefs` takes the beliefs of all variables, one after the other. The unconnected parts of the graph are run side by
// side; the result does not depend on the number of threads.
LoopyResult loopy_beliefs(const std::vector<std::uint32_t>& cards, const std::vector<LoopyFactor>& factors,
                          const LoopyLimits& limits, int threads, double* beliefs);

}  // namespace bayou
