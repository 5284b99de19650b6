#include "loopy_graph.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bayou {

namespace {

constexpr double no_log = -std::numeric_limits<double>::infinity();
constexpr double double_range = 690;  // e^-690 is still a double with all its digits

}  // namespace

LoopyGraph::LoopyGraph(const std::vector<std::uint32_t>& given_cards, const std::vector<LoopyFactor>& given)
    : cards(given_cards), state_start{0}, is_used_(given_cards.size()), factors_of_(given_cards.size()) {
    for (const std::uint32_t card : cards) state_start.push_back(state_start.back() + card);
    own_logs_.resize(state_start.back());
    own_zeros_.resize(state_start.back());
    edge_start.push_back(0);
    for (const LoopyFactor& factor : given) {
        for (const std::uint32_t variable : factor.scope) is_used_[variable] = 1;
        if (factor.scope.empty()) {
            log_constant += factor.in_logs ? *factor.table : std::log(*factor.table);
        } else if (factor.scope.size() == 1) {
            add_single(factor);
        } else {
            add_factor(factor);
        }
    }
    message_logs.assign(edge_start.back(), 0.0);
    messages.assign(edge_start.back(), 1.0);
    log_products = own_logs_;
    zeros = own_zeros_;
    connect();
}

void LoopyGraph::add_single(const LoopyFactor& factor) {
    const std::size_t first = state_start[factor.scope[0]], card = cards[factor.scope[0]];
    double most = no_log;
    for (std::size_t state = 0; state < card; ++state) {
        most = std::max(most, factor.in_logs ? factor.table[state] : std::log(factor.table[state]));
    }
    for (std::size_t state = 0; state < card; ++state) {
        const double log = factor.in_logs ? factor.table[state] : std::log(factor.table[state]);
        if (log == no_log) {
            ++own_zeros_[first + state];
        } else {
            own_logs_[first + state] += log - most;
        }
    }
    log_constant += most;
}

void LoopyGraph::add_factor(const LoopyFactor& factor) {
    GraphFactor added;
    added.given = &factor;
    added.first_edge = edge_start.size() - 1;
    for (const std::uint32_t variable : factor.scope) {
        added.cells *= cards[variable];
        edge_start.push_back(edge_start.back() + cards[variable]);
        factors_of_[variable].push_back(static_cast<std::uint32_t>(factors.size()));
    }
    double least = std::numeric_limits<double>::infinity(), most = factor.in_logs ? no_log : 0.0;
    for (std::size_t cell = 0; cell < added.cells; ++cell) {
        const double value = factor.table[cell];
        most = std::max(most, value);
        if (value > (factor.in_logs ? no_log : 0.0)) least = std::min(least, value);
    }
    added.values = factor.table;
    if (!factor.in_logs) {
        added.log_least = std::log(least);
        added.log_most = std::log(most);
    } else if (most > no_log) {
        log_constant += most;
        added.log_least = least - most;
        added.fits_doubles = most - least <= double_range;
        added.converted.resize(added.cells);
        for (std::size_t cell = 0; cell < added.cells; ++cell) {
            // Without fits_doubles these stay logs.
            const double log = factor.table[cell] - most;
            added.converted[cell] = added.fits_doubles ? std::exp(log) : log;
        }
        added.values = added.converted.data();
    }
    if (most == (factor.in_logs ? no_log : 0.0)) log_constant = no_log;
    factors.push_back(std::move(added));
}

// Breadth first from the variable with the smallest number of each part.
void LoopyGraph::connect() {
    std::vector<std::uint8_t> factor_seen(factors.size()), variable_seen(cards.size());
    for (std::uint32_t start = 0; start < cards.size(); ++start) {
        if (variable_seen[start] || !is_used_[start]) continue;
        GraphPart part;
        std::size_t edges = 0;
        part.variables.push_back(start);
        variable_seen[start] = 1;
        for (std::size_t at = 0; at < part.variables.size(); ++at) {
            for (const std::uint32_t factor : factors_of_[part.variables[at]]) {
                if (factor_seen[factor]) continue;
                factor_seen[factor] = 1;
                part.factors.push_back(factor);
                for (const std::uint32_t variable : factors[factor].given->scope) {
                    ++edges;
                    if (variable_seen[variable]) continue;
                    variable_seen[variable] = 1;
                    part.variables.push_back(variable);
                }
            }
        }
        part.is_tree = edges + 1 == part.variables.size() + part.factors.size();
        parts.push_back(std::move(part));
    }
}

void LoopyGraph::multiply_messages(const GraphPart& part) {
    for (const std::uint32_t variable : part.variables) {
        for (std::size_t at = state_start[variable]; at < state_start[variable + 1]; ++at) {
            log_products[at] = own_logs_[at];
            zeros[at] = own_zeros_[at];
        }
    }
    for (const std::uint32_t number : part.factors) {
        const GraphFactor& factor = factors[number];
        for (std::size_t axis = 0; axis < factor.given->scope.size(); ++axis) {
            const std::size_t first = state_start[factor.given->scope[axis]];
            const std::size_t from = edge_start[factor.first_edge + axis], to = edge_start[factor.first_edge + axis + 1];
            for (std::size_t at = from; at < to; ++at) {
                if (message_logs[at] == no_log) {
                    ++zeros[first + at - from];
                } else {
                    log_products[first + at - from] += message_logs[at];
                }
            }
        }
    }
}

double LoopyGraph::other_messages(std::size_t edge, std::uint32_t variable, double* logs) const {
    const std::size_t card = cards[variable];
    const double* products = &log_products[state_start[variable]];
    const std::uint32_t* none = &zeros[state_start[variable]];
    const double* own = &message_logs[edge_start[edge]];
    double most = no_log, least = std::numeric_limits<double>::infinity();
    for (std::size_t state = 0; state < card; ++state) {
        const bool own_zero = own[state] == no_log;
        logs[state] = none[state] > own_zero ? no_log : products[state] - (own_zero ? 0.0 : own[state]);
        if (logs[state] == no_log) continue;
        most = std::max(most, logs[state]);
        least = std::min(least, logs[state]);
    }
    if (most == no_log) return -1;
    for (std::size_t state = 0; state < card; ++state) logs[state] -= most;
    return most - least;
}

void LoopyGraph::set_message(std::size_t edge, std::uint32_t variable, const double* logs, const double* values) {
    const std::size_t first = state_start[variable], from = edge_start[edge];
    for (std::size_t state = 0; state < cards[variable]; ++state) {
        double& held = message_logs[from + state];
        if (held == no_log) {
            --zeros[first + state];
        } else {
            log_products[first + state] -= held;
        }
        held = logs[state];
        messages[from + state] = values[state];
        if (held == no_log) {
            ++zeros[first + state];
        } else {
            log_products[first + state] += held;
        }
    }
}

double LoopyGraph::belief(std::uint32_t variable, double* into) const {
    const std::size_t first = state_start[variable], card = cards[variable];
    double most = no_log, sum = 0;
    for (std::size_t state = 0; state < card; ++state) {
        if (zeros[first + state] == 0) most = std::max(most, log_products[first + state]);
    }
    if (most == no_log) return no_log;
    for (std::size_t state = 0; state < card; ++state) {
        into[state] = zeros[first + state] ? 0.0 : std::exp(log_products[first + state] - most);
        sum += into[state];
    }
    for (std::size_t state = 0; state < card; ++state) into[state] /= sum;
    return most + std::log(sum);
}

}  // namespace bayou
