// Compiling a question: factors become slots; factors of one clique are multiplied in advance where that pays off.
#include <algorithm>

#include "plan_builder.hpp"

namespace bayou {

namespace {

constexpr std::size_t most_merged = 8;  // tables multiplied at once before the product is rescaled

bool is_subset(const std::vector<std::uint32_t>& part, const std::vector<std::uint32_t>& whole) {
    return std::all_of(part.begin(), part.end(), [&](auto variable) { return contains(whole, variable); });
}

}  // namespace

FactorCopy PlanBuilder::copy_of(const PlanFactor& factor, const std::vector<std::int64_t>& observed_at) {
    FactorCopy copy;
    copy.table = factor.table;
    const std::size_t lanes = plan_.lanes;
    const bool with_lanes = factor.table == nullptr && lanes > 1;
    std::vector<std::pair<std::uint32_t, std::ptrdiff_t>> hidden;
    std::ptrdiff_t stride = with_lanes ? static_cast<std::ptrdiff_t>(lanes) : 1;
    for (std::size_t axis = factor.scope.size(); axis-- > 0;) {
        const std::uint32_t variable = factor.scope[axis];
        if (observed_at[variable] >= 0) {
            copy.fixed.emplace_back(static_cast<std::uint32_t>(observed_at[variable]), stride);
        } else {
            hidden.emplace_back(variable, stride);
        }
        stride *= static_cast<std::ptrdiff_t>(plan_.cards[variable]);
    }
    const std::vector<std::uint32_t>& rank = plan_.tree.rank;
    std::sort(hidden.begin(), hidden.end(),
              [&](const auto& a, const auto& b) { return rank[a.first] < rank[b.first]; });
    Scope scope;
    for (const auto& [variable, step] : hidden) {
        scope.push_back(variable);
        copy.sizes.push_back(plan_.cards[variable]);
        copy.strides.push_back(step);
        copy.size *= plan_.cards[variable];
    }
    if (with_lanes) {
        copy.sizes.push_back(lanes);
        copy.strides.push_back(1);
        copy.size *= lanes;
    }
    copy.varies = !factor.table || !copy.fixed.empty();
    copy.slot = new_slot(scope, copy.varies, with_lanes);
    // A table whose axes are already in the plan's order is read in place.
    if (factor.table && copy.fixed.empty() && std::is_sorted(copy.strides.rbegin(), copy.strides.rend())) {
        plan_.slots[copy.slot].table = factor.table;
    }
    return copy;
}

void PlanBuilder::place_factors() {
    clique_factors_.resize(plan_.tree.cliques.size());
    std::vector<std::int64_t> observed_at(plan_.cards.size(), -1);
    for (std::size_t at = 0; at < question_.observed.size(); ++at) {
        observed_at[question_.observed[at]] = static_cast<std::int64_t>(at);
    }
    std::size_t given = 0;
    for (const PlanFactor& factor : question_.factors) {
        FactorCopy copy = copy_of(factor, observed_at);
        if (!factor.table) copy.given = given++;
        if (plan_.slots[copy.slot].scope.empty()) plan_.numbers.push_back(copy.slot);
        plan_.copies.push_back(std::move(copy));
    }
    for (std::size_t clique = 0; clique < plan_.tree.cliques.size(); ++clique) {
        for (const std::uint32_t factor : plan_.tree.cliques[clique].factors) {
            clique_factors_[clique].push_back(plan_.copies[factor].slot);
        }
    }
}

// A table whose variables another table of the clique contains is multiplied into that one in advance, a few at a
// time: a single product of a thousand findings about one variable would underflow.
void PlanBuilder::merge_factors(std::size_t clique) {
    while (merge_some_factors(clique)) {
    }
    while (clique_factors_[clique].size() + most_children + 1 > most_operands) merge_smallest_factor(clique);
}

bool PlanBuilder::merge_some_factors(std::size_t clique) {
    const std::vector<PlanSlot>& all = plan_.slots;
    Slots& slots = clique_factors_[clique];
    const std::size_t before = slots.size();
    std::stable_sort(slots.begin(), slots.end(), [&](auto a, auto b) { return all[a].size > all[b].size; });
    std::vector<Slots> groups;
    for (const std::uint32_t slot : slots) {
        const auto host = std::find_if(groups.begin(), groups.end(), [&](const Slots& group) {
            const PlanSlot& first = all[group.front()];
            return group.size() < most_merged && all[slot].has_lanes == first.has_lanes &&
                   is_subset(all[slot].scope, first.scope);
        });
        if (host == groups.end()) {
            groups.push_back({slot});
        } else {
            host->push_back(slot);
        }
    }
    slots.clear();
    for (const Slots& group : groups) {
        slots.push_back(group.size() == 1 ? group.front() : product_of(group, Scope(all[group.front()].scope)));
    }
    return slots.size() < before;
}

// If there are more tables than a loop nest can take and none contains another, the smallest is multiplied into the
// one with which it makes the smallest product.
void PlanBuilder::merge_smallest_factor(std::size_t clique) {
    const std::vector<PlanSlot>& all = plan_.slots;
    Slots& slots = clique_factors_[clique];
    const auto smallest =
        std::min_element(slots.begin(), slots.end(), [&](auto a, auto b) { return all[a].size < all[b].size; });
    const std::uint32_t slot = *smallest;
    slots.erase(smallest);
    const auto entries_with = [&](std::uint32_t other) {
        auto entries = static_cast<double>(all[other].size);
        for (const std::uint32_t variable : all[slot].scope) {
            if (!contains(all[other].scope, variable)) entries *= plan_.cards[variable];
        }
        return entries;
    };
    const auto host = std::min_element(slots.begin(), slots.end(),
                                       [&](auto a, auto b) { return entries_with(a) < entries_with(b); });
    Scope scope;
    for (const std::uint32_t variable : plan_.tree.cliques[clique].scope) {
        if (contains(all[slot].scope, variable) || contains(all[*host].scope, variable)) scope.push_back(variable);
    }
    *host = product_of({*host, slot}, scope);
}

// A new slot for the product of these, which is computed before any message.
std::uint32_t PlanBuilder::product_of(const Slots& slots, const Scope& scope) {
    const bool changes = varies(slots);
    const std::uint32_t product = new_slot(scope, changes, have_lanes(slots));
    std::vector<Axes> operands;
    for (const std::uint32_t slot : slots) operands.push_back(axes_of_slot(slot));
    const Axes axes = axes_of_slot(product);
    plan_.products.push_back({PlanStep::Kind::sum_product, product, changes, true, Combine::sum,
                              keep(make_nest(axes, operands, slots, axes))});
    return product;
}

}  // namespace bayou
