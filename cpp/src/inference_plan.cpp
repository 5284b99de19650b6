// Messages between cliques (Shafer and Shenoy's scheme): a clique's own table is never made, so the memory is
// that of the separators; every sum runs over the product of a few small tables that stay in the cache.
#include "bayou/inference_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace bayou {

namespace {

constexpr std::size_t most_children = 6;  // beyond it, groups of children report to a clique of their own
constexpr std::size_t most_merged = 8;     // tables multiplied at once before the product is rescaled

bool contains(const std::vector<std::uint32_t>& scope, std::uint32_t variable) {
    return std::find(scope.begin(), scope.end(), variable) != scope.end();
}

bool is_subset(const std::vector<std::uint32_t>& part, const std::vector<std::uint32_t>& whole) {
    return std::all_of(part.begin(), part.end(), [&](auto variable) { return contains(whole, variable); });
}

// Gives groups of children an intermediate clique over what they pass on, until no clique has many.
void thin_out(CliqueTree& tree, const std::vector<std::uint32_t>& cards) {
    std::vector<Clique> old = std::move(tree.cliques);
    std::vector<std::int32_t> place(old.size());
    tree.cliques.clear();
    // Children come before parents in `old`, so new intermediate cliques are put in just before their parent.
    for (std::size_t at = 0; at < old.size(); ++at) {
        Clique clique = std::move(old[at]);
        std::vector<std::uint32_t> children;
        for (const std::uint32_t child : clique.children) children.push_back(place[child]);
        while (children.size() > most_children) {
            std::vector<std::uint32_t> grouped;
            for (std::size_t first = 0; first < children.size(); first += most_children) {
                const std::size_t last = std::min(children.size(), first + most_children);
                if (last - first == 1) {
                    grouped.push_back(children[first]);
                    continue;
                }
                Clique group;
                for (const std::uint32_t variable : clique.scope) {
                    for (std::size_t k = first; k < last; ++k) {
                        if (!contains(tree.cliques[children[k]].separator, variable)) continue;
                        group.scope.push_back(variable);
                        group.entries *= cards[variable];
                        break;
                    }
                }
                group.separator = group.scope;
                group.children.assign(children.begin() + first, children.begin() + last);
                const auto number = static_cast<std::uint32_t>(tree.cliques.size());
                for (const std::uint32_t child : group.children) tree.cliques[child].parent = number;
                grouped.push_back(number);
                tree.cliques.push_back(std::move(group));
            }
            children = std::move(grouped);
        }
        place[at] = static_cast<std::int32_t>(tree.cliques.size());
        for (const std::uint32_t child : children) tree.cliques[child].parent = place[at];
        clique.children = std::move(children);
        tree.cliques.push_back(std::move(clique));
    }
    for (auto& home : tree.home) {
        if (home >= 0) home = place[home];
    }
}

}  // namespace

void InferencePlan::Gather::run(const std::uint32_t* codes, const double* from, double* out) const {
    for (const auto& [index, stride] : fixed) from += stride * static_cast<std::ptrdiff_t>(codes[index]);
    if (sizes.empty()) {
        *out = *from;
        return;
    }
    const std::size_t inner = sizes.back();
    const std::ptrdiff_t step = strides.back();
    std::vector<std::size_t> index(sizes.size(), 0);
    for (std::size_t done = 0; done < size; done += inner) {
        for (std::size_t i = 0; i < inner; ++i) out[done + i] = from[static_cast<std::ptrdiff_t>(i) * step];
        for (std::size_t depth = sizes.size() - 1; depth-- > 0;) {
            from += strides[depth];
            if (++index[depth] < sizes[depth]) break;
            from -= strides[depth] * static_cast<std::ptrdiff_t>(sizes[depth]);
            index[depth] = 0;
        }
    }
}

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
    for (std::size_t clique = 0; clique < tree_.cliques.size(); ++clique) merge_factors(clique);
    const bool all_marginals = question.marginals && question.joint.empty() && question.maximised.empty();
    std::vector<char> maximised(cards_.size(), 0);
    for (const std::uint32_t variable : question.maximised) maximised[variable] = 1;
    schedule(all_marginals, maximised);
    if (all_marginals) {
        schedule_marginals();
    } else if (!question.joint.empty()) {
        schedule_joint(question);
    }
    answer_offsets_.push_back(marginals_.empty() ? 0 : marginals_.back().offset + marginals_.back().size);
}

Axes InferencePlan::axes_of(const std::vector<std::uint32_t>& scope, bool with_lanes) const {
    Axes axes;
    for (const std::uint32_t variable : scope) axes.push_back({variable, cards_[variable]});
    if (with_lanes && lanes_ > 1) axes.push_back({static_cast<std::uint32_t>(cards_.size()), lanes_});
    return axes;
}

