// Cliques that are too large to keep their own table (see plan_clique_tables.cpp), and all of a plan that does not ask
// for every marginal, pass messages in Shafer and Shenoy's way (1990): the memory is that of the separators, and every
// sum runs over the product of a few small tables that stay in the cache.
#include "plan_builder.hpp"

#include <algorithm>
#include <stdexcept>

#include "bayou/base/portable.hpp"

namespace bayou {

InferencePlan build_plan(const PlanQuestion& question) { return PlanBuilder(question).build(); }

namespace {

// Above this many factors the product of a clique might underflow: they are merged first, a few at a time.
constexpr std::size_t many_factors = 8;

}  // namespace

InferencePlan PlanBuilder::build() {
    plan_.cards = question_.cards;
    plan_.lanes = question_.lanes;
    make_tree();
    plan_.slots.reserve(question_.factors.size() + 6 * plan_.tree.cliques.size());
    place_factors();
    const bool all_marginals = question_.marginals && question_.joint.empty() && question_.maximised.empty();
    clique_table_.assign(plan_.tree.cliques.size(), no_slot);
    if (all_marginals && plan_.lanes == 1) choose_clique_tables();
    for (std::size_t clique = 0; clique < plan_.tree.cliques.size(); ++clique) {
        if (clique_table_[clique] == no_slot || clique_factors_[clique].size() > many_factors) merge_factors(clique);
    }
    schedule_collect(all_marginals);
    add_maximisations();
    if (all_marginals) {
        schedule_distribute();
        schedule_marginals();
    } else if (!question_.joint.empty()) {
        schedule_joint();
    }
    plan_.answer_offsets.push_back(answer_end());
    lay_out();
    return std::move(plan_);
}

void PlanBuilder::make_tree() {
    const std::vector<std::uint32_t>& cards = plan_.cards;
    std::vector<char> is_observed(cards.size(), 0), late(cards.size(), 0);
    for (const std::uint32_t variable : question_.observed) is_observed[variable] = 1;
    std::vector<Scope> scopes;
    scopes.reserve(question_.factors.size() + 1);
    for (const PlanFactor& factor : question_.factors) {
        Scope& scope = scopes.emplace_back();
        scope.reserve(factor.scope.size());
        for (const std::uint32_t variable : factor.scope) {
            if (!is_observed[variable]) scope.push_back(variable);
        }
    }
    Scope last = question_.joint;
    last.insert(last.end(), question_.maximised.begin(), question_.maximised.end());
    // The joint targets must end up in one root: their steps must not be merged into other cliques.
    for (const std::uint32_t variable : last) late[variable] = 1;
    scopes.push_back(question_.joint);
    EliminationOrder order = elimination_order(cards, scopes, last);
    scopes.pop_back();
    plan_.tree = clique_tree(cards, scopes, std::move(order), late);
    limit_children(plan_.tree, cards);
    for (const Clique& clique : plan_.tree.cliques) {
        plan_.entries += clique.entries;
        plan_.largest = std::max(plan_.largest, clique.entries);
    }
}

std::uint32_t PlanBuilder::new_slot(Scope scope, bool varies, bool with_lanes) {
    PlanSlot slot;
    slot.size = with_lanes ? plan_.lanes : 1;
    for (const std::uint32_t variable : scope) {
        const std::size_t states = plan_.cards[variable];
        if (product_overflows(slot.size, states, &slot.size) || slot.size > (std::size_t{1} << 48)) {
            throw std::length_error("a table of this plan has more entries than any memory holds");
        }
    }
    slot.scope = std::move(scope);
    slot.varies = varies;
    slot.has_lanes = with_lanes;
    slot.memory = varies ? PlanSlot::Memory::scratch : PlanSlot::Memory::constants;
    plan_.slots.push_back(std::move(slot));
    return static_cast<std::uint32_t>(plan_.slots.size() - 1);
}

Axes PlanBuilder::axes_of(const Scope& scope, bool with_lanes) const {
    Axes axes;
    axes.reserve(scope.size() + 1);
    for (const std::uint32_t variable : scope) axes.push_back({variable, plan_.cards[variable]});
    if (with_lanes && plan_.lanes > 1) axes.push_back({static_cast<std::uint32_t>(plan_.cards.size()), plan_.lanes});
    return axes;
}

Axes PlanBuilder::axes_of_slot(std::uint32_t slot) const {
    return axes_of(plan_.slots[slot].scope, plan_.slots[slot].has_lanes);
}

bool PlanBuilder::varies(const Slots& slots) const {
    return std::any_of(slots.begin(), slots.end(), [&](auto slot) { return plan_.slots[slot].varies; });
}

bool PlanBuilder::have_lanes(const Slots& slots) const {
    return std::any_of(slots.begin(), slots.end(), [&](auto slot) { return plan_.slots[slot].has_lanes; });
}

std::uint32_t PlanBuilder::keep(LoopNest nest) {
    plan_.nests.push_back(std::move(nest));
    return static_cast<std::uint32_t>(plan_.nests.size() - 1);
}

// Assigns each slot its position in memory, at multiples of four numbers.
void PlanBuilder::lay_out() {
    for (PlanSlot& slot : plan_.slots) {
        if (slot.table) continue;
        std::size_t& used =
            slot.memory == PlanSlot::Memory::scratch ? plan_.scratch_size : plan_.constants_size;
        slot.offset = used;
        used += (slot.size + 3) / 4 * 4;
    }
}

// The tables whose product makes a clique's message: to the parent (`except` is -1) or to the child `except`.
PlanBuilder::Slots PlanBuilder::incoming(std::size_t clique, std::int64_t except) const {
    const Clique& here = plan_.tree.cliques[clique];
    Slots slots;
    slots.reserve(clique_factors_[clique].size() + here.children.size() + 1);
    slots = clique_factors_[clique];
    for (const std::uint32_t child : here.children) {
        if (static_cast<std::int64_t>(child) != except) slots.push_back(up_[child]);
    }
    if (except >= 0 && here.parent >= 0) slots.push_back(down_[clique]);
    return slots;
}

LoopNest PlanBuilder::nest_for(std::size_t clique, const Slots& slots, const Scope& kept, bool with_lanes) const {
    std::vector<Axes> operands;
    operands.reserve(slots.size());
    for (const std::uint32_t slot : slots) operands.push_back(axes_of_slot(slot));
    const Axes all = axes_of(plan_.tree.cliques[clique].scope, with_lanes);
    return make_nest(all, operands, slots, axes_of(kept, with_lanes));
}

// Messages to the parents, children first.
void PlanBuilder::schedule_collect(bool distributes) {
    const std::size_t count = plan_.tree.cliques.size();
    std::vector<char> maximised(plan_.cards.size(), 0);
    for (const std::uint32_t variable : question_.maximised) maximised[variable] = 1;
    up_.resize(count);
    down_.resize(count);
    belief_.assign(count, no_slot);
    maximises_.resize(count);
    for (std::size_t clique = 0; clique < count; ++clique) {
        const Clique& here = plan_.tree.cliques[clique];
        // A clique never sums and maximises variables both; a grouping clique does neither.
        maximises_[clique] = here.scope.size() > here.separator.size() && maximised[here.scope.front()];
        const Slots slots = incoming(clique, -1);
        const bool with_lanes = have_lanes(slots), changes = varies(slots);
        up_[clique] = new_slot(here.separator, changes, with_lanes);
        if (distributes && here.parent >= 0) down_[clique] = new_slot(here.separator, true, true);
        if (clique_table_[clique] != no_slot) {
            make_clique_table(clique);
            plan_.messages.push_back({PlanStep::Kind::collect, clique_table_[clique], changes, true});
            continue;
        }
        const Combine how = maximises_[clique] ? Combine::maximum : Combine::sum;
        plan_.messages.push_back({PlanStep::Kind::sum_product, up_[clique], changes, true, how,
                                  keep(nest_for(clique, slots, here.separator, with_lanes))});
    }
}

// Messages to the children, parents first.
void PlanBuilder::schedule_distribute() {
    for (std::size_t clique = plan_.tree.cliques.size(); clique-- > 0;) {
        if (clique_table_[clique] != no_slot) {
            map_children(clique);
            plan_.messages.push_back({PlanStep::Kind::distribute, clique_table_[clique], true, false});
            continue;
        }
        for (const std::uint32_t child : plan_.tree.cliques[clique].children) {
            const Scope& kept = plan_.tree.cliques[child].separator;
            plan_.messages.push_back({PlanStep::Kind::sum_product, down_[child], true, false, Combine::sum,
                                      keep(nest_for(clique, incoming(clique, child), kept, true))});
        }
    }
}

void PlanBuilder::add_maximisations() {
    for (std::size_t clique = plan_.tree.cliques.size(); clique-- > 0;) {
        if (!maximises_[clique]) continue;
        const Clique& here = plan_.tree.cliques[clique];
        MaximisedClique& maximised = plan_.maximisations.emplace_back();
        for (const std::uint32_t variable : here.scope) {
            if (std::find(here.separator.begin(), here.separator.end(), variable) == here.separator.end()) {
                maximised.variables.push_back(variable);
            }
        }
        maximised.slots = incoming(clique, -1);
    }
}

}  // namespace bayou
