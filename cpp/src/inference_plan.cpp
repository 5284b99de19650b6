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

void InferencePlan::Gather::run(const std::uint32_t* codes, double* out) const {
    const double* from = table;
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

InferencePlan::InferencePlan(const PlanQuestion& question) : cards_(question.cards) {
    std::vector<char> is_observed(cards_.size(), 0);
    for (const std::uint32_t variable : question.observed) is_observed[variable] = 1;
    std::vector<std::vector<std::uint32_t>> scopes;
    for (const PlanFactor& factor : question.factors) {
        scopes.emplace_back();
        for (const std::uint32_t variable : factor.scope) {
            if (!is_observed[variable]) scopes.back().push_back(variable);
        }
    }
    for (const std::uint32_t variable : question.soft) scopes.push_back({variable});
    std::vector<std::vector<std::uint32_t>> joined = scopes;
    if (!question.joint.empty()) joined.push_back(question.joint);
    tree_ = clique_tree(cards_, scopes, elimination_order(cards_, joined, question.joint));
    thin_out(tree_, cards_);
    for (const Clique& clique : tree_.cliques) {
        entries_ += clique.entries;
        largest_ = std::max(largest_, clique.entries);
    }
    place_factors(question);
    for (std::size_t clique = 0; clique < tree_.cliques.size(); ++clique) merge_factors(clique);
    schedule(question.joint.empty());
    schedule_marginals(question);
    bytes_ = 8.0 * static_cast<double>(doubles_);
}

Axes InferencePlan::axes_of(const std::vector<std::uint32_t>& scope) const {
    Axes axes;
    for (const std::uint32_t variable : scope) axes.push_back({variable, cards_[variable]});
    return axes;
}

std::uint32_t InferencePlan::new_slot(const std::vector<std::uint32_t>& scope) {
    std::size_t size = 1;
    for (const std::uint32_t variable : scope) {
        if (__builtin_mul_overflow(size, std::size_t{cards_[variable]}, &size) || size > (std::size_t{1} << 48)) {
            throw std::length_error("a table of this plan has more entries than any memory holds");
        }
    }
    slot_scope_.push_back(scope);
    slot_size_.push_back(size);
    slot_offset_.push_back(doubles_);
    doubles_ += (size + 3) / 4 * 4;
    return static_cast<std::uint32_t>(slot_scope_.size() - 1);
}

void InferencePlan::place_factors(const PlanQuestion& question) {
    clique_slots_.resize(tree_.cliques.size());
    std::vector<std::int64_t> observed_at(cards_.size(), -1);
    for (std::size_t at = 0; at < question.observed.size(); ++at) {
        observed_at[question.observed[at]] = static_cast<std::int64_t>(at);
    }
    const auto by_rank = [&](auto a, auto b) { return tree_.rank[a] < tree_.rank[b]; };
    std::vector<std::uint32_t> slot_of(question.factors.size());
    for (std::size_t at = 0; at < question.factors.size(); ++at) {
        const PlanFactor& factor = question.factors[at];
        Gather gather;
        gather.table = factor.table;
        std::vector<std::ptrdiff_t> stride_of(cards_.size(), 0);
        std::ptrdiff_t stride = 1;
        std::vector<std::uint32_t> scope;
        for (std::size_t axis = factor.scope.size(); axis-- > 0;) {
            const std::uint32_t variable = factor.scope[axis];
            if (observed_at[variable] >= 0) {
                gather.fixed.emplace_back(static_cast<std::uint32_t>(observed_at[variable]), stride);
            } else {
                scope.push_back(variable);
                stride_of[variable] = stride;
            }
            stride *= static_cast<std::ptrdiff_t>(cards_[variable]);
        }
        std::sort(scope.begin(), scope.end(), by_rank);
        for (const std::uint32_t variable : scope) {
            gather.sizes.push_back(cards_[variable]);
            gather.strides.push_back(stride_of[variable]);
            gather.size *= cards_[variable];
        }
        gather.slot = slot_of[at] = new_slot(scope);
        if (scope.empty()) constant_slots_.push_back(gather.slot);
        gathers_.push_back(std::move(gather));
    }
    for (const std::uint32_t variable : question.soft) soft_slots_.push_back(new_slot({variable}));
    for (std::size_t clique = 0; clique < tree_.cliques.size(); ++clique) {
        for (const std::uint32_t factor : tree_.cliques[clique].factors) {
            const bool is_soft = factor >= slot_of.size();
            clique_slots_[clique].push_back(is_soft ? soft_slots_[factor - slot_of.size()] : slot_of[factor]);
        }
    }
}

// Tables over variables that another table of the clique has too are multiplied into that one beforehand.
void InferencePlan::merge_factors(std::size_t clique) {
    auto& slots = clique_slots_[clique];
    std::sort(slots.begin(), slots.end(), [&](auto a, auto b) { return slot_size_[a] > slot_size_[b]; });
    std::vector<std::vector<std::uint32_t>> groups;
    for (const std::uint32_t slot : slots) {
        const auto host = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
            return group.size() < most_operands && is_subset(slot_scope_[slot], slot_scope_[group.front()]);
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
        const std::vector<std::uint32_t> scope = slot_scope_[group.front()];
        const std::uint32_t merged = new_slot(scope);
        std::vector<Axes> operands;
        for (const std::uint32_t slot : group) operands.push_back(axes_of(slot_scope_[slot]));
        prepare_.push_back({make_nest(axes_of(scope), operands, group, axes_of(scope)), merged, false, false});
        slots.push_back(merged);
    }
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
    for (const std::uint32_t slot : slots) operands.push_back(axes_of(slot_scope_[slot]));
    return make_nest(axes_of(tree_.cliques[clique].scope), operands, slots, axes_of(kept));
}

void InferencePlan::schedule(bool downward) {
    const std::size_t count = tree_.cliques.size();
    up_.resize(count);
    down_.resize(count);
    for (std::size_t clique = 0; clique < count; ++clique) {
        up_[clique] = new_slot(tree_.cliques[clique].separator);
        if (downward && tree_.cliques[clique].parent >= 0) down_[clique] = new_slot(tree_.cliques[clique].separator);
    }
    for (std::size_t clique = 0; clique < count; ++clique) {
        LoopNest nest = nest_for(clique, incoming(clique, -1), tree_.cliques[clique].separator);
        steps_.push_back({std::move(nest), up_[clique], true, true});
    }
    for (std::size_t clique = count; downward && clique-- > 0;) {
        for (const std::uint32_t child : tree_.cliques[clique].children) {
            LoopNest nest = nest_for(clique, incoming(clique, child), tree_.cliques[child].separator);
            steps_.push_back({std::move(nest), down_[child], true, false});
        }
    }
}

void InferencePlan::schedule_marginals(const PlanQuestion& question) {
    std::size_t offset = 0;
    const auto add = [&](LoopNest nest, std::size_t size) {
        marginals_.push_back({std::move(nest), offset, size});
        answer_offsets_.push_back(offset);
        offset += size;
    };
    if (!question.joint.empty()) {
        const auto root = static_cast<std::size_t>(tree_.home[question.joint.front()]);
        std::size_t top = root;
        while (tree_.cliques[top].parent >= 0) top = tree_.cliques[top].parent;
        std::vector<std::uint32_t> kept = question.joint;
        std::sort(kept.begin(), kept.end(), [&](auto a, auto b) { return tree_.rank[a] < tree_.rank[b]; });
        std::size_t size = 1;
        for (const std::uint32_t variable : kept) size *= cards_[variable];
        add(nest_for(top, incoming(top, -1), kept), size);
        answer_offsets_.push_back(offset);
        return;
    }
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
            answer_offsets_.push_back(offset);
            continue;
        }
        const std::vector<std::uint32_t> kept{variable};
        if (best[variable] >= 0) {
            const auto clique = static_cast<std::size_t>(best[variable]);
            const Axes axes = axes_of(tree_.cliques[clique].separator);
            add(make_nest(axes, {axes, axes}, {up_[clique], down_[clique]}, axes_of(kept)), cards_[variable]);
        } else {
            const auto clique = static_cast<std::size_t>(tree_.home[variable]);
            std::vector<std::uint32_t> slots = incoming(clique, -1);
            if (tree_.cliques[clique].parent >= 0) slots.push_back(down_[clique]);
            add(nest_for(clique, slots, kept), cards_[variable]);
        }
    }
    answer_offsets_.push_back(offset);
}

