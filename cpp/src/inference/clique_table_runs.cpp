// Running a compiled question: messages of cliques that keep their own table.
#include <algorithm>

#include "bayou/inference/plan_runner.hpp"

namespace bayou {

WalkTable PlanRunner::walk_table(const TableMap& map, double* values) const {
    const std::uint32_t* offsets = plan_.map_offsets.data();
    return {values, offsets + map.blocks, offsets + map.runs, map.count, map.length, map.moves};
}

void PlanRunner::make_base(const CliqueTable& clique) {
    if (clique.base == no_slot || (clique.fixed.size() == 1 && clique.base == clique.fixed.front().slot)) return;
    WalkTable in[most_operands];
    for (std::size_t k = 0; k < clique.fixed.size(); ++k) {
        in[k] = walk_table(clique.fixed[k].map, values_[clique.fixed[k].slot]);
    }
    double* base = values_[clique.base];
    if (clique.fixed.empty()) std::fill_n(base, plan_.slots[clique.base].size, 1.0);
    run_walk({clique.blocks, clique.block, nullptr, base, {in, clique.fixed.size()}, {}});
}

// message(separator) = sum over the rest of base(clique) · product of the varying tables.
bool PlanRunner::collect(const CliqueTable& clique) {
    WalkTable in[most_operands];
    for (std::size_t k = 0; k < clique.varying.size(); ++k) {
        in[k] = walk_table(clique.varying[k].map, values_[clique.varying[k].slot]);
    }
    double* message = values_[clique.up.slot];
    std::fill_n(message, plan_.slots[clique.up.slot].size, 0.0);
    const WalkTable out = walk_table(clique.up.map, message);
    const double* base = clique.base == no_slot ? nullptr : values_[clique.base];
    double* table = clique.table == no_slot ? nullptr : values_[clique.table];
    run_walk({clique.blocks, clique.block, base, table, {in, clique.varying.size()}, {&out, 1}});
    return scale(clique.up.slot, true);
}

// belief(separator) = sum over the rest of the clique's table · the parent's message, and
// message to the child = belief / message from the child, with 0 / 0 = 0.
bool PlanRunner::distribute(const CliqueTable& clique) {
    const std::uint32_t start = clique.varying.empty() ? clique.base : clique.table;
    const WalkTable in = clique.has_parent ? walk_table(clique.down.map, values_[clique.down.slot]) : WalkTable{};
    WalkTable out[most_children];
    for (std::size_t k = 0; k < clique.children.size(); ++k) {
        const CliqueTable::Child& child = clique.children[k];
        std::fill_n(values_[child.belief], plan_.slots[child.belief].size, 0.0);
        out[k] = walk_table(child.map, values_[child.belief]);
    }
    double* table = clique.table == no_slot ? nullptr : values_[clique.table];
    run_walk({clique.blocks, clique.block, values_[start], table, {&in, clique.has_parent ? 1u : 0u},
              {out, clique.children.size()}});
    for (const CliqueTable::Child& child : clique.children) {
        const double largest = divide_message(values_[child.belief], values_[child.message_up],
                                              {values_[child.message_down], plan_.slots[child.message_down].size});
        if (!(largest > 0)) return false;
    }
    return true;
}

void PlanRunner::read_marginals(const MarginalSource& source, double* answer) const {
    WalkTable out[most_operands];
    for (std::size_t first = 0; first < source.marginals.size(); first += most_operands) {
        const std::size_t count = std::min(most_operands, source.marginals.size() - first);
        for (std::size_t k = 0; k < count; ++k) {
            const MappedSlot& mapped = source.marginals[first + k];
            const PlanMarginal& marginal = plan_.marginals[mapped.slot];
            std::fill_n(answer + marginal.offset, marginal.size, 0.0);
            out[k] = walk_table(mapped.map, answer + marginal.offset);
        }
        run_walk({source.blocks, source.block, values_[source.slot], nullptr, {}, {out, count}});
    }
}

}  // namespace bayou