std::uint32_t InferencePlan::new_slot(const std::vector<std::uint32_t>& scope, bool with_lanes) {
    std::size_t size = with_lanes ? lanes_ : 1;
    for (const std::uint32_t variable : scope) {
        if (__builtin_mul_overflow(size, std::size_t{cards_[variable]}, &size) || size > (std::size_t{1} << 48)) {
            throw std::length_error("a table of this plan has more entries than any memory holds");
        }
    }
    slot_scope_.push_back(scope);
    slot_lanes_.push_back(with_lanes);
    slot_size_.push_back(size);
    slot_offset_.push_back(doubles_);
    doubles_ += (size + 3) / 4 * 4;
    return static_cast<std::uint32_t>(slot_scope_.size() - 1);
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
    gather.slot = new_slot(scope, with_lanes);
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
    if (clique_slots_[clique].size() + most_children + 1 > most_operands) {
        throw std::length_error("a clique of this plan has too many tables");
    }
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
        if (group.size() == 1) {
            slots.push_back(group.front());
            continue;
        }
        const std::uint32_t merged = new_slot(std::vector(slot_scope_[group.front()]), slot_lanes_[group.front()]);
        std::vector<Axes> operands;
        for (const std::uint32_t slot : group) operands.push_back(axes_of_slot(slot));
        const Axes axes = axes_of_slot(merged);
        prepare_.push_back({make_nest(axes, operands, group, axes), merged, Combine::sum, false});
        slots.push_back(merged);
    }
    return slots.size() < before;
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
                                 const std::vector<std::uint32_t>& kept) const {
    std::vector<Axes> operands;
    for (const std::uint32_t slot : slots) operands.push_back(axes_of_slot(slot));
    return make_nest(axes_of(tree_.cliques[clique].scope, true), operands, slots, axes_of(kept, true));
}

void InferencePlan::schedule(bool downward, const std::vector<char>& maximised) {
    const std::size_t count = tree_.cliques.size();
    up_.resize(count);
    down_.resize(count);
    clique_maximises_.resize(count);
    for (std::size_t clique = 0; clique < count; ++clique) {
        const Clique& here = tree_.cliques[clique];
        up_[clique] = new_slot(here.separator, true);
        if (downward && here.parent >= 0) down_[clique] = new_slot(here.separator, true);
        // Summed and maximised variables never share a step; a grouping clique has neither.
        clique_maximises_[clique] = here.scope.size() > here.separator.size() && maximised[here.scope.front()];
    }
    for (std::size_t clique = 0; clique < count; ++clique) {
        LoopNest nest = nest_for(clique, incoming(clique, -1), tree_.cliques[clique].separator);
        const Combine how = clique_maximises_[clique] ? Combine::maximum : Combine::sum;
        steps_.push_back({std::move(nest), up_[clique], how, true});
    }
    for (std::size_t clique = count; downward && clique-- > 0;) {
        for (const std::uint32_t child : tree_.cliques[clique].children) {
            LoopNest nest = nest_for(clique, incoming(clique, child), tree_.cliques[child].separator);
            steps_.push_back({std::move(nest), down_[child], Combine::sum, false});
        }
    }
}

void InferencePlan::add_marginal(LoopNest nest, std::size_t size) {
    const std::size_t offset = marginals_.empty() ? 0 : marginals_.back().offset + marginals_.back().size;
    answer_offsets_.push_back(offset);
    marginals_.push_back({std::move(nest), offset, size});
}

void InferencePlan::schedule_joint(const PlanQuestion& question) {
    std::size_t root = static_cast<std::size_t>(tree_.home[question.joint.front()]);
    while (tree_.cliques[root].parent >= 0) root = static_cast<std::size_t>(tree_.cliques[root].parent);
    std::vector<std::uint32_t> kept = question.joint;
    std::sort(kept.begin(), kept.end(), [&](auto a, auto b) { return tree_.rank[a] < tree_.rank[b]; });
    std::size_t size = 1;
    for (const std::uint32_t variable : kept) size *= cards_[variable];
    add_marginal(nest_for(root, incoming(root, -1), kept), size);
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
    for (std::uint32_t variable = 0; variable < cards_.size(); ++variable) {
        if (tree_.home[variable] < 0) {
            answer_offsets_.push_back(marginals_.empty() ? 0 : marginals_.back().offset + marginals_.back().size);
        } else if (best[variable] >= 0) {
            const auto clique = static_cast<std::size_t>(best[variable]);
            const Axes axes = axes_of_slot(up_[clique]);
            add_marginal(make_nest(axes, {axes, axes}, {up_[clique], down_[clique]}, axes_of({variable}, true)),
                         cards_[variable]);
        } else {
            const auto clique = static_cast<std::size_t>(tree_.home[variable]);
            std::vector<std::uint32_t> slots = incoming(clique, -1);
            if (tree_.cliques[clique].parent >= 0) slots.push_back(down_[clique]);
            add_marginal(nest_for(clique, slots, {variable}), cards_[variable]);
        }
    }
}

