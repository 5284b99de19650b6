#include "bayou/sampling/row_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "bayou/base/interrupt.hpp"
#include "bayou/base/threads.hpp"
#include "bayou/tables/sampling.hpp"

namespace bayou {

namespace {

constexpr std::size_t rows_at_once = 128;
constexpr std::size_t rows_a_task = 16384;
constexpr double above_all = 2.0;  // a threshold that no random number reaches
constexpr double no_weight = -std::numeric_limits<double>::infinity();

std::uint32_t checked_cells(const std::vector<std::uint32_t>& scope, const std::vector<std::uint32_t>& cards) {
    std::uint64_t cells = 1;
    for (const std::uint32_t variable : scope) {
        if (variable >= cards.size()) throw std::invalid_argument("a scope names a variable without states");
        cells *= cards[variable];
        if (cells > UINT32_MAX) throw std::invalid_argument("a table has more than 2**32 cells");
    }
    return static_cast<std::uint32_t>(cells);
}

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

// The rows that are drawn together: codes variable by variable, and what they need meanwhile.
struct RowSampler::Block {
    explicit Block(std::size_t variables) : codes(variables * rows_at_once) {}
    std::uint32_t* of(std::uint32_t variable) { return codes.data() + variable * rows_at_once; }

    void find(const TablePlace& place, std::size_t rows) {
        if (place.variables.empty()) std::fill_n(index, rows, 0u);
        for (std::size_t at = 0; at < place.variables.size(); ++at) {
            const std::uint32_t* own = of(place.variables[at]);
            const std::uint32_t stride = place.strides[at];
            if (at == 0) {
                for (std::size_t row = 0; row < rows; ++row) index[row] = own[row] * stride;
            } else {
                for (std::size_t row = 0; row < rows; ++row) index[row] += own[row] * stride;
            }
        }
    }

    std::vector<std::uint32_t> codes;
    std::uint32_t index[rows_at_once] = {};
    double uniforms[rows_at_once] = {}, log_weights[rows_at_once] = {};
    std::vector<double> products;
};

// The sums of one part of the rows. Neighbouring rows add to different lanes, so that none waits for the one before.
struct RowSampler::Sums {
    static constexpr std::size_t few_cells = 4096;

    explicit Sums(std::size_t cells) : lanes(cells <= few_cells ? 4 : 1), cells(cells), sums(lanes * cells),
                                       square_sums(lanes * cells) {}

    void rescale(double to) {
        const double factor = log_scale == no_weight ? 0.0 : std::exp(log_scale - to);
        for (double& sum : sums) sum *= factor;
        for (double& sum : square_sums) sum *= factor * factor;
        total *= factor, largest *= factor, squares *= factor * factor;
        log_scale = to;
    }

    // The weights of some rows, in units of exp(log_scale).
    void weigh(const double* logs, std::size_t rows, double* weights) {
        const double most = *std::max_element(logs, logs + rows);
        if (most > log_scale) rescale(most);
        for (std::size_t row = 0; row < rows; ++row) {
            const double w = logs[row] == no_weight ? 0.0 : std::exp(logs[row] - log_scale);
            weights[row] = w;
            total += w, squares += w * w, largest = std::max(largest, w), positive += logs[row] != no_weight;
        }
    }

    void add(const std::uint32_t* cell, std::size_t first_cell, const double* weights, std::size_t rows) {
        for (std::size_t row = 0; row < rows; ++row) {
            const std::size_t at = (row % lanes) * cells + first_cell + cell[row];
            sums[at] += weights[row], square_sums[at] += weights[row] * weights[row];
        }
    }

    void join_lanes() {
        for (std::size_t lane = 1; lane < lanes; ++lane) {
            for (std::size_t at = 0; at < cells; ++at) {
                sums[at] += sums[lane * cells + at], square_sums[at] += square_sums[lane * cells + at];
            }
        }
        sums.resize(cells), square_sums.resize(cells);
        sums.shrink_to_fit(), square_sums.shrink_to_fit();
        lanes = 1;
    }

    std::size_t lanes, cells;
    double log_scale = no_weight, total = 0.0, squares = 0.0, largest = 0.0;
    std::uint64_t positive = 0;
    std::vector<double> sums, square_sums;
};

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

WeightedSums RowSampler::weighted_sums(std::uint64_t seed, std::uint64_t first_row, std::size_t n,
                                       const std::vector<std::vector<std::uint32_t>>& targets, int threads) const {
    std::vector<TablePlace> places;
    std::vector<std::size_t> first_cells{0};
    for (const auto& target : targets) {
        const std::uint32_t cells = checked_cells(target, cards_);
        TablePlace place;
        std::uint32_t stride = 1;
        for (std::size_t axis = target.size(); axis-- > 0;) {
            place.variables.push_back(target[axis]), place.strides.push_back(stride);
            stride *= cards_[target[axis]];
        }
        places.push_back(std::move(place));
        first_cells.push_back(first_cells.back() + cells);
    }
    const std::size_t cells = first_cells.back();
    // The parts depend on the rows and on the targets only: sums are the same on any number of threads.
    const std::size_t most_parts = std::clamp<std::size_t>((std::size_t{1} << 24) / (cells + 1), 1, 64);
    const std::size_t tasks = (n + rows_at_once - 1) / rows_at_once;
    const std::size_t parts = std::min(most_parts, std::max<std::size_t>(tasks / 8, 1));
    std::vector<Sums> found(parts, Sums(0));
    std::vector<Block> blocks(usable_threads(threads), Block(cards_.size()));
    parallel_for(parts, threads, [&](std::size_t part, int worker) {
        Block& block = blocks[worker];
        Sums sums(cells);
        double weights[rows_at_once];
        std::fill_n(weights, rows_at_once, 1.0);
        if (!weighted_) sums.log_scale = 0.0;
        const std::size_t end = std::min(n, (part + 1) * tasks / parts * rows_at_once);
        for (std::size_t first = part * tasks / parts * rows_at_once; first < end; first += rows_at_once) {
            const std::size_t rows = std::min(rows_at_once, end - first);
            if ((first / rows_at_once) % 64 == 0) stop_if_interrupted();
            fill(block, seed, first_row + first, rows);
            if (weighted_) {
                sums.weigh(block.log_weights, rows, weights);
            } else {
                const auto drawn = static_cast<double>(rows);
                sums.total += drawn, sums.squares += drawn, sums.largest = 1.0, sums.positive += rows;
            }
            for (std::size_t at = 0; at < places.size(); ++at) {
                block.find(places[at], rows);
                sums.add(block.index, first_cells[at], weights, rows);
            }
        }
        sums.join_lanes();
        found[part] = std::move(sums);
    });
    double scale = no_weight;
    for (const Sums& part : found) scale = std::max(scale, part.log_scale);
    WeightedSums result;
    result.log_scale = scale;
    result.sums.resize(cells), result.square_sums.resize(cells);
    for (Sums& part : found) {
        if (part.log_scale == no_weight) continue;
        part.rescale(scale);
        result.total += part.total, result.squares += part.squares;
        result.largest = std::max(result.largest, part.largest), result.positive += part.positive;
        for (std::size_t at = 0; at < cells; ++at) {
            result.sums[at] += part.sums[at], result.square_sums[at] += part.square_sums[at];
        }
    }
    return result;
}

}  // namespace bayou
