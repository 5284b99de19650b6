// The graph of factors and variables on which messages are sent, with the current messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayou/loopy/loopy_propagation.hpp"

namespace bayou {

// A factor of at least two variables; its messages are the edges first_edge, first_edge + 1, … in the order of its axes.
struct GraphFactor {
    const LoopyFactor* given = nullptr;
    std::size_t first_edge = 0, cells = 1;
    const double* values = nullptr;        // not as logs
    std::vector<double> converted;         // the values of a table that was given in logs
    double log_least = 0, log_most = 0;    // of the positive values
    bool fits_doubles = true;              // whether the values could be converted without underflow
};

// A connected part of the graph. Factors are in order of their distance from a root; sent in the opposite order and
// then in this one, messages go from the ends of the graph to the root and back.
struct GraphPart {
    std::vector<std::uint32_t> variables, factors;
    bool is_tree = true;
};

class LoopyGraph {
  public:
    LoopyGraph(const std::vector<std::uint32_t>& cards, const std::vector<LoopyFactor>& factors);

    const std::vector<std::uint32_t>& cards;
    std::vector<GraphFactor> factors;
    std::vector<GraphPart> parts;
    double log_constant = 0;  // of factors without variables and of the scales of those with one; may be -infinity

    // By edge: where its message starts.
    std::vector<std::size_t> edge_start;
    std::vector<double> message_logs, messages;  // the largest value of each message is 1

    // By variable: where its states start. The product of the messages to a state is 0 if `zeros` is above 0, else
    // exp(log_product).
    std::vector<std::size_t> state_start;
    std::vector<double> log_products;
    std::vector<std::uint32_t> zeros;

    // Multiply the messages to the variables of a part anew, so that rounding errors of many changes do not add up.
    void multiply_messages(const GraphPart& part);

    // The logs of the product of all messages to a variable except this edge's, the largest of them 0. Returns the
    // distance from the largest to the smallest finite one; -1 if no state is possible.
    double other_messages(std::size_t edge, std::uint32_t variable, double* logs) const;

    // Set a message, of which the largest log is 0.
    void set_message(std::size_t edge, std::uint32_t variable, const double* logs, const double* values);

    // The belief of a variable (its product of messages, divided by its sum); returns the log of that sum.
    double belief(std::uint32_t variable, double* into) const;

  private:
    void add_single(const LoopyFactor& factor);
    void add_factor(const LoopyFactor& factor);
    void connect();

    std::vector<double> own_logs_;             // of the factors of a single variable, by state
    std::vector<std::uint32_t> own_zeros_;
    std::vector<std::uint8_t> is_used_;        // whether a variable is in any factor
    std::vector<std::vector<std::uint32_t>> factors_of_;
};

}  // namespace bayou
