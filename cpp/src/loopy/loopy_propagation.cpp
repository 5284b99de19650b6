#include "bayou/loopy/loopy_propagation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "bayou/base/interrupt.hpp"
#include "bayou/base/threads.hpp"
#include "bayou/base/wide_number.hpp"
#include "factor_messages.hpp"
#include "loopy_graph.hpp"

namespace bayou {

namespace {

constexpr double impossible = -std::numeric_limits<double>::infinity();
constexpr double safe_range = 690;            // logs of products of doubles that keep all their digits
constexpr std::size_t small_graph = 1 << 14;  // in table entries: not worth a second thread

// Messages that oscillate are damped: log m = share * log(old m) + (1 - share) * log(new m). Every `window` sweeps the
// share goes a step up this ladder if the residual has not fallen below `progress` times that of the window before.
constexpr double damping_ladder[] = {0.0, 0.5, 0.8, 0.95};
constexpr std::size_t damping_steps = 4, damping_window = 20;
constexpr double progress = 0.9;

// Sends the messages of one part of the graph.
class PartRun {
  public:
    PartRun(LoopyGraph& graph, const GraphPart& part) : graph_(graph), part_(part) {}

    LoopyResult run(const LoopyLimits& limits) {
        LoopyResult result;
        result.is_forest = part_.is_tree;
        result.residual = part_.factors.empty() ? 0 : std::numeric_limits<double>::infinity();
        double best = result.residual, best_before = result.residual;
        std::size_t step = 0;
        while (!part_.factors.empty() && result.residual > limits.tolerance && result.sweeps < limits.sweeps) {
            if (!sweep(damping_ladder[step])) break;
            ++result.sweeps;
            result.residual = residual_;
            best = std::min(best, residual_);
            if (result.sweeps % damping_window) continue;
            if (best > progress * best_before) {
                if (++step == damping_steps) break;
                best_before = std::numeric_limits<double>::infinity();
            } else {
                best_before = best;
            }
            best = std::numeric_limits<double>::infinity();
        }
        result.log_total = is_possible_ ? log_total() : impossible;
        return result;
    }

  private:
    // Returns false if the messages prove that no states are possible.
    bool sweep(double damping) {
        residual_ = 0;
        graph_.multiply_messages(part_);
        for (auto at = part_.factors.rbegin(); at != part_.factors.rend(); ++at) {
            if (!visit(graph_.factors[*at], damping)) return false;
        }
        for (const std::uint32_t at : part_.factors) {
            if (!visit(graph_.factors[at], damping)) return false;
        }
        return true;
    }

    // Send all messages of a factor.
    bool visit(const GraphFactor& factor, double damping) {
        stop_if_interrupted();
        is_possible_ = receive(factor) && (is_wide_ ? send(factor, wide_, damping) : send(factor, doubles_, damping));
        return is_possible_;
    }

    // Collect the messages that a factor gets, and choose the numbers that cannot underflow.
    bool receive(const GraphFactor& factor) {
        const std::vector<std::uint32_t>& scope = factor.given->scope;
        std::size_t states = 0;
        double range = 0;
        for (const std::uint32_t variable : scope) states += graph_.cards[variable];
        logs_.resize(states);
        states = 0;
        for (std::size_t axis = 0; axis < scope.size(); ++axis) {
            const double distance = graph_.other_messages(factor.first_edge + axis, scope[axis], &logs_[states]);
            if (distance < 0) return false;
            range += distance;
            states += graph_.cards[scope[axis]];
        }
        is_wide_ = !factor.fits_doubles || factor.log_least - range < -safe_range || factor.log_most > safe_range;
        return true;
    }

    template <class Number>
    void compute(const GraphFactor& factor, FactorMessages<Number>& numbers) {
        numbers.sizes.clear();
        for (const std::uint32_t variable : factor.given->scope) numbers.sizes.push_back(graph_.cards[variable]);
        numbers.incoming.resize(logs_.size());
        if constexpr (std::is_same_v<Number, double>) {
            for (std::size_t at = 0; at < logs_.size(); ++at) numbers.incoming[at] = std::exp(logs_[at]);
            numbers.send(factor.values);
        } else {
            for (std::size_t at = 0; at < logs_.size(); ++at) numbers.incoming[at] = Number::from_log(logs_[at]);
            wide_table_.resize(factor.cells);
            for (std::size_t cell = 0; cell < factor.cells; ++cell) {
                const double value = factor.values[cell];
                wide_table_[cell] = factor.fits_doubles ? Number(value) : Number::from_log(value);
            }
            numbers.send(wide_table_.data());
        }
    }

