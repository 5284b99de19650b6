// Questions to a network's clique tree (Lauritzen and Spiegelhalter 1988): collect from the findings to the root,
// distribute from there.
#include <algorithm>
#include <cmath>
#include <limits>

#include "bayou/base/underflow.hpp"
#include "bayou/inference/network_tree.hpp"

namespace bayou {

namespace {

constexpr double log_of_impossible = -std::numeric_limits<double>::infinity();

// The log of a product; logs are slow, so factors are multiplied as long as the product is far from a double's limits.
class LogProduct {
  public:
    void multiply(double factor) {
        product_ *= factor;
        if (product_ > 1e-150 && product_ < 1e150) return;
        log += std::log(product_);
        product_ = 1;
    }
    double total() const { return log + std::log(product_); }

    double log = 0;

  private:
    double product_ = 1;
};

bool normalise(std::span<double> table) {
    double total = 0;
    for (const double value : table) total += value;
    for (double& value : table) value /= total;
    return total > 0;
}

}  // namespace

WalkTable NetworkTree::walk_table(const TableMap& map, const double* values) const {
    const std::uint32_t* offsets = map_offsets_.data();
    // A walk writes only to the tables that it sums into.
    return {const_cast<double*>(values), offsets + map.blocks, offsets + map.runs, map.count, map.length, map.moves};
}

const double* NetworkTree::up_message(std::uint32_t number, const Workspace& work) const {
    const Node& node = nodes_[number];
    return work.changed[number] ? work.numbers.data() + node.up_message : kept_.data() + node.prior_up;
}

// The memory of a run: tables and messages, then the weights of the states of observed variables.
void NetworkTree::enter(std::span<const ObservedState> findings, Workspace& work) const {
    if (work.numbers.size() < workspace_size_ + offsets_.back()) work.numbers.resize(workspace_size_ + offsets_.back());
    work.changed.assign(nodes_.size(), 0);
    work.first_finding.assign(nodes_.size(), -1);
    work.next_finding.assign(findings.size(), -1);
    for (std::size_t at = 0; at < findings.size(); ++at) {
        const auto [variable, code] = findings[at];
        if (cards_[variable] < 2) continue;
        double* weights = work.numbers.data() + workspace_size_ + offsets_[variable];
        std::fill_n(weights, cards_[variable], 0.0);
        weights[code] = 1;
        const std::uint32_t number = observed_at_[variable].node;
        work.next_finding[at] = work.first_finding[number];
        work.first_finding[number] = static_cast<std::int32_t>(at);
        for (auto up = static_cast<std::int64_t>(number); up >= 0 && !work.changed[up]; up = nodes_[up].parent) {
            work.changed[up] = 1;
        }
    }
}

// message(separator) = sum over the rest of base · messages of the children · findings; returns its largest value, by
// which it is divided.
double NetworkTree::send_up(std::uint32_t number, std::span<const ObservedState> findings, Workspace& work) const {
    const Node& node = nodes_[number];
    double* numbers = work.numbers.data();
    work.in.clear();
    for (std::size_t k = 0; k < node.children.size(); ++k) {
        work.in.push_back(walk_table(node.to_child[k], up_message(node.children[k], work)));
    }
    for (std::int32_t at = work.first_finding[number]; at >= 0; at = work.next_finding[at]) {
        const std::uint32_t variable = findings[at].variable;
        work.in.push_back(walk_table(observed_at_[variable].map, numbers + workspace_size_ + offsets_[variable]));
    }
    const std::span<double> message{numbers + node.up_message, node.separator()};
    std::fill(message.begin(), message.end(), 0.0);
    const WalkTable out = walk_table(node.up, message.data());
    run_walk({node.blocks, node.block, kept_.data() + node.base, numbers + node.table, work.in, {&out, 1}});
    return scale_message(message);
}

// All messages to the parents that a finding changes; returns log P(findings).
double NetworkTree::collect(std::span<const ObservedState> findings, Workspace& work) const {
    forget_underflow();
    enter(findings, work);
    LogProduct probability;
    for (std::uint32_t number = 0; number < nodes_.size(); ++number) {
        const Node& node = nodes_[number];
        if (work.changed[number]) {
            const double largest = send_up(number, findings, work);
            if (!(largest > 0)) return log_of_impossible;
            probability.multiply(largest);
            probability.log += node.base_log;
        } else if (node.parent < 0 || work.changed[node.parent]) {
            probability.log += node.prior_log;
        }
    }
    return probability.total();
}

// Multiplies a clique's table by the message of its parent, and sums it into the tables in work.out.
void NetworkTree::use_table(std::uint32_t number, Workspace& work) const {
    const Node& node = nodes_[number];
    double* numbers = work.numbers.data();
    const double* from = work.changed[number] ? numbers + node.table : kept_.data() + node.prior_table;
    const bool has_parent = node.parent >= 0;
    const WalkTable in = has_parent ? walk_table(nodes_[number].up, numbers + node.down_message) : WalkTable{};
    run_walk({node.blocks, node.block, from, numbers + node.table, {&in, has_parent ? 1u : 0u}, work.out});
}

// message to the child = belief / message from the child, with 0 / 0 = 0.
bool NetworkTree::send_down(std::uint32_t child, Workspace& work) const {
    const Node& node = nodes_[child];
    double* numbers = work.numbers.data();
    return divide_message(numbers + node.belief, up_message(child, work),
                          {numbers + node.down_message, node.separator()}) > 0;
}

// What underflowed may matter where P(findings) is very small: the answer is then not known here.
double NetworkTree::unless_doubtful(double log_evidence) const {
    const bool underflowed = tables_underflowed_ || has_underflowed();
    return underflowed && !(log_evidence > safe_log) ? log_of_impossible : log_evidence;
}

double NetworkTree::query(std::span<const ObservedState> findings, std::uint32_t target, Workspace& work,
                          std::span<double> answer) const {
    const double log_evidence = collect(findings, work);
    if (log_evidence == log_of_impossible) return log_of_impossible;
    work.path.clear();
    for (auto at = static_cast<std::int64_t>(asked_at_[target].node); at >= 0; at = nodes_[at].parent) {
        work.path.push_back(static_cast<std::uint32_t>(at));
    }
    for (std::size_t left = work.path.size(); left-- > 1;) {
        const Node& node = nodes_[work.path[left]];
        const std::uint32_t child = work.path[left - 1];
        const auto which = std::find(node.children.begin(), node.children.end(), child) - node.children.begin();
        double* belief = work.numbers.data() + nodes_[child].belief;
        std::fill_n(belief, nodes_[child].separator(), 0.0);
        work.out.assign(1, walk_table(node.to_child[which], belief));
        use_table(work.path[left], work);
        if (!send_down(child, work)) return log_of_impossible;
    }
    std::fill(answer.begin(), answer.end(), 0.0);
    work.out.assign(1, walk_table(asked_at_[target].map, answer.data()));
    use_table(work.path.front(), work);
    const double known = unless_doubtful(log_evidence);
    return normalise(answer) ? known : log_of_impossible;
}

double NetworkTree::marginals(std::span<const ObservedState> findings, Workspace& work,
                              std::span<double> answer) const {
    const double log_evidence = collect(findings, work);
    if (log_evidence == log_of_impossible) return log_of_impossible;
    std::fill(answer.begin(), answer.end(), 0.0);
    double* numbers = work.numbers.data();
    for (auto number = static_cast<std::uint32_t>(nodes_.size()); number-- > 0;) {
        const Node& node = nodes_[number];
        work.out.clear();
        for (std::size_t k = 0; k < node.children.size(); ++k) {
            const Node& child = nodes_[node.children[k]];
            std::fill_n(numbers + child.belief, child.separator(), 0.0);
            work.out.push_back(walk_table(node.to_child[k], numbers + child.belief));
        }
        for (const auto& [variable, map] : node.from_table) {
            work.out.push_back(walk_table(map, answer.data() + offsets_[variable]));
        }
        use_table(number, work);
        for (const std::uint32_t number_of_child : node.children) {
            if (!send_down(number_of_child, work)) return log_of_impossible;
            const Node& child = nodes_[number_of_child];
            if (child.from_separator.empty()) continue;
            work.out.clear();
            for (const auto& [variable, map] : child.from_separator) {
                work.out.push_back(walk_table(map, answer.data() + offsets_[variable]));
            }
            run_walk({child.separator_blocks, child.separator_block, numbers + child.belief, nullptr, {}, work.out});
        }
    }
    const double known = unless_doubtful(log_evidence);
    for (std::size_t variable = 0; variable < cards_.size(); ++variable) {
        if (!normalise(answer.subspan(offsets_[variable], cards_[variable]))) return log_of_impossible;
    }
    return known;
}

}  // namespace bayou
