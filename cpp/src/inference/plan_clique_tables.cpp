// Compiling a question: cliques that store their own table compute messages in passes over it.
#include <cmath>

#include "plan_builder.hpp"

namespace bayou {

namespace {

constexpr double most_clique_entries = 1 << 16;  // of one clique: its table then stays in the second cache
// Loops over variables of few states are so slow that tables pay off up to this size.
constexpr double most_entries_of_few_states = 1 << 20, few_states = 4;
constexpr double most_entries_in_all = 1 << 21;  // of all cliques of a plan: their memory stays small

bool has_small_table(const Clique& clique) {
    if (clique.entries <= most_clique_entries) return true;
    return clique.entries <= most_entries_of_few_states &&
           clique.entries <= std::pow(few_states, static_cast<double>(clique.scope.size()));
}

}  // namespace

void PlanBuilder::choose_clique_tables() {
    double left = most_entries_in_all;
    for (std::size_t clique = 0; clique < plan_.tree.cliques.size(); ++clique) {
        const double entries = plan_.tree.cliques[clique].entries;
        if (entries > left || !has_small_table(plan_.tree.cliques[clique])) continue;
        left -= entries;
        clique_table_[clique] = static_cast<std::uint32_t>(plan_.clique_tables.size());
        plan_.clique_tables.emplace_back();
    }
}

// The slots that a clique needs for its message to the parent.
void PlanBuilder::make_clique_table(std::size_t clique) {
    const Clique& here = plan_.tree.cliques[clique];
    CliqueTable& made = plan_.clique_tables[clique_table_[clique]];
    made.block = maps_.block_entries(here.scope);
    made.blocks = static_cast<std::size_t>(here.entries) / made.block;
    made.has_parent = here.parent >= 0;
    for (const std::uint32_t slot : incoming(clique, -1)) {
        auto& side = plan_.slots[slot].varies ? made.varying : made.fixed;
        side.push_back({slot, maps_.map(here.scope, plan_.slots[slot].scope)});
    }
    if (made.fixed.size() == 1 && plan_.slots[made.fixed.front().slot].scope == here.scope) {
        made.base = made.fixed.front().slot;
    } else if (made.varying.empty() || !made.fixed.empty()) {
        made.base = new_slot(here.scope, false, false);
        // These are used for the base only.
        for (const std::uint32_t slot : clique_factors_[clique]) plan_.slots[slot].memory = PlanSlot::Memory::scratch;
    }
    if (!made.varying.empty() || made.has_parent) made.table = new_slot(here.scope, true, false);
    made.up = {up_[clique], maps_.map(here.scope, here.separator)};
}

// The slots that a clique needs for its messages to its children.
void PlanBuilder::map_children(std::size_t clique) {
    const Clique& here = plan_.tree.cliques[clique];
    CliqueTable& made = plan_.clique_tables[clique_table_[clique]];
    made.down = {down_[clique], made.up.map};
    made.children.reserve(here.children.size());
    for (const std::uint32_t child : here.children) {
        const Scope& separator = plan_.tree.cliques[child].separator;
        belief_[child] = new_slot(separator, true, false);
        made.children.push_back(
            {belief_[child], up_[child], down_[child], maps_.map(here.scope, separator)});
    }
}

}  // namespace bayou
