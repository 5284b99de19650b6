#include "bayou/inference/wide_plan_runner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bayou/base/interrupt.hpp"
#include "slot_values.hpp"

namespace bayou {

namespace {

// The loops of a nest, with the addresses of its operands and of the result at the present entry.
struct WideLoops {
    const LoopNest& nest;
    Combine how;
    std::vector<const WideNumber*> at;
    WideNumber* out;

    void level(std::size_t depth, const WideNumber& scale) {
        WideNumber inside = scale;
        for (const std::uint32_t k : nest.settled[depth]) inside *= *at[k];
        if (!(inside > 0.0)) return;
        const bool innermost = depth + 1 == nest.sizes.size();
        for (std::size_t i = 0; i < nest.sizes[depth]; ++i) {
            if (depth < 2) stop_if_interrupted();
            if (innermost) {
                put(inside);
            } else {
                level(depth + 1, inside);
            }
            move(depth, 1);
        }
        move(depth, -static_cast<std::ptrdiff_t>(nest.sizes[depth]));
    }

    void put(WideNumber value) {
        for (const std::uint32_t k : nest.inner) value *= *at[k];
        if (how == Combine::sum) {
            *out += value;
        } else {
            *out = std::max(*out, value);
        }
    }

    void move(std::size_t depth, std::ptrdiff_t steps) {
        for (std::size_t k = 0; k < at.size(); ++k) at[k] += steps * nest.operands[k].strides[depth];
        out += steps * nest.out_strides[depth];
    }
};

}  // namespace

WidePlanRunner::WidePlanRunner(const InferencePlan& plan) : plan_(plan) {
    for (const PlanSlot& slot : plan.slots) values_.emplace_back(slot.size);
    log_evidence_.resize(plan.lanes);
}

void WidePlanRunner::run_nest(const LoopNest& nest, std::vector<WideNumber>& out, Combine how) const {
    std::fill(out.begin(), out.end(), WideNumber());
    WideLoops loops{nest, how, {}, out.data()};
    for (const LoopOperand& operand : nest.operands) loops.at.push_back(values_[operand.slot].data());
    loops.level(0, 1.0);
}

// The cell of a smaller table that belongs to each entry of a block is known in advance (see table_walk.hpp).
void WidePlanRunner::multiply(const TableMap& map, std::size_t block, const std::vector<WideNumber>& by,
                              std::vector<WideNumber>& table) const {
    const std::uint32_t* offsets = plan_.map_offsets.data();
    const std::size_t entries = std::size_t{map.count} * map.length;
    for (std::size_t i = 0; i < entries; ++i) {
        const std::size_t cell = offsets[map.blocks + block] + offsets[map.runs + i / map.length];
        table[block * entries + i] *= by[cell + (map.moves ? i % map.length : 0)];
    }
}

void WidePlanRunner::add(const TableMap& map, std::size_t block, const std::vector<WideNumber>& table,
                         WideNumber* to) const {
    const std::uint32_t* offsets = plan_.map_offsets.data();
    const std::size_t entries = std::size_t{map.count} * map.length;
    for (std::size_t i = 0; i < entries; ++i) {
        const std::size_t cell = offsets[map.blocks + block] + offsets[map.runs + i / map.length];
        to[cell + (map.moves ? i % map.length : 0)] += table[block * entries + i];
    }
}

void WidePlanRunner::make_base(const CliqueTable& clique) {
    if (clique.base == no_slot || (clique.fixed.size() == 1 && clique.base == clique.fixed.front().slot)) return;
    std::vector<WideNumber>& base = values_[clique.base];
    std::fill(base.begin(), base.end(), WideNumber(1.0));
    for (const MappedSlot& factor : clique.fixed) {
        for (std::size_t block = 0; block < clique.blocks; ++block) {
            multiply(factor.map, block, values_[factor.slot], base);
        }
    }
}

void WidePlanRunner::collect(const CliqueTable& clique) {
    make_base(clique);
    if (clique.table != no_slot) {
        std::vector<WideNumber>& table = values_[clique.table];
        if (clique.base == no_slot) {
            std::fill(table.begin(), table.end(), WideNumber(1.0));
        } else {
            table = values_[clique.base];
        }
        for (const MappedSlot& factor : clique.varying) {
            for (std::size_t block = 0; block < clique.blocks; ++block) {
                multiply(factor.map, block, values_[factor.slot], table);
            }
        }
    }
    std::vector<WideNumber>& message = values_[clique.up.slot];
    std::fill(message.begin(), message.end(), WideNumber());
    const std::vector<WideNumber>& table = values_[clique.table == no_slot ? clique.base : clique.table];
    for (std::size_t block = 0; block < clique.blocks; ++block) add(clique.up.map, block, table, message.data());
}

void WidePlanRunner::distribute(const CliqueTable& clique) {
    std::vector<WideNumber>& table = values_[clique.table == no_slot ? clique.base : clique.table];
    for (std::size_t block = 0; clique.has_parent && block < clique.blocks; ++block) {
        multiply(clique.down.map, block, values_[clique.down.slot], table);
    }
    for (const CliqueTable::Child& child : clique.children) {
        std::vector<WideNumber>&belief = values_[child.belief], &down = values_[child.message_down];
        const std::vector<WideNumber>& received = values_[child.message_up];
        std::fill(belief.begin(), belief.end(), WideNumber());
        for (std::size_t block = 0; block < clique.blocks; ++block) add(child.map, block, table, belief.data());
        for (std::size_t i = 0; i < down.size(); ++i) {
            down[i] = received[i] > 0.0 ? belief[i] / received[i] : WideNumber();
        }
    }
}

void WidePlanRunner::run_step(const PlanStep& step) {
    if (step.kind == PlanStep::Kind::collect) return collect(plan_.clique_tables[step.target]);
    if (step.kind == PlanStep::Kind::distribute) return distribute(plan_.clique_tables[step.target]);
    run_nest(plan_.nests[step.nest], values_[step.target], step.how);
}

// P(findings) is the product of the messages of all roots, and of the factors whose variables are all observed.
void WidePlanRunner::count_evidence() {
    std::fill(log_evidence_.begin(), log_evidence_.end(), 0.0);
    const auto count = [&](std::uint32_t slot) {
        const std::vector<WideNumber>& values = values_[slot];
        for (std::size_t lane = 0; lane < plan_.lanes; ++lane) {
            log_evidence_[lane] += values[lane % values.size()].log();
        }
    };
    for (const std::uint32_t slot : plan_.numbers) count(slot);
    for (std::size_t clique = 0; clique < plan_.tree.cliques.size(); ++clique) {
        if (plan_.tree.cliques[clique].parent >= 0) continue;
        const PlanStep& step = plan_.messages[clique];  // the messages to the parents come first
        const bool has_table = step.kind == PlanStep::Kind::collect;
        count(has_table ? plan_.clique_tables[step.target].up.slot : step.target);
    }
}

void WidePlanRunner::answer_marginal(const PlanMarginal& marginal, std::vector<WideNumber>& cells,
                                     double* answer) const {
    const std::size_t lanes = plan_.lanes;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        WideNumber total = 0.0;
        for (std::size_t i = 0; i < marginal.size; ++i) total += cells[i * lanes + lane];
        for (std::size_t i = 0; i < marginal.size; ++i) {
            const std::size_t at = i * lanes + lane;
            answer[marginal.offset * lanes + at] = total > 0.0 ? static_cast<double>(cells[at] / total) : std::nan("");
        }
    }
}

