// Cliques that keep their own table: compiled to walks over it.
#include <algorithm>

#include "bayou/inference_plan.hpp"

namespace bayou {

namespace {

constexpr double most_held_entries = 1 << 16;   // of one clique: its table then stays in the second cache
constexpr double most_held_in_all = 1 << 21;    // of all cliques of a plan: their memory stays small

}  // namespace

void InferencePlan::choose_held(bool wanted) {
    held_at_.assign(tree_.cliques.size(), no_slot);
    double left = most_held_in_all;
    for (std::size_t clique = 0; wanted && clique < tree_.cliques.size(); ++clique) {
        const double entries = tree_.cliques[clique].entries;
        if (entries > most_held_entries || entries > left) continue;
        left -= entries;
        held_at_[clique] = static_cast<std::uint32_t>(held_.size());
        held_.push_back({});
        held_.back().clique = static_cast<std::uint32_t>(clique);
    }
}

std::vector<std::size_t> InferencePlan::sizes_of(const std::vector<std::uint32_t>& scope) const {
    std::vector<std::size_t> sizes;
    for (const std::uint32_t variable : scope) sizes.push_back(cards_[variable]);
    return sizes;
}

TableMap InferencePlan::map_onto(const std::vector<std::uint32_t>& scope, const BlockShape& shape,
                                 const std::vector<std::uint32_t>& part) {
    std::vector<WalkAxis> axes;
    // Both are in ascending rank, so that one pass finds what they share.
    std::size_t next = 0;
    for (const std::uint32_t variable : scope) {
        const bool shared = next < part.size() && part[next] == variable;
        axes.push_back({cards_[variable], shared});
        next += shared;
    }
    return map_table(axes, shape, pool_);
}

// Everything that a held clique needs for its message upwards.
void InferencePlan::hold(std::size_t clique) {
    const Clique& here = tree_.cliques[clique];
    HeldClique& held = held_[held_at_[clique]];
    const BlockShape shape = block_shape(sizes_of(here.scope));
    held.block = shape.entries;
    held.blocks = static_cast<std::size_t>(here.entries) / shape.entries;
    for (const std::uint32_t slot : incoming(clique, -1)) {
        auto& side = slot_varies_[slot] ? held.varying : held.fixed;
        side.push_back({slot, map_onto(here.scope, shape, slot_scope_[slot])});
    }
    if (held.fixed.size() == 1 && slot_scope_[held.fixed.front().slot] == here.scope) {
        held.base = held.fixed.front().slot;
    } else if (held.varying.empty() || !held.fixed.empty()) {
        held.base = new_slot(here.scope, false, false);
        // Nothing but the base is made from these.
        for (const std::uint32_t slot : clique_slots_[clique]) slot_place_[slot] = Place::scratch;
    }
    if (!held.varying.empty() || here.parent >= 0) held.table = new_slot(here.scope, true, false);
    held.up = {up_[clique], map_onto(here.scope, shape, here.separator)};
}

// And for those to its children.
void InferencePlan::hold_downward(std::size_t clique) {
    const Clique& here = tree_.cliques[clique];
    HeldClique& held = held_[held_at_[clique]];
    held.down = {down_[clique], held.up.map};
    const BlockShape shape = block_shape(sizes_of(here.scope));
    for (const std::uint32_t child : here.children) {
        belief_[child] = new_slot(tree_.cliques[child].separator, true, false);
        held.children.push_back({child, map_onto(here.scope, shape, tree_.cliques[child].separator)});
    }
}

void InferencePlan::add_marginal_of(std::uint32_t slot, std::uint32_t variable) {
    const std::vector<std::uint32_t>& scope = slot_scope_[slot];
    const BlockShape shape = block_shape(sizes_of(scope));
    if (source_of_[slot] < 0) {
        source_of_[slot] = static_cast<std::int32_t>(sources_.size());
        sources_.push_back({slot, slot_size_[slot] / shape.entries, shape.entries, {}});
    }
    const auto number = static_cast<std::uint32_t>(marginals_.size());
    sources_[source_of_[slot]].marginals.push_back({number, map_onto(scope, shape, {variable})});
    add_marginal(no_slot, cards_[variable]);
}

WalkTable InferencePlan::table_for(const MappedSlot& mapped, double* values) const {
    const TableMap& map = mapped.map;
    return {values, pool_.data() + map.blocks, pool_.data() + map.runs, map.count, map.length, map.moves};
}

void InferencePlan::make_base(const HeldClique& held, Workspace& work) const {
    if (held.base == no_slot || (held.fixed.size() == 1 && held.base == held.fixed.front().slot)) return;
    WalkTable in[most_operands];
    for (std::size_t k = 0; k < held.fixed.size(); ++k) {
        in[k] = table_for(held.fixed[k], work.values[held.fixed[k].slot]);
    }
    double* base = work.values[held.base];
    if (held.fixed.empty()) std::fill_n(base, slot_size_[held.base], 1.0);
    run_walk({held.blocks, held.block, nullptr, base, in, held.fixed.size(), nullptr, 0});
}

bool InferencePlan::send_up(const HeldClique& held, Workspace& work) const {
    WalkTable in[most_operands];
    for (std::size_t k = 0; k < held.varying.size(); ++k) {
        in[k] = table_for(held.varying[k], work.values[held.varying[k].slot]);
    }
    double* message = work.values[held.up.slot];
    std::fill_n(message, slot_size_[held.up.slot], 0.0);
    const WalkTable out = table_for(held.up, message);
    const double* base = held.base == no_slot ? nullptr : work.values[held.base];
    double* table = held.table == no_slot ? nullptr : work.values[held.table];
    run_walk({held.blocks, held.block, base, table, in, held.varying.size(), &out, 1});
    return rescale(held.up.slot, work, true);
}

// A child's message divided out of the sum leaves what it must be told; where it had said zero, nothing can
// follow from what it is told.
bool InferencePlan::send_down(const HeldClique& held, Workspace& work) const {
    const bool has_parent = tree_.cliques[held.clique].parent >= 0;
    const std::uint32_t start = held.varying.empty() ? held.base : held.table;
    const WalkTable in = has_parent ? table_for(held.down, work.values[held.down.slot]) : WalkTable{};
    WalkTable out[most_children];
    for (std::size_t k = 0; k < held.children.size(); ++k) {
        const std::uint32_t belief = belief_[held.children[k].slot];
        std::fill_n(work.values[belief], slot_size_[belief], 0.0);
        out[k] = table_for(held.children[k], work.values[belief]);
    }
    run_walk({held.blocks, held.block, work.values[start], held.table == no_slot ? nullptr : work.values[held.table],
              &in, has_parent, out, held.children.size()});
    for (const MappedSlot& child : held.children) {
        const double largest =
            divide_message(work.values[belief_[child.slot]], work.values[up_[child.slot]],
                           work.values[down_[child.slot]], slot_size_[down_[child.slot]]);
        if (!(largest > 0)) return false;
    }
    return true;
}

void InferencePlan::read_marginals(const MarginalSource& source, const Workspace& work, double* answer) const {
    WalkTable out[most_operands];
    for (std::size_t first = 0; first < source.marginals.size(); first += most_operands) {
        const std::size_t count = std::min(most_operands, source.marginals.size() - first);
        for (std::size_t k = 0; k < count; ++k) {
            const MappedSlot& mapped = source.marginals[first + k];
            double* cells = answer + marginals_[mapped.slot].offset;
            std::fill_n(cells, marginals_[mapped.slot].size, 0.0);
            out[k] = table_for(mapped, cells);
        }
        run_walk({source.blocks, source.block, work.values[source.slot], nullptr, nullptr, 0, out, count});
    }
}

}  // namespace bayou
