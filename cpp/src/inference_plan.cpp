// Compiling a question. Cliques that are too large to keep their own table (see held_cliques.cpp), and all of a plan
// that does not ask for every marginal, pass messages in Shafer and Shenoy's way: the memory is that of the
// separators, and every sum runs over the product of a few small tables that stay in the cache.
#include "bayou/inference_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace bayou {

namespace {

constexpr std::size_t most_merged = 8;     // tables multiplied at once before the product is rescaled

bool contains(const std::vector<std::uint32_t>& scope, std::uint32_t variable) {
    return std::find(scope.begin(), scope.end(), variable) != scope.end();
}

bool is_subset(const std::vector<std::uint32_t>& part, const std::vector<std::uint32_t>& whole) {
    return std::all_of(part.begin(), part.end(), [&](auto variable) { return contains(whole, variable); });
}

}  // namespace

InferencePlan::InferencePlan(const PlanQuestion& question) : cards_(question.cards), lanes_(question.lanes) {
    std::vector<char> is_observed(cards_.size(), 0), late(cards_.size(), 0);
    for (const std::uint32_t variable : question.observed) is_observed[variable] = 1;
    std::vector<std::vector<std::uint32_t>> scopes;
    for (const PlanFactor& factor : question.factors) {
        scopes.emplace_back();
        for (const std::uint32_t variable : factor.scope) {
            if (!is_observed[variable]) scopes.back().push_back(variable);
        }
    }
    std::vector<std::vector<std::uint32_t>> joined = scopes;
    if (!question.joint.empty()) joined.push_back(question.joint);
    std::vector<std::uint32_t> last = question.joint;
    last.insert(last.end(), question.maximised.begin(), question.maximised.end());
    // What is asked for together must end up in one root: nothing else may take its steps in.
    for (const std::uint32_t variable : last) late[variable] = 1;
    tree_ = clique_tree(cards_, scopes, elimination_order(cards_, joined, last), late);
    thin_out(tree_, cards_);
    for (const Clique& clique : tree_.cliques) {
        entries_ += clique.entries;
        largest_ = std::max(largest_, clique.entries);
    }
    place_factors(question);
    const bool all_marginals = question.marginals && question.joint.empty() && question.maximised.empty();
    choose_held(all_marginals && lanes_ == 1);
    for (std::size_t clique = 0; clique < tree_.cliques.size(); ++clique) {
        if (held_at_[clique] == no_slot || clique_slots_[clique].size() > most_merged) merge_factors(clique);
    }
    std::vector<char> maximised(cards_.size(), 0);
    for (const std::uint32_t variable : question.maximised) maximised[variable] = 1;
    schedule(all_marginals, maximised);
    if (all_marginals) {
        schedule_marginals();
    } else if (!question.joint.empty()) {
        schedule_joint(question);
    }
    answer_offsets_.push_back(marginals_.empty() ? 0 : marginals_.back().offset + marginals_.back().size);
    lay_out();
}

Axes InferencePlan::axes_of(const std::vector<std::uint32_t>& scope, bool with_lanes) const {
    Axes axes;
    for (const std::uint32_t variable : scope) axes.push_back({variable, cards_[variable]});
    if (with_lanes && lanes_ > 1) axes.push_back({static_cast<std::uint32_t>(cards_.size()), lanes_});
    return axes;
}

std::uint32_t InferencePlan::new_slot(const std::vector<std::uint32_t>& scope, bool varies, bool with_lanes) {
    std::size_t size = with_lanes ? lanes_ : 1;
    for (const std::uint32_t variable : scope) {
        if (__builtin_mul_overflow(size, std::size_t{cards_[variable]}, &size) || size > (std::size_t{1} << 48)) {
            throw std::length_error("a table of this plan has more entries than any memory holds");
        }
    }
    slot_scope_.push_back(scope);
    slot_lanes_.push_back(with_lanes);
    slot_varies_.push_back(varies);
    slot_size_.push_back(size);
    slot_place_.push_back(varies ? Place::scratch : Place::constants);
    slot_table_.push_back(nullptr);
    return static_cast<std::uint32_t>(slot_scope_.size() - 1);
}