void WidePlanRunner::run(std::span<const std::uint32_t> codes, std::span<const double* const> given,
                         std::span<double> answer) {
    for (const FactorCopy& copy : plan_.copies) {
        copy_factor(copy, codes.data(), copy.table ? copy.table : given[copy.given], values_[copy.slot].data());
    }
    for (const PlanStep& step : plan_.products) run_step(step);
    for (const PlanStep& step : plan_.messages) run_step(step);
    count_evidence();
    for (const MarginalSource& source : plan_.sources) {
        for (const MappedSlot& mapped : source.marginals) {
            const PlanMarginal& marginal = plan_.marginals[mapped.slot];
            std::vector<WideNumber> cells(marginal.size);
            for (std::size_t block = 0; block < source.blocks; ++block) {
                add(mapped.map, block, values_[source.slot], cells.data());
            }
            answer_marginal(marginal, cells, answer.data());
        }
    }
    for (const PlanMarginal& marginal : plan_.marginals) {
        if (marginal.nest == no_slot) continue;
        std::vector<WideNumber> cells(marginal.size * plan_.lanes);
        run_nest(plan_.nests[marginal.nest], cells, Combine::sum);
        answer_marginal(marginal, cells, answer.data());
    }
}

void WidePlanRunner::trace_back(std::span<std::uint32_t> states) const {
    trace_best_states(plan_, [&](std::uint32_t slot) { return values_[slot].data(); }, states);
}

}  // namespace bayou
