#include "bayou/sampling/row_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "bayou/base/threads.hpp"
#include "bayou/tables/sampling.hpp"
#include "sampler_block.hpp"

namespace bayou {

namespace {

constexpr std::size_t rows_a_task = 16384;
constexpr double above_all = 2.0;  // a threshold that no random number reaches

// The cumulative probabilities of each row but the last. States after the last possible one, which takes what rounding
// leaves below 1, are put out of reach.
std::vector<double> thresholds_of(const std::vector<double>& values, std::uint32_t states) {
    const std::size_t groups = values.size() / states;
    std::vector<double> thresholds(groups * (states - 1));
    for (std::size_t group = 0; group < groups; ++group) {
        const double* row = values.data() + group * states;
        double* out = thresholds.data() + group * (states - 1);
        std::uint32_t last = 0;
        double before = 0.0;
        for (std::uint32_t state = 0; state < states; ++state) {
            if (!(row[state] >= 0.0)) throw std::invalid_argument("a table has a negative entry, or one that is no number");
            const double sum = before + row[state];
            if (sum != before) last = state;
            if (state + 1 < states) out[state] = sum;
            before = sum;
        }
        for (std::uint32_t state = last; state + 1 < states; ++state) out[state] = above_all;
    }
    return thresholds;
}

std::vector<double> logs_of(const std::vector<double>& values) {
    std::vector<double> logs(values.size());
    for (std::size_t at = 0; at < values.size(); ++at) {
        if (!(values[at] >= 0.0)) throw std::invalid_argument("a weight is negative, or no number");
        logs[at] = std::log(values[at]);
    }
    return logs;
}

// One state for each row: how many thresholds its random number has reached.
void find_states(const double* thresholds, std::size_t width, const std::uint32_t* groups, const double* u,
                 std::size_t rows, std::uint32_t* out) {
    if (width == 1) {
        for (std::size_t row = 0; row < rows; ++row) out[row] = u[row] >= thresholds[groups[row]];
    } else if (width <= 16) {
        for (std::size_t row = 0; row < rows; ++row) {
            const double* own = thresholds + groups[row] * width;
            std::uint32_t state = 0;  // counted without a branch, which random numbers would mispredict
            for (std::size_t at = 0; at < width; ++at) state += u[row] >= own[at];
            out[row] = state;
        }
    } else {
        for (std::size_t row = 0; row < rows; ++row) {
            const double* own = thresholds + groups[row] * width;
            out[row] = static_cast<std::uint32_t>(std::upper_bound(own, own + width, u[row]) - own);
        }
    }
}

template <typename Code>
void narrow(const std::uint32_t* codes, std::size_t rows, void* column, std::size_t first) {
    Code* out = static_cast<Code*>(column) + first;
    for (std::size_t row = 0; row < rows; ++row) out[row] = static_cast<Code>(codes[row]);
}

}  // namespace

RowSampler::RowSampler(std::vector<std::uint32_t> cards, const std::vector<SamplerStep>& steps,
                       const std::vector<SamplerTable>& weights)
    : cards_(std::move(cards)) {
    std::vector<char> drawn(cards_.size());
    for (const SamplerStep& step : steps) add_step(step, drawn);
    for (const SamplerTable& table : weights) {
        log_weights_.push_back({place_of(table, table.scope.size(), drawn), logs_of(table.values)});
        weighted_ = true;
    }
    for (std::size_t variable = 0; variable < drawn.size(); ++variable) {
        if (!drawn[variable]) throw std::invalid_argument("variable " + std::to_string(variable) + " is not drawn by any step");
    }
}

void RowSampler::add_step(const SamplerStep& given, std::vector<char>& drawn) {
    const std::string name = "variable " + std::to_string(given.variable);
    if (given.variable >= cards_.size() || cards_[given.variable] == 0) throw std::invalid_argument(name + " has no states");
    if (drawn[given.variable]) throw std::invalid_argument(name + " is drawn twice");
    if (given.factors.empty()) throw std::invalid_argument(name + " has no table to be drawn from");
    Step step{given.variable, cards_[given.variable], given.stream, {}, {}, {}, {}};
    for (const SamplerTable& table : given.factors) {
        if (table.scope.empty() || table.scope.back() != given.variable) {
            throw std::invalid_argument(name + " must be the last in the scopes of its tables");
        }
    }
    for (const SamplerTable& table : given.divisors) {
        step.log_divisors.push_back({place_of(table, table.scope.size(), drawn), logs_of(table.values)});
    }
    if (given.factors.size() == 1 && given.divisors.empty()) {
        step.place = place_of(given.factors[0], given.factors[0].scope.size() - 1, drawn);
        for (std::uint32_t& stride : step.place.strides) stride /= step.states;
        step.thresholds = thresholds_of(given.factors[0].values, step.states);
    } else {
        for (const SamplerTable& table : given.factors) {
            step.factors.push_back({place_of(table, table.scope.size() - 1, drawn), table.values});
        }
        weighted_ = true;
    }
    drawn[given.variable] = 1;
    steps_.push_back(std::move(step));
}

// The strides of the first `axes` variables of a table's scope.
TablePlace RowSampler::place_of(const SamplerTable& table, std::size_t axes, const std::vector<char>& drawn) const {
    if (checked_cells(table.scope, cards_) != table.values.size()) {
        throw std::invalid_argument("a table does not fit its scope");
    }
    TablePlace place;
    std::uint32_t stride = 1;
    for (std::size_t axis = table.scope.size(); axis-- > 0;) {
        const std::uint32_t variable = table.scope[axis];
        if (axis < axes) {
            if (!drawn[variable]) {
                throw std::invalid_argument("a table needs variable " + std::to_string(variable) + " before it is drawn");
            }
            place.variables.push_back(variable), place.strides.push_back(stride);
        }
        stride *= cards_[variable];
    }
    return place;
}

// Draws rows first_row … first_row + rows − 1 into the block, with the logs of their weights.
void RowSampler::fill(Block& block, std::uint64_t seed, std::uint64_t first_row, std::size_t rows) const {
    if (weighted_) std::fill_n(block.log_weights, rows, 0.0);
    for (const Step& step : steps_) {
        uniforms({seed, step.stream, first_row}, rows, block.uniforms);
        if (!step.factors.empty()) {
            draw_from_product(step, block, rows);
            continue;
        }
        std::uint32_t* out = block.of(step.variable);
        if (step.states == 1) {
            std::fill_n(out, rows, 0u);
            continue;
        }
        block.find(step.place, rows);
        find_states(step.thresholds.data(), step.states - 1, block.index, block.uniforms, rows, out);
    }
    for (const Factor& factor : log_weights_) {
        block.find(factor.place, rows);
        for (std::size_t row = 0; row < rows; ++row) block.log_weights[row] += factor.values[block.index[row]];
    }
}

void RowSampler::draw_from_product(const Step& step, Block& block, std::size_t rows) const {
    const std::size_t states = step.states;
    block.products.assign(rows * states, 1.0);
    for (const Factor& factor : step.factors) {
        block.find(factor.place, rows);
        for (std::size_t row = 0; row < rows; ++row) {
            const double* values = factor.values.data() + block.index[row];
            for (std::size_t state = 0; state < states; ++state) block.products[row * states + state] *= values[state];
        }
    }
    std::uint32_t* out = block.of(step.variable);
    for (std::size_t row = 0; row < rows; ++row) {
        const double* p = block.products.data() + row * states;
        double total = 0.0;
        for (std::size_t state = 0; state < states; ++state) total += p[state];
        const double reached = block.uniforms[row] * total;
        std::uint32_t found = 0;
        double sum = 0.0;
        for (std::uint32_t state = 0; state < states; ++state) {
            if (p[state] > 0.0) found = state;
            sum += p[state];
            if (sum > reached) break;
        }
        out[row] = found;
        block.log_weights[row] += std::log(total);
    }
    for (const Factor& divisor : step.log_divisors) {
        block.find(divisor.place, rows);
        for (std::size_t row = 0; row < rows; ++row) {
            if (block.log_weights[row] != no_weight) block.log_weights[row] -= divisor.values[block.index[row]];
        }
    }
}

void RowSampler::draw(std::uint64_t seed, std::uint64_t first_row, std::size_t n,
                      std::span<const std::uint32_t> variables, std::span<void* const> columns, double* log_weights,
                      int threads) const {
    std::vector<Block> blocks(usable_threads(threads), Block(cards_.size()));
    parallel_for((n + rows_a_task - 1) / rows_a_task, threads, [&](std::size_t task, int worker) {
        Block& block = blocks[worker];
        const std::size_t end = std::min(n, (task + 1) * rows_a_task);
        for (std::size_t first = task * rows_a_task; first < end; first += rows_at_once) {
            const std::size_t rows = std::min(rows_at_once, end - first);
            fill(block, seed, first_row + first, rows);
            if (log_weights) {
                for (std::size_t row = 0; row < rows; ++row) log_weights[first + row] = weighted_ ? block.log_weights[row] : 0.0;
            }
            for (std::size_t at = 0; at < variables.size(); ++at) {
                const std::uint32_t card = cards_[variables[at]];
                const std::uint32_t* codes = block.of(variables[at]);
                if (card <= 0xFF) narrow<std::uint8_t>(codes, rows, columns[at], first);
                else if (card <= 0xFFFF) narrow<std::uint16_t>(codes, rows, columns[at], first);
                else narrow<std::uint32_t>(codes, rows, columns[at], first);
            }
        }
    });
}

}  // namespace bayou