void InferencePlan::lay_out() {
    for (std::size_t slot = 0; slot < slot_size_.size(); ++slot) {
        std::size_t none = 0;
        std::size_t& used = slot_table_[slot] ? none : slot_place_[slot] == Place::scratch ? scratch_ : constants_;
        slot_offset_.push_back(used);
        used += (slot_size_[slot] + 3) / 4 * 4;
    }
}

bool InferencePlan::varies(const std::vector<std::uint32_t>& slots) const {
    return std::any_of(slots.begin(), slots.end(), [&](auto slot) { return slot_varies_[slot]; });
}

InferencePlan::Gather InferencePlan::gather_of(const PlanFactor& factor,
                                               const std::vector<std::int64_t>& observed_at) {
    Gather gather;
    gather.table = factor.table;
    const bool with_lanes = factor.table == nullptr && lanes_ > 1;
    std::vector<std::pair<std::uint32_t, std::ptrdiff_t>> hidden;
    std::ptrdiff_t stride = with_lanes ? static_cast<std::ptrdiff_t>(lanes_) : 1;
    for (std::size_t axis = factor.scope.size(); axis-- > 0;) {
        const std::uint32_t variable = factor.scope[axis];
        if (observed_at[variable] >= 0) {
            gather.fixed.emplace_back(static_cast<std::uint32_t>(observed_at[variable]), stride);
        } else {
            hidden.emplace_back(variable, stride);
        }
        stride *= static_cast<std::ptrdiff_t>(cards_[variable]);
    }
    std::sort(hidden.begin(), hidden.end(),
              [&](const auto& a, const auto& b) { return tree_.rank[a.first] < tree_.rank[b.first]; });
    std::vector<std::uint32_t> scope;
    for (const auto& [variable, step] : hidden) {
        scope.push_back(variable);
        gather.sizes.push_back(cards_[variable]);
        gather.strides.push_back(step);
        gather.size *= cards_[variable];
    }
    if (with_lanes) {
        gather.sizes.push_back(lanes_);
        gather.strides.push_back(1);
        gather.size *= lanes_;
    }
    gather.slot = new_slot(scope, !factor.table || !gather.fixed.empty(), with_lanes);
    // A table whose axes lie as the plan wants them is read where it is.
    if (factor.table && gather.fixed.empty() && std::is_sorted(gather.strides.rbegin(), gather.strides.rend())) {
        slot_table_[gather.slot] = factor.table;
    }
    return gather;
}

void InferencePlan::place_factors(const PlanQuestion& question) {
    clique_slots_.resize(tree_.cliques.size());
    std::vector<std::int64_t> observed_at(cards_.size(), -1);
    for (std::size_t at = 0; at < question.observed.size(); ++at) {
        observed_at[question.observed[at]] = static_cast<std::int64_t>(at);
    }
    std::size_t given = 0;
    for (const PlanFactor& factor : question.factors) {
        Gather gather = gather_of(factor, observed_at);
        if (!factor.table) gather.given = given++;
        if (slot_scope_[gather.slot].empty()) constant_slots_.push_back(gather.slot);
        gathers_.push_back(std::move(gather));
    }
    for (std::size_t clique = 0; clique < tree_.cliques.size(); ++clique) {
        for (const std::uint32_t factor : tree_.cliques[clique].factors) {
            clique_slots_[clique].push_back(gathers_[factor].slot);
        }
    }
}

// Tables over variables that another table of the clique has too are multiplied into that one beforehand,
// a few at a time: a thousand findings about one variable would underflow in a single product.
void InferencePlan::merge_factors(std::size_t clique) {
    while (merge_some_factors(clique)) {
    }
    while (clique_slots_[clique].size() + most_children + 1 > most_operands) merge_smallest_factor(clique);
}

