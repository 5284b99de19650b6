#include "bayou/sampling/gibbs_chains.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>
#include <string>

#include "bayou/base/interrupt.hpp"
#include "bayou/base/threads.hpp"
#include "bayou/tables/sampling.hpp"

namespace bayou {

namespace {

constexpr std::size_t most_block_cells = std::size_t{1} << 22;
constexpr std::size_t cells_between_checks = std::size_t{1} << 20;
constexpr double tiny = 1e-150;

double uniform_of(std::uint32_t low, std::uint32_t high) {
    return static_cast<double>(static_cast<std::int64_t>((std::uint64_t{high} << 32 | low) >> 11)) * 0x1p-53;
}

std::uint32_t place_in(const TablePlace& place, const std::uint32_t* codes) {
    std::uint32_t cell = 0;
    for (std::size_t at = 0; at < place.variables.size(); ++at) cell += codes[place.variables[at]] * place.strides[at];
    return cell;
}

// Where the cells of a table over `scope` are in a table over `own`; a variable of `own` outside the scope is left to
// `outside`. Both have the last variable fastest.
std::vector<std::uint32_t> offsets_in(const std::vector<std::uint32_t>& scope, const std::vector<std::uint32_t>& own,
                                      const std::vector<std::uint32_t>& cards, TablePlace& outside) {
    std::vector<std::uint32_t> strides(scope.size());
    std::uint32_t stride = 1;
    for (std::size_t axis = own.size(); axis-- > 0; stride *= cards[own[axis]]) {
        const auto found = std::find(scope.begin(), scope.end(), own[axis]);
        if (found == scope.end()) outside.variables.push_back(own[axis]), outside.strides.push_back(stride);
        else strides[found - scope.begin()] = stride;
    }
    std::vector<std::uint32_t> offsets{0};
    for (std::size_t axis = 0; axis < scope.size(); ++axis) {
        std::vector<std::uint32_t> longer;
        longer.reserve(offsets.size() * cards[scope[axis]]);
        for (const std::uint32_t offset : offsets) {
            for (std::uint32_t code = 0; code < cards[scope[axis]]; ++code) longer.push_back(offset + code * strides[axis]);
        }
        offsets = std::move(longer);
    }
    return offsets;
}

// Divides by the largest number where all are so small that further products might underflow.
void keep_in_range(double* numbers, std::size_t count) {
    const double most = *std::max_element(numbers, numbers + count);
    if (most > 0.0 && most < tiny) {
        for (std::size_t at = 0; at < count; ++at) numbers[at] /= most;
    }
}

}  // namespace

GibbsChains::GibbsChains(std::vector<std::uint32_t> cards, const std::vector<SamplerTable>& factors,
                         const std::vector<std::vector<std::uint32_t>>& blocks, std::vector<std::uint32_t> starts,
                         std::uint64_t seed)
    : cards_(std::move(cards)), first_cell_{0}, codes_(std::move(starts)), seed_(seed) {
    if (cards_.empty()) throw std::invalid_argument("there are no variables to be drawn");
    for (const std::uint32_t card : cards_) first_cell_.push_back(first_cell_.back() + card);
    for (const SamplerTable& factor : factors) {
        std::uint64_t cells = 1;
        for (const std::uint32_t variable : factor.scope) {
            if (variable >= cards_.size()) throw std::invalid_argument("a scope names a variable without states");
            cells *= cards_[variable];
            if (cells > UINT32_MAX) throw std::invalid_argument("a table has more than 2**32 cells");
        }
        if (cells != factor.values.size()) throw std::invalid_argument("a table does not fit its scope");
        tables_.push_back(factor.values);
    }
    std::vector<char> drawn(cards_.size());
    for (const auto& order : blocks) {
        std::set<std::uint32_t> once;
        for (const std::uint32_t variable : order) {
            if (variable >= cards_.size() || !once.insert(variable).second) {
                throw std::invalid_argument("variable " + std::to_string(variable) + " is unknown, or twice in a block");
            }
            drawn[variable] = 1;
        }
        blocks_.push_back(block_of(order, factors));
    }
    if (std::count(drawn.begin(), drawn.end(), 0)) throw std::invalid_argument("a variable is in no block");
    if (codes_.size() % cards_.size()) throw std::invalid_argument("starts needs a code for each variable of each chain");
    for (std::size_t at = 0; at < codes_.size(); ++at) {
        if (codes_[at] >= cards_[at % cards_.size()]) throw std::invalid_argument("a start is not a state");
    }
}

// The tables that are multiplied and summed, step by step. A table belongs to the first variable of the order in it.
GibbsChains::Block GibbsChains::block_of(const std::vector<std::uint32_t>& order,
                                         const std::vector<SamplerTable>& factors) const {
    struct Waiting {
        bool is_factor;
        std::uint32_t number;
        std::vector<std::uint32_t> scope;
    };
    std::vector<std::int64_t> rank(cards_.size(), -1);
    for (std::size_t at = 0; at < order.size(); ++at) rank[order[at]] = static_cast<std::int64_t>(at);
    std::vector<std::vector<Waiting>> waiting(order.size());
    const auto wait = [&](Waiting table) {
        std::int64_t first = -1;
        for (const std::uint32_t variable : table.scope) {
            if (rank[variable] >= 0 && (first < 0 || rank[variable] < first)) first = rank[variable];
        }
        if (first >= 0) waiting[first].push_back(std::move(table));
    };
    for (std::size_t number = 0; number < factors.size(); ++number) {
        wait({true, static_cast<std::uint32_t>(number), factors[number].scope});
    }
    Block block;
    for (std::size_t at = 0; at < order.size(); ++at) {
        std::set<std::uint32_t> others;
        for (const Waiting& table : waiting[at]) {
            for (const std::uint32_t variable : table.scope) {
                if (rank[variable] > static_cast<std::int64_t>(at)) others.insert(variable);
            }
        }
        std::vector<std::uint32_t> scope(others.begin(), others.end());
        Step step{order[at], cards_[order[at]], 0, cards_[order[at]], 0, 1, {}, {}, true};
        for (const std::uint32_t variable : scope) {
            step.sums *= cards_[variable];
            if (step.sums > most_block_cells) throw std::invalid_argument("a block needs too large a table");
        }
        step.cells *= step.sums;
        step.first = block.workspace, step.first_sum = step.first + step.cells;
        block.workspace = step.first_sum + step.sums;
        offsets_in({}, scope, cards_, step.place);
        for (std::uint32_t& stride : step.place.strides) stride *= step.states;
        const std::vector<std::uint32_t> sent = scope;
        scope.push_back(order[at]);
        for (Waiting& table : waiting[at]) {
            Input input{table.is_factor, table.number, {}, {}};
            input.offsets = offsets_in(scope, table.scope, cards_, input.place);
            const bool changes = table.is_factor ? !input.place.variables.empty() : !block.steps[table.number].is_fixed;
            if (changes) step.is_fixed = false;
            step.inputs.push_back(std::move(input));
        }
        block.steps.push_back(std::move(step));
        wait({false, static_cast<std::uint32_t>(at), sent});
    }
    block.fixed.resize(block.workspace);
    for (const Step& step : block.steps) {
        if (step.is_fixed) add_up(step, block, nullptr, block.fixed.data());
    }
    return block;
}

std::size_t GibbsChains::joint_cells(const std::vector<std::uint32_t>& joint) const {
    std::size_t cells = joint.empty() ? 0 : 1;
    for (const std::uint32_t variable : joint) {
        if (variable >= cards_.size()) throw std::invalid_argument("joint names an unknown variable");
        cells *= cards_[variable];
        if (cells > UINT32_MAX) throw std::invalid_argument("joint has more than 2**32 cells");
    }
    return cells;
}

// The table of a step at the present states outside the block, and its sums.
void GibbsChains::add_up(const Step& step, const Block& block, const std::uint32_t* state, double* work) const {
    double* table = work + step.first;
    std::fill_n(table, step.cells, 1.0);
    std::size_t multiplied = 0;
    for (const Input& input : step.inputs) {
        const double* values = input.is_factor ? tables_[input.number].data() + place_in(input.place, state)
                                               : (block.steps[input.number].is_fixed ? block.fixed.data() : work) +
                                                     block.steps[input.number].first_sum;
        for (std::size_t cell = 0; cell < step.cells; ++cell) table[cell] *= values[input.offsets[cell]];
        if (++multiplied % 8 == 0) keep_in_range(table, step.cells);
    }
    double* sums = work + step.first_sum;
    for (std::size_t row = 0; row < step.sums; ++row) {
        double total = 0.0;
        for (std::uint32_t at = 0; at < step.states; ++at) total += table[row * step.states + at];
        sums[row] = total;
    }
    keep_in_range(sums, step.sums);
}

void GibbsChains::draw(const Step& step, double u, std::uint32_t* state, const double* work, double* sums) const {
    const double* row = work + step.first + place_in(step.place, state);
    double* cells = sums + first_cell_[step.variable];
    double total = 0.0;
    for (std::uint32_t at = 0; at < step.states; ++at) total += row[at];
    if (!(total > 0.0)) {  // underflow: the variable stays where it is
        cells[state[step.variable]] += 1.0;
        return;
    }
    const double reached = u * total;
    std::uint32_t found = 0;
    double sum = 0.0;
    bool passed = false;
    for (std::uint32_t at = 0; at < step.states; ++at) {
        cells[at] += row[at] / total;
        if (!passed && row[at] > 0.0) found = at;
        sum += row[at];
        passed = passed || sum > reached;
    }
    state[step.variable] = found;
}

void GibbsChains::run(std::size_t sweeps, const std::vector<std::uint32_t>& joint, double* sums, double* joint_sums,
                      int threads) {
    const std::size_t joint_size = joint_cells(joint);
    TablePlace joint_place;
    offsets_in({}, joint, cards_, joint_place);
    std::size_t most = 1, all_cells = 1;
    for (const Block& block : blocks_) most = std::max(most, block.workspace), all_cells += block.workspace;
    const std::size_t between = std::max<std::size_t>(cells_between_checks / all_cells, 1);
    const std::array<std::uint32_t, 2> key{static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)};
    parallel_for(chains(), threads, [&](std::size_t chain, int) {
        std::vector<double> work(most), own(cells()), own_joint(joint_size);
        std::uint32_t* state = codes_.data() + chain * cards_.size();
        for (std::size_t sweep = 0; sweep < sweeps; ++sweep) {
            if (sweep % between == 0) stop_if_interrupted();
            const std::uint64_t counter = swept_ + sweep;
            std::array<std::uint32_t, 4> words{};
            std::size_t drawn = 0;
            for (const Block& block : blocks_) {
                for (const Step& step : block.steps) {
                    if (!step.is_fixed) add_up(step, block, state, work.data());
                }
                for (std::size_t at = block.steps.size(); at-- > 0; ++drawn) {
                    if (drawn % 2 == 0) {
                        words = philox({static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32),
                                        static_cast<std::uint32_t>(chain), static_cast<std::uint32_t>(drawn / 2)}, key);
                    }
                    const double u = drawn % 2 ? uniform_of(words[2], words[3]) : uniform_of(words[0], words[1]);
                    const Step& step = block.steps[at];
                    draw(step, u, state, step.is_fixed ? block.fixed.data() : work.data(), own.data());
                }
            }
            if (joint_size) own_joint[place_in(joint_place, state)] += 1.0;
        }
        for (std::size_t at = 0; at < own.size(); ++at) sums[chain * own.size() + at] += own[at];
        for (std::size_t at = 0; at < joint_size; ++at) joint_sums[chain * joint_size + at] += own_joint[at];
    });
    swept_ += sweeps;
}

}  // namespace bayou