Workspace InferencePlan::workspace() const {
    Workspace work;
    work.buffer.resize(doubles_);
    for (const std::size_t offset : slot_offset_) work.values.push_back(work.buffer.data() + offset);
    work.log_evidence.resize(lanes_);
    return work;
}

// Divides each lane by its largest value, so that nothing underflows; false where every lane is impossible.
bool InferencePlan::rescale(std::uint32_t slot, Workspace& work, bool counts) const {
    double* values = work.values[slot];
    const std::size_t lanes = slot_lanes_[slot] ? lanes_ : 1, size = slot_size_[slot];
    bool possible = false;
    std::vector<double> many(lanes > 1 ? lanes : 0);
    double one = 0;
    double* largest = lanes > 1 ? many.data() : &one;
    for (std::size_t at = 0; at < size; at += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) largest[lane] = std::max(largest[lane], values[at + lane]);
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        possible |= largest[lane] > 0;
        const double log = std::log(largest[lane]);
        if (counts && lanes == lanes_) work.log_evidence[lane] += log;
        for (std::size_t all = 0; counts && lanes < lanes_ && all < lanes_; ++all) work.log_evidence[all] += log;
        largest[lane] = largest[lane] > 0 ? 1.0 / largest[lane] : 0.0;
    }
    for (std::size_t at = 0; at < size; at += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) values[at + lane] *= largest[lane];
    }
    return possible;
}

void InferencePlan::normalise(const Marginal& marginal, double* answer) const {
    double* cells = answer + marginal.offset * lanes_;
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
        double total = 0;
        for (std::size_t i = 0; i < marginal.size; ++i) total += cells[i * lanes_ + lane];
        for (std::size_t i = 0; i < marginal.size; ++i) cells[i * lanes_ + lane] /= total;
    }
}

void InferencePlan::run(const std::uint32_t* codes, const double* const* given, Workspace& work, double* answer,
                        int threads) const {
    const double impossible = -std::numeric_limits<double>::infinity();
    std::fill(work.log_evidence.begin(), work.log_evidence.end(), 0.0);
    for (const Gather& gather : gathers_) {
        gather.run(codes, gather.table ? gather.table : given[gather.given], work.values[gather.slot]);
    }
    for (const std::uint32_t slot : constant_slots_) {
        const std::size_t lanes = slot_lanes_[slot] ? lanes_ : 1;
        for (std::size_t lane = 0; lane < lanes_; ++lane) {
            work.log_evidence[lane] += std::log(work.values[slot][lane % lanes]);
        }
    }
    for (const Step& step : prepare_) {
        run_nest(step.nest, work.values.data(), work.values[step.slot], step.how, threads);
        rescale(step.slot, work, true);
    }
    for (const Step& step : steps_) {
        run_nest(step.nest, work.values.data(), work.values[step.slot], step.how, threads);
        if (!rescale(step.slot, work, step.upward)) {
            std::fill(work.log_evidence.begin(), work.log_evidence.end(), impossible);
            return;
        }
    }
    for (const Marginal& marginal : marginals_) {
        run_nest(marginal.nest, work.values.data(), answer + marginal.offset * lanes_, Combine::sum, threads);
        normalise(marginal, answer);
    }
}

void InferencePlan::trace_back(const Workspace& work, std::uint32_t* states) const {
    for (std::size_t clique = tree_.cliques.size(); clique-- > 0;) {
        if (!clique_maximises_[clique]) continue;
        const Clique& here = tree_.cliques[clique];
        std::vector<std::uint32_t> free;
        for (const std::uint32_t variable : here.scope) {
            if (!contains(here.separator, variable)) free.push_back(variable);
        }
        const std::vector<std::uint32_t> slots = incoming(clique, -1);
        std::vector<std::uint32_t> trial(free.size(), 0), best(free.size(), 0);
        double highest = -1;
        for (bool more = true; more;) {
            for (std::size_t k = 0; k < free.size(); ++k) states[free[k]] = trial[k];
            double value = 1;
            for (const std::uint32_t slot : slots) {
                std::size_t at = 0;
                for (const std::uint32_t variable : slot_scope_[slot]) at = at * cards_[variable] + states[variable];
                value *= work.values[slot][at];
            }
            if (value > highest) {
                highest = value;
                best = trial;
            }
            more = false;
            for (std::size_t k = free.size(); k-- > 0;) {
                if (++trial[k] < cards_[free[k]]) {
                    more = true;
                    break;
                }
                trial[k] = 0;
            }
        }
        for (std::size_t k = 0; k < free.size(); ++k) states[free[k]] = best[k];
    }
}

}  // namespace bayou
