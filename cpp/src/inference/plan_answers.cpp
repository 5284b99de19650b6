// Compiling a question: the tables from which the answers are summed.
#include <algorithm>

#include "plan_builder.hpp"

namespace bayou {

std::size_t PlanBuilder::answer_end() const {
    return plan_.marginals.empty() ? 0 : plan_.marginals.back().offset + plan_.marginals.back().size;
}

void PlanBuilder::add_marginal(std::uint32_t nest, std::size_t size) {
    const std::size_t offset = answer_end();
    plan_.answer_offsets.push_back(offset);
    plan_.marginals.push_back({offset, size, nest});
}

void PlanBuilder::add_marginal_of(std::uint32_t slot, std::uint32_t variable) {
    const PlanSlot& table = plan_.slots[slot];
    if (source_of_[slot] < 0) {
        const std::size_t block = maps_.block_entries(table.scope);
        source_of_[slot] = static_cast<std::int32_t>(plan_.sources.size());
        plan_.sources.push_back({slot, table.size / block, block, {}});
    }
    const auto number = static_cast<std::uint32_t>(plan_.marginals.size());
    plan_.sources[source_of_[slot]].marginals.push_back({number, maps_.map(table.scope, {&variable, 1})});
    add_marginal(no_slot, plan_.cards[variable]);
}

void PlanBuilder::schedule_joint() {
    const CliqueTree& tree = plan_.tree;
    auto root = static_cast<std::size_t>(tree.home[question_.joint.front()]);
    while (tree.cliques[root].parent >= 0) root = static_cast<std::size_t>(tree.cliques[root].parent);
    Scope kept = question_.joint;
    std::sort(kept.begin(), kept.end(), [&](auto a, auto b) { return tree.rank[a] < tree.rank[b]; });
    std::size_t size = 1;
    for (const std::uint32_t variable : kept) size *= plan_.cards[variable];
    add_marginal(keep(nest_for(root, incoming(root, -1), kept, true)), size);
}

// Of each variable: the clique with the smallest separator that has it, -1: none.
std::vector<std::int64_t> PlanBuilder::smallest_separators() const {
    std::vector<std::int64_t> best(plan_.cards.size(), -1);
    const auto size_of = [&](std::size_t clique) { return plan_.slots[up_[clique]].size; };
    for (std::size_t clique = 0; clique < plan_.tree.cliques.size(); ++clique) {
        for (const std::uint32_t variable : plan_.tree.cliques[clique].separator) {
            std::int64_t& found = best[variable];
            if (found < 0 || size_of(clique) < size_of(static_cast<std::size_t>(found))) {
                found = static_cast<std::int64_t>(clique);
            }
        }
    }
    return best;
}

// A marginal is summed from the smallest separator that has the variable, if there is one, else from the clique
// that sums the variable out.
void PlanBuilder::schedule_marginals() {
    const std::vector<std::int64_t> separators = smallest_separators();
    source_of_.assign(plan_.slots.size(), -1);
    for (std::uint32_t variable = 0; variable < plan_.cards.size(); ++variable) {
        if (plan_.tree.home[variable] < 0) {
            plan_.answer_offsets.push_back(answer_end());
            continue;
        }
        const bool in_separator = separators[variable] >= 0;
        const auto clique =
            static_cast<std::size_t>(in_separator ? separators[variable] : plan_.tree.home[variable]);
        if (in_separator && belief_[clique] != no_slot) {
            add_marginal_of(belief_[clique], variable);
        } else if (in_separator) {
            const Axes axes = axes_of_slot(down_[clique]);
            add_marginal(keep(make_nest(axes, {axes_of_slot(up_[clique]), axes}, {up_[clique], down_[clique]},
                                        axes_of({variable}, true))),
                         plan_.cards[variable]);
        } else if (clique_table_[clique] != no_slot) {
            const CliqueTable& kept = plan_.clique_tables[clique_table_[clique]];
            add_marginal_of(kept.table != no_slot ? kept.table : kept.base, variable);
        } else {
            Slots slots = incoming(clique, -1);
            if (plan_.tree.cliques[clique].parent >= 0) slots.push_back(down_[clique]);
            add_marginal(keep(nest_for(clique, slots, {variable}, true)), plan_.cards[variable]);
        }
    }
}

}  // namespace bayou