void InferencePlan::allocate() {
    buffer_.resize(doubles_);
    slot_values_.clear();
    for (const std::size_t offset : slot_offset_) slot_values_.push_back(buffer_.data() + offset);
}

double InferencePlan::rescale(std::uint32_t slot) {
    double* values = slot_values_[slot];
    const std::size_t size = slot_size_[slot];
    const double largest = *std::max_element(values, values + size);
    if (largest <= 0.0) return -std::numeric_limits<double>::infinity();
    const double factor = 1.0 / largest;
    for (std::size_t i = 0; i < size; ++i) values[i] *= factor;
    return std::log(largest);
}

double InferencePlan::run(const std::uint32_t* codes, const double* const* likelihoods, double* answer, int threads) {
    if (buffer_.size() != doubles_) allocate();
    const double impossible = -std::numeric_limits<double>::infinity();
    for (const Gather& gather : gathers_) gather.run(codes, slot_values_[gather.slot]);
    for (std::size_t at = 0; at < soft_slots_.size(); ++at) {
        std::copy_n(likelihoods[at], slot_size_[soft_slots_[at]], slot_values_[soft_slots_[at]]);
    }
    double log_evidence = 0;
    for (const std::uint32_t slot : constant_slots_) log_evidence += std::log(*slot_values_[slot]);
    for (const Step& step : prepare_) {
        run_nest(step.nest, slot_values_.data(), slot_values_[step.slot], Combine::sum, threads);
    }
    if (log_evidence == impossible) return impossible;
    for (const Step& step : steps_) {
        run_nest(step.nest, slot_values_.data(), slot_values_[step.slot], Combine::sum, threads);
        const double scale = rescale(step.slot);
        if (scale == impossible) return impossible;
        if (step.upward) log_evidence += scale;
    }
    for (const Marginal& marginal : marginals_) {
        double* cells = answer + marginal.offset;
        run_nest(marginal.nest, slot_values_.data(), cells, Combine::sum, threads);
        double total = 0;
        for (std::size_t i = 0; i < marginal.size; ++i) total += cells[i];
        for (std::size_t i = 0; i < marginal.size; ++i) cells[i] /= total;
    }
    return log_evidence;
}

}  // namespace bayou
