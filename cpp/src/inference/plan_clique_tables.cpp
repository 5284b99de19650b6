// Compiling a question: cliques that store their own table compute messages in passes over it.
#include "plan_builder.hpp"

namespace bayou {

namespace {

constexpr double most_clique_entries = 1 << 16;         // of one clique: its table then stays in the second cache
constexpr double most_entries_in_all = 1 << 21;  // of all cliques of a plan: their memory stays small

}  // namespace

void PlanBuilder::choose_clique_tables() {
    double left = most_entries_in_all;
    for (std::size_t clique = 0; clique < plan_.tree.cliques.size(); ++clique) {
        const double entries = plan_.tree.cliques[clique].entries;
        if (entries > most_clique_entries || entries > left) continue;
        left -= entries;
        clique_table_[clique] = static_cast<std::uint32_t>(plan_.clique_tables.size());
        plan_.clique_tables.emplace_back();
    }
}

std::vector<std::size_t> PlanBuilder::sizes_of(const Scope& scope) const {
    std::vector<std::size_t> sizes;
    for (const std::uint32_t variable : scope) sizes.push_back(plan_.cards[variable]);
    return sizes;
}

TableMap PlanBuilder::map_onto(const Scope& scope, const BlockShape& shape, const Scope& part) {
    std::vector<WalkAxis> axes;
    // Both are in ascending rank, so one pass finds the shared variables.
    std::size_t next = 0;
    for (const std::uint32_t variable : scope) {
        const bool shared = next < part.size() && part[next] == variable;
        axes.push_back({plan_.cards[variable], shared});
        next += shared;
    }
    return map_table(axes, shape, plan_.map_offsets);
}

// The slots that a clique needs for its message to the parent.
void PlanBuilder::make_clique_table(std::size_t clique) {
    const Clique& here = plan_.tree.cliques[clique];
    CliqueTable& made = plan_.clique_tables[clique_table_[clique]];
    const BlockShape shape = block_shape(sizes_of(here.scope));
    made.block = shape.entries;
    made.blocks = static_cast<std::size_t>(here.entries) / shape.entries;
    made.has_parent = here.parent >= 0;
    for (const std::uint32_t slot : incoming(clique, -1)) {
        auto& side = plan_.slots[slot].varies ? made.varying : made.fixed;
        side.push_back({slot, map_onto(here.scope, shape, plan_.slots[slot].scope)});
    }
    if (made.fixed.size() == 1 && plan_.slots[made.fixed.front().slot].scope == here.scope) {
        made.base = made.fixed.front().slot;
    } else if (made.varying.empty() || !made.fixed.empty()) {
        made.base = new_slot(here.scope, false, false);
        // These are used for the base only.
        for (const std::uint32_t slot : clique_factors_[clique]) plan_.slots[slot].memory = PlanSlot::Memory::scratch;
    }
    if (!made.varying.empty() || made.has_parent) made.table = new_slot(here.scope, true, false);
    made.up = {up_[clique], map_onto(here.scope, shape, here.separator)};
}

// The slots that a clique needs for its messages to its children.
void PlanBuilder::map_children(std::size_t clique) {
    const Clique& here = plan_.tree.cliques[clique];
    CliqueTable& made = plan_.clique_tables[clique_table_[clique]];
    made.down = {down_[clique], made.up.map};
    const BlockShape shape = block_shape(sizes_of(here.scope));
    for (const std::uint32_t child : here.children) {
        const Scope& separator = plan_.tree.cliques[child].separator;
        belief_[child] = new_slot(separator, true, false);
        made.children.push_back(
            {belief_[child], up_[child], down_[child], map_onto(here.scope, shape, separator)});
    }
}

}  // namespace bayou