    template <class Number>
    bool send(const GraphFactor& factor, FactorMessages<Number>& numbers, double damping) {
        compute(factor, numbers);
        std::size_t first = 0;
        for (std::size_t axis = 0; axis < numbers.sizes.size(); ++axis) {
            const std::size_t edge = factor.first_edge + axis;
            if (!normalise(&numbers.outgoing[first], numbers.sizes[axis])) return false;
            const double* before = &graph_.messages[graph_.edge_start[edge]];
            for (std::size_t state = 0; state < values_.size(); ++state) {
                residual_ = std::max(residual_, std::abs(values_[state] - before[state]));
            }
            if (damping > 0) damp(&graph_.message_logs[graph_.edge_start[edge]], damping);
            graph_.set_message(edge, factor.given->scope[axis], new_logs_.data(), values_.data());
            first += numbers.sizes[axis];
        }
        return true;
    }

    template <class Number>
    bool normalise(const Number* message, std::size_t size) {
        Number most = message[0];
        for (std::size_t state = 1; state < size; ++state) most = most < message[state] ? message[state] : most;
        if (!(most > Number(0))) return false;
        const double log_most = log_of(most);
        new_logs_.resize(size);
        values_.resize(size);
        for (std::size_t state = 0; state < size; ++state) {
            new_logs_[state] = message[state] > Number(0) ? log_of(message[state]) - log_most : impossible;
            values_[state] = static_cast<double>(message[state] / most);
        }
        return true;
    }

    // A state that the new message excludes stays excluded: that is proved, whatever the other messages are.
    void damp(const double* before, double damping) {
        double most = impossible;
        for (std::size_t state = 0; state < new_logs_.size(); ++state) {
            double& log = new_logs_[state];
            if (log != impossible && before[state] != impossible) log = damping * before[state] + (1 - damping) * log;
            most = std::max(most, log);
        }
        for (std::size_t state = 0; state < new_logs_.size(); ++state) {
            new_logs_[state] -= most;
            values_[state] = std::exp(new_logs_[state]);
        }
    }

    // Bethe's approximation: the sum over the factors of log Σ table * incoming messages, plus that over the variables
    // of log Σ product of messages, less that over the edges of log Σ message * opposite message. The scales of
    // messages cancel. Yedidia, Freeman and Weiss (2005), Constructing free-energy approximations and generalized
    // belief propagation algorithms.
    double log_total() {
        graph_.multiply_messages(part_);
        double total = 0;
        for (const std::uint32_t variable : part_.variables) {
            values_.resize(graph_.cards[variable]);
            total += graph_.belief(variable, values_.data());
        }
        for (const std::uint32_t number : part_.factors) {
            // Minus infinity once is minus infinity for good: the sums over edges would be that, too.
            if (total == impossible) break;
            const GraphFactor& factor = graph_.factors[number];
            if (!receive(factor)) return impossible;
            total += is_wide_ ? log_of_factor(factor, wide_) : log_of_factor(factor, doubles_);
        }
        return total;
    }

    template <class Number>
    double log_of_factor(const GraphFactor& factor, FactorMessages<Number>& numbers) {
        compute(factor, numbers);
        if (!(numbers.total > Number(0))) return impossible;
        double total = log_of(numbers.total);
        std::size_t first = 0;
        for (std::size_t axis = 0; axis < numbers.sizes.size(); ++axis) {
            const double* message = &graph_.message_logs[graph_.edge_start[factor.first_edge + axis]];
            Number sum(0);
            for (std::size_t state = 0; state < numbers.sizes[axis]; ++state) {
                if constexpr (std::is_same_v<Number, double>) {
                    sum += std::exp(message[state]) * numbers.incoming[first + state];
                } else {
                    sum += Number::from_log(message[state]) * numbers.incoming[first + state];
                }
            }
            total -= log_of(sum);
            first += numbers.sizes[axis];
        }
        return total;
    }

    LoopyGraph& graph_;
    const GraphPart& part_;
    double residual_ = 0;
    bool is_possible_ = true, is_wide_ = false;
    std::vector<double> logs_, new_logs_, values_;
    FactorMessages<double> doubles_;
    FactorMessages<WideNumber> wide_;
    std::vector<WideNumber> wide_table_;
};

}  // namespace

LoopyResult loopy_beliefs(const std::vector<std::uint32_t>& cards, const std::vector<LoopyFactor>& factors,
                          const LoopyLimits& limits, int threads, double* beliefs) {
    LoopyGraph graph(cards, factors);
    LoopyResult result;
    result.log_total = graph.log_constant;
    if (graph.log_constant == impossible) return result;
    std::size_t cells = 0;
    for (const GraphFactor& factor : graph.factors) cells += factor.cells;
    std::vector<LoopyResult> found(graph.parts.size());
    parallel_for(graph.parts.size(), cells < small_graph ? 1 : threads, [&](std::size_t at, int) {
        found[at] = PartRun(graph, graph.parts[at]).run(limits);
    });
    for (const LoopyResult& part : found) {
        result.log_total += part.log_total;
        result.residual = std::max(result.residual, part.residual);
        result.sweeps = std::max(result.sweeps, part.sweeps);
        result.is_forest = result.is_forest && part.is_forest;
    }
    for (std::uint32_t variable = 0; variable < cards.size(); ++variable) {
        graph.belief(variable, beliefs + graph.state_start[variable]);
    }
    return result;
}

}  // namespace bayou