bool InferencePlan::merge_some_factors(std::size_t clique) {
    auto& slots = clique_slots_[clique];
    const std::size_t before = slots.size();
    std::stable_sort(slots.begin(), slots.end(), [&](auto a, auto b) { return slot_size_[a] > slot_size_[b]; });
    std::vector<std::vector<std::uint32_t>> groups;
    for (const std::uint32_t slot : slots) {
        const auto host = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
            return group.size() < most_merged && slot_lanes_[slot] == slot_lanes_[group.front()] &&
                   is_subset(slot_scope_[slot], slot_scope_[group.front()]);
        });
        if (host == groups.end()) {
            groups.push_back({slot});
        } else {
            host->push_back(slot);
        }
    }
    slots.clear();
    for (const auto& group : groups) {
        slots.push_back(group.size() == 1 ? group.front() : product_of(group, slot_scope_[group.front()]));
    }
    return slots.size() < before;
}

// Tables that no other one contains, but more than loops can take: the smallest goes into the one with which it
// makes the smallest product.
void InferencePlan::merge_smallest_factor(std::size_t clique) {
    auto& slots = clique_slots_[clique];
    const auto smallest = std::min_element(slots.begin(), slots.end(),
                                           [&](auto a, auto b) { return slot_size_[a] < slot_size_[b]; });
    const std::uint32_t slot = *smallest;
    slots.erase(smallest);
    const auto entries_with = [&](std::uint32_t other) {
        auto entries = static_cast<double>(slot_size_[other]);
        for (const std::uint32_t variable : slot_scope_[slot]) {
            if (!contains(slot_scope_[other], variable)) entries *= cards_[variable];
        }
        return entries;
    };
    const auto host = std::min_element(slots.begin(), slots.end(),
                                       [&](auto a, auto b) { return entries_with(a) < entries_with(b); });
    std::vector<std::uint32_t> scope;
    for (const std::uint32_t variable : tree_.cliques[clique].scope) {
        if (contains(slot_scope_[slot], variable) || contains(slot_scope_[*host], variable)) scope.push_back(variable);
    }
    *host = product_of({*host, slot}, scope);
}

// A new slot for the product of these, which is made before any message.
std::uint32_t InferencePlan::product_of(const std::vector<std::uint32_t>& slots,
                                        std::vector<std::uint32_t> scope) {
    const bool changes = varies(slots);
    const bool with_lanes = std::any_of(slots.begin(), slots.end(), [&](auto slot) { return slot_lanes_[slot]; });
    const std::uint32_t product = new_slot(scope, changes, with_lanes);
    std::vector<Axes> operands;
    for (const std::uint32_t slot : slots) operands.push_back(axes_of_slot(slot));
    const Axes axes = axes_of_slot(product);
    prepare_.push_back(
        {Work::nest, product, changes, true, Combine::sum, keep(make_nest(axes, operands, slots, axes))});
    return product;
}

std::vector<std::uint32_t> InferencePlan::incoming(std::size_t clique, std::int64_t except) const {
    std::vector<std::uint32_t> slots = clique_slots_[clique];
    for (const std::uint32_t child : tree_.cliques[clique].children) {
        if (static_cast<std::int64_t>(child) != except) slots.push_back(up_[child]);
    }
    if (except >= 0 && tree_.cliques[clique].parent >= 0) slots.push_back(down_[clique]);
    return slots;
}

LoopNest InferencePlan::nest_for(std::size_t clique, const std::vector<std::uint32_t>& slots,
                                 const std::vector<std::uint32_t>& kept, bool with_lanes) const {
    std::vector<Axes> operands;
    for (const std::uint32_t slot : slots) operands.push_back(axes_of_slot(slot));
    return make_nest(axes_of(tree_.cliques[clique].scope, with_lanes), operands, slots, axes_of(kept, with_lanes));
}

