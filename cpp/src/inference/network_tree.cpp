#include "bayou/inference/network_tree.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bayou/base/underflow.hpp"
#include "bayou/inference/clique_layout.hpp"
#include "bayou/inference/distributions_of_factors.hpp"

namespace bayou {

namespace {

constexpr double most_entries_of_a_clique = 1 << 16;  // of one clique: its table then stays in the second cache

// Tables start at multiples of four numbers.
std::size_t take(std::size_t& used, std::size_t size) {
    const std::size_t start = used;
    used += (size + 3) / 4 * 4;
    return start;
}

}  // namespace

NetworkTree::NetworkTree(const std::vector<std::uint32_t>& cards, const std::vector<PlanFactor>& factors,
                         double most_entries)
    : cards_(cards) {
    std::vector<std::vector<std::uint32_t>> scopes;
    for (const PlanFactor& factor : factors) scopes.push_back(factor.scope);
    EliminationOrder order = elimination_order(cards, scopes, {}, most_entries);
    if (std::isinf(order.entries)) throw std::length_error("the clique tree of this network is too large");
    CliqueTree tree = clique_tree(cards, scopes, std::move(order), std::vector<char>(cards.size(), 0));
    limit_children(tree, cards);
    for (const Clique& clique : tree.cliques) {
        entries_ += clique.entries;
        if (clique.entries <= most_entries_of_a_clique && entries_ <= most_entries) continue;
        throw std::length_error("the clique tree of this network is too large");
    }
    require_distributions(factors, cards);
    forget_underflow();
    nodes_.resize(tree.cliques.size());
    ScopeMaps maps(cards_, map_offsets_);
    for (std::size_t number = 0; number < nodes_.size(); ++number) make_node(tree, number, factors, maps);
    place_variables(tree, maps);
    choose_sources(tree, maps);
    keep_prior_messages();
    tables_underflowed_ = has_underflowed();
}

void NetworkTree::make_node(const CliqueTree& tree, std::size_t number, const std::vector<PlanFactor>& factors,
                            ScopeMaps& maps) {
    const Clique& clique = tree.cliques[number];
    Node& node = nodes_[number];
    node.children = clique.children;
    node.parent = clique.parent;
    node.block = maps.block_entries(clique.scope);
    node.blocks = static_cast<std::size_t>(clique.entries) / node.block;
    node.separator_block = maps.block_entries(clique.separator);
    for (const std::uint32_t variable : clique.separator) node.separator_blocks *= cards_[variable];
    node.separator_blocks /= node.separator_block;
    node.up = maps.map(clique.scope, clique.separator);
    for (const std::uint32_t child : clique.children) {
        node.to_child.push_back(maps.map(clique.scope, tree.cliques[child].separator));
    }
    std::size_t kept = kept_.size();
    node.base = take(kept, node.entries());
    node.prior_table = take(kept, node.entries());
    node.prior_up = take(kept, node.separator());
    kept_.resize(kept);
    node.table = take(workspace_size_, node.entries());
    node.up_message = take(workspace_size_, node.separator());
    node.belief = take(workspace_size_, node.separator());
    node.down_message = take(workspace_size_, node.separator());
    fill_base(node, clique, factors);
}

void NetworkTree::fill_base(Node& node, const Clique& clique, const std::vector<PlanFactor>& factors) {
    const std::span<double> base{kept_.data() + node.base, node.entries()};
    std::fill(base.begin(), base.end(), 1.0);
    for (const std::uint32_t number : clique.factors) {
        const double* from = factors[number].table;
        for_each_entry(clique.scope, factors[number].scope, cards_, base.size(),
                       [&](std::size_t entry, std::ptrdiff_t place) { base[entry] *= from[place]; });
        // Scaled again each time: the product of very many factors might underflow.
        node.base_log += std::log(scale_message(base));
    }
}

// A variable is observed in its smallest clique, and asked for in the clique that is nearest to the root.
void NetworkTree::place_variables(const CliqueTree& tree, ScopeMaps& maps) {
    observed_at_.resize(cards_.size());
    asked_at_.resize(cards_.size());
    std::vector<double> smallest(cards_.size(), 0);
    for (std::size_t number = 0; number < nodes_.size(); ++number) {
        for (const std::uint32_t variable : tree.cliques[number].scope) {
            const double entries = tree.cliques[number].entries;
            if (smallest[variable] > 0 && smallest[variable] <= entries) continue;
            smallest[variable] = entries;
            observed_at_[variable].node = static_cast<std::uint32_t>(number);
        }
    }
    for (std::uint32_t variable = 0; variable < cards_.size(); ++variable) {
        if (tree.home[variable] < 0) {
            throw std::invalid_argument("variable " + std::to_string(variable) + " is in no table");
        }
        asked_at_[variable].node = static_cast<std::uint32_t>(tree.home[variable]);
        for (Place* place : {&observed_at_[variable], &asked_at_[variable]}) {
            place->map = maps.map(tree.cliques[place->node].scope, {&variable, 1});
        }
    }
}

// A marginal is summed from the smallest separator that has the variable, if there is one, else from its clique.
void NetworkTree::choose_sources(const CliqueTree& tree, ScopeMaps& maps) {
    std::vector<std::int64_t> best(cards_.size(), -1);
    for (std::size_t number = 0; number < nodes_.size(); ++number) {
        for (const std::uint32_t variable : tree.cliques[number].separator) {
            std::int64_t& found = best[variable];
            if (found < 0 || nodes_[number].separator() < nodes_[static_cast<std::size_t>(found)].separator()) {
                found = static_cast<std::int64_t>(number);
            }
        }
    }
    offsets_.push_back(0);
    for (std::uint32_t variable = 0; variable < cards_.size(); ++variable) {
        offsets_.push_back(offsets_.back() + cards_[variable]);
        if (best[variable] < 0) {
            const Place& place = asked_at_[variable];
            nodes_[place.node].from_table.push_back({variable, place.map});
        } else {
            const auto number = static_cast<std::size_t>(best[variable]);
            nodes_[number].from_separator.push_back({variable, maps.map(tree.cliques[number].separator, {&variable, 1})});
        }
    }
}

// Messages to the parents without findings.
void NetworkTree::keep_prior_messages() {
    Workspace work;
    enter({}, work);
    for (std::uint32_t number = 0; number < nodes_.size(); ++number) {
        Node& node = nodes_[number];
        work.changed[number] = 1;
        // A clique without children has nothing to multiply its base by.
        std::copy_n(kept_.data() + node.base, node.entries(), work.numbers.data() + node.table);
        node.prior_log = node.base_log + std::log(send_up(number, {}, work));
        for (const std::uint32_t child : node.children) node.prior_log += nodes_[child].prior_log;
        std::copy_n(work.numbers.data() + node.table, node.entries(), kept_.data() + node.prior_table);
        std::copy_n(work.numbers.data() + node.up_message, node.separator(), kept_.data() + node.prior_up);
    }
}

}  // namespace bayou