void InferencePlan::schedule(bool downward, const std::vector<char>& maximised) {
    const std::size_t count = tree_.cliques.size();
    up_.resize(count);
    down_.resize(count);
    belief_.assign(count, no_slot);
    clique_maximises_.resize(count);
    for (std::size_t clique = 0; clique < count; ++clique) {
        const Clique& here = tree_.cliques[clique];
        // Summed and maximised variables never share a step; a grouping clique has neither.
        clique_maximises_[clique] = here.scope.size() > here.separator.size() && maximised[here.scope.front()];
        const std::vector<std::uint32_t> slots = incoming(clique, -1);
        const bool with_lanes = std::any_of(slots.begin(), slots.end(), [&](auto s) { return slot_lanes_[s]; });
        const bool changes = varies(slots);
        up_[clique] = new_slot(here.separator, changes, with_lanes);
        if (downward && here.parent >= 0) down_[clique] = new_slot(here.separator, true, true);
        if (held_at_[clique] != no_slot) {
            hold(clique);
            steps_.push_back({Work::held_up, held_at_[clique], changes, true});
            continue;
        }
        const Combine how = clique_maximises_[clique] ? Combine::maximum : Combine::sum;
        steps_.push_back({Work::nest, up_[clique], changes, true, how,
                          keep(nest_for(clique, slots, here.separator, with_lanes))});
    }
    for (std::size_t clique = count; downward && clique-- > 0;) {
        if (held_at_[clique] != no_slot) {
            hold_downward(clique);
            steps_.push_back({Work::held_down, held_at_[clique], true, false});
            continue;
        }
        for (const std::uint32_t child : tree_.cliques[clique].children) {
            steps_.push_back({Work::nest, down_[child], true, false, Combine::sum,
                              keep(nest_for(clique, incoming(clique, child), tree_.cliques[child].separator, true))});
        }
    }
}

std::uint32_t InferencePlan::keep(LoopNest nest) {
    nests_.push_back(std::move(nest));
    return static_cast<std::uint32_t>(nests_.size() - 1);
}

void InferencePlan::add_marginal(std::uint32_t nest, std::size_t size) {
    const std::size_t offset = marginals_.empty() ? 0 : marginals_.back().offset + marginals_.back().size;
    answer_offsets_.push_back(offset);
    marginals_.push_back({offset, size, nest});
}

void InferencePlan::schedule_joint(const PlanQuestion& question) {
    std::size_t root = static_cast<std::size_t>(tree_.home[question.joint.front()]);
    while (tree_.cliques[root].parent >= 0) root = static_cast<std::size_t>(tree_.cliques[root].parent);
    std::vector<std::uint32_t> kept = question.joint;
    std::sort(kept.begin(), kept.end(), [&](auto a, auto b) { return tree_.rank[a] < tree_.rank[b]; });
    std::size_t size = 1;
    for (const std::uint32_t variable : kept) size *= cards_[variable];
    add_marginal(keep(nest_for(root, incoming(root, -1), kept, true)), size);
}

void InferencePlan::schedule_marginals() {
    // The smallest separator that has the variable, where there is one; else the clique that sums it out.
    std::vector<std::int64_t> best(cards_.size(), -1);
    for (std::size_t clique = 0; clique < tree_.cliques.size(); ++clique) {
        for (const std::uint32_t variable : tree_.cliques[clique].separator) {
            if (best[variable] < 0 || slot_size_[up_[clique]] < slot_size_[up_[best[variable]]]) {
                best[variable] = static_cast<std::int64_t>(clique);
            }
        }
    }
    source_of_.assign(slot_scope_.size(), -1);
    for (std::uint32_t variable = 0; variable < cards_.size(); ++variable) {
        if (tree_.home[variable] < 0) {
            answer_offsets_.push_back(marginals_.empty() ? 0 : marginals_.back().offset + marginals_.back().size);
            continue;
        }
        const auto clique = static_cast<std::size_t>(best[variable] >= 0 ? best[variable] : tree_.home[variable]);
        const std::uint32_t held = held_at_[clique];
        if (best[variable] >= 0 && belief_[clique] != no_slot) {
            add_marginal_of(belief_[clique], variable);
        } else if (best[variable] >= 0) {
            const Axes axes = axes_of_slot(down_[clique]);
            add_marginal(keep(make_nest(axes, {axes_of_slot(up_[clique]), axes}, {up_[clique], down_[clique]},
                                        axes_of({variable}, true))),
                         cards_[variable]);
        } else if (held != no_slot) {
            add_marginal_of(held_[held].table != no_slot ? held_[held].table : held_[held].base, variable);
        } else {
            std::vector<std::uint32_t> slots = incoming(clique, -1);
            if (tree_.cliques[clique].parent >= 0) slots.push_back(down_[clique]);
            add_marginal(keep(nest_for(clique, slots, {variable}, true)), cards_[variable]);
        }
    }
}

}  // namespace bayou
