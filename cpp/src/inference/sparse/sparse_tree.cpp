#include "bayou/inference/sparse_tree.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <string>

#include "bayou/base/thread_pool.hpp"
#include "bayou/base/underflow.hpp"
#include "bayou/inference/distributions_of_factors.hpp"
#include "sparse_order.hpp"
#include "sparse_supports.hpp"

namespace bayou {

namespace {

constexpr std::size_t trials = 4;  // of orders
// Cliques with fewer runs are one task: on a busy machine, to wait for another thread takes longer than to compute them.
constexpr std::size_t least_shared_runs = 1 << 17, runs_of_a_chunk = 1 << 15, most_lanes = 4;

// Tables start at multiples of four numbers.
std::size_t take(std::size_t& used, std::size_t size) {
    const std::size_t start = used;
    used += (size + 3) / 4 * 4;
    return start;
}

// The supports with the smallest messages, of all orders that are tried.
std::unique_ptr<SparseSupports> smallest_supports(const std::vector<std::uint32_t>& cards,
                                                  const std::vector<PlanFactor>& factors, int threads) {
    const SearchedOrders orders(cards, factors);
    std::unique_ptr<SparseSupports> tried[trials];
    pooled_for(trials, threads, [&](std::size_t trial, int) {
        try {
            tried[trial] = std::make_unique<SparseSupports>(cards, factors, orders.order(trial));
        } catch (const std::length_error&) {  // another order may be better
        }
    });
    std::unique_ptr<SparseSupports> best;
    for (auto& made : tried) {
        if (made && (!best || made->separator_entries() < best->separator_entries())) best = std::move(made);
    }
    if (!best) throw std::length_error("the sparse clique tree of this network is too large");
    return best;
}

}  // namespace

SparseTree::SparseTree(const std::vector<std::uint32_t>& cards, const std::vector<PlanFactor>& factors,
                       double most_words, int threads)
    : cards_(cards), weights_(cards.size()), beliefs_(cards.size()), home_(cards.size()) {
    for (std::size_t variable = 0; variable < cards.size(); ++variable) {
        if (cards[variable] <= most_states_of_a_mask) continue;
        throw std::invalid_argument("variable " + std::to_string(variable) + " has more than 64 states");
    }
    require_distributions(factors, cards);
    const auto supports = smallest_supports(cards, factors, threads);
    offsets_.push_back(0);
    for (const std::uint32_t states : cards) offsets_.push_back(offsets_.back() + states);
    nodes_.resize(supports->tree().cliques.size());
    supports->reduce([&](std::size_t number) { write_runs(*supports, number, most_words); });
    for (std::size_t number = 0; number < nodes_.size(); ++number) {
        dense_entries_ += supports->tree().cliques[number].entries;
        make_node(*supports, number, factors);
        split_runs(nodes_[number]);
    }
    forget_underflow();
    keep_prior_messages(threads);
    tables_underflowed_ = has_underflowed();
}

void SparseTree::make_node(const SparseSupports& supports, std::size_t number, const std::vector<PlanFactor>& factors) {
    Node& node = nodes_[number];
    node.parent = supports.tree().cliques[number].parent;
    if (node.parent >= 0) node.separator = supports.separator(number).combinations();
    const SupportJoin join = supports.join(number);
    node.parent_moves = node.parent >= 0 && join.tables().back().is_last_moving;
    std::uint32_t word = 2;
    for (const CliquePart& from : supports.parts(number)) {
        Part part{Part::Kind::factor, from.number, word, join.tables()[word - 2].is_last_moving};
        ++word;
        part.size = supports.trie(from).combinations();
        if (from.kind == CliquePart::Kind::message) {
            part.kind = Part::Kind::message;
            part.values = nodes_[from.number].up;
            part.belief = nodes_[from.number].down;
        } else if (from.kind == CliquePart::Kind::variable) {
            part.kind = Part::Kind::variable;
            part.values = weights_[from.number] = take(workspace_size_, part.size);
            part.belief = beliefs_[from.number] = take(workspace_size_, part.size);
            home_[from.number] = static_cast<std::uint32_t>(number);
        } else {
            keep_values(supports, factors[from.number], part);
        }
        node.parts.push_back(part);
    }
}

// The values of a factor's combinations that can occur, in their order.
void SparseTree::keep_values(const SparseSupports& supports, const PlanFactor& factor, Part& part) {
    const SupportTrie& trie = supports.trie({CliquePart::Kind::factor, part.number});
    const std::vector<std::uint32_t>& axes = supports.factor_axes(part.number);
    std::vector<std::size_t> strides(axes.size());
    std::size_t stride = 1;
    for (std::size_t axis = factor.scope.size(); axis-- > 0; stride *= cards_[factor.scope[axis]]) {
        const auto at = std::find(axes.begin(), axes.end(), factor.scope[axis]);
        strides[static_cast<std::size_t>(at - axes.begin())] = stride;
    }
    std::size_t kept = kept_.size();
    part.values = take(kept, part.size);
    kept_.resize(kept);
    const auto copy = [&](const auto& self, std::size_t level, std::uint32_t number, std::size_t from) -> void {
        const SupportTrie::Node& node = trie.node(level, number);
        std::uint32_t child = node.first;
        for (std::uint64_t rest = node.mask; rest; rest &= rest - 1, ++child) {
            const std::size_t at = from + static_cast<std::size_t>(std::countr_zero(rest)) * strides[level];
            if (level + 1 == axes.size()) {
                kept_[part.values + child] = factor.table[at];
            } else {
                self(self, level + 1, child, at);
            }
        }
    };
    copy(copy, 0, 0, 0);
}

void SparseTree::write_runs(const SparseSupports& supports, std::size_t number, double most_words) {
    Node& node = nodes_[number];
    SupportJoin join = supports.join(number);
    const std::size_t parts = supports.parts(number).size();
    const bool has_parent = join.tables().size() > parts;
    node.run_words = 2 + parts;
    join.for_each([&](std::uint64_t mask, auto numbers, auto masks) {
        std::uint64_t gaps = 0;
        for (const std::uint64_t other : masks) gaps |= other;
        for_each_run(mask, gaps & ~mask, [&](std::uint64_t lowest, std::uint64_t states) {
            const auto start = [&](std::size_t table) {
                if (!join.tables()[table].is_last_moving) return numbers[table];
                return numbers[table] + static_cast<std::uint32_t>(std::popcount(masks[table] & (lowest - 1)));
            };
            node.words.push_back(static_cast<std::uint32_t>(std::popcount(states)));
            node.words.push_back(has_parent ? start(parts) : 0);
            for (std::size_t part = 0; part < parts; ++part) node.words.push_back(start(part));
        });
        entries_ += std::popcount(mask);
        if (words_ + static_cast<double>(node.words.size()) > most_words) {
            throw std::length_error("the sparse clique tree of this network is too large");
        }
    });
    node.words.shrink_to_fit();
    node.runs = node.words.size() / node.run_words;
    runs_ += static_cast<double>(node.runs);
    words_ += static_cast<double>(node.words.size());
}

// Chunks write to cells of their own in the message to the parent, because the combinations are sorted by its cells. A
// root adds up one number, so each of its chunks has a cell. Beliefs of children are written in no such order: shares of
// the runs (lanes) sum them by themselves, and the sums are added.
void SparseTree::split_runs(Node& node) {
    std::uint32_t* parents = node.words.data() + 1;
    const auto parent_of = [&](std::size_t run) -> std::uint32_t& { return parents[run * node.run_words]; };
    node.chunks.push_back(0);
    const bool is_shared = node.runs >= least_shared_runs;
    for (std::size_t run = runs_of_a_chunk; is_shared && run < node.runs; run += runs_of_a_chunk) {
        while (node.parent >= 0 && run < node.runs && parent_of(run) == parent_of(run - 1)) ++run;
        if (run < node.runs) node.chunks.push_back(run);
    }
    node.chunks.push_back(node.runs);
    if (node.parent < 0) {
        node.separator = node.chunks.size() - 1;
        for (std::size_t chunk = 0; chunk + 1 < node.chunks.size(); ++chunk) {
            for (std::size_t run = node.chunks[chunk]; run < node.chunks[chunk + 1]; ++run) {
                parent_of(run) = static_cast<std::uint32_t>(chunk);
            }
        }
    }
    node.up = take(workspace_size_, node.separator);
    node.down = take(workspace_size_, node.separator);
    for (const Part& part : node.parts) {
        if (part.kind != Part::Kind::factor) node.lane_size += (part.size + 3) / 4 * 4;
    }
    node.lanes = is_shared ? most_lanes : 1;
    lanes_size_ = std::max(lanes_size_, (node.lanes - 1) * node.lane_size);
}

// Messages to the parents without findings.
void SparseTree::keep_prior_messages(int threads) {
    Workspace work;
    enter({}, work);
    for (std::size_t number = 0; number < nodes_.size(); ++number) {
        Node& node = nodes_[number];
        work.changed[number] = 1;
        node.prior_log = std::log(send_up(number, work, threads));
        for (const Part& part : node.parts) {
            if (part.kind == Part::Kind::message) node.prior_log += nodes_[part.number].prior_log;
        }
        std::size_t kept = kept_.size();
        node.prior_up = take(kept, node.separator);
        kept_.resize(kept);
        std::copy_n(work.numbers.data() + node.up, node.separator, kept_.data() + node.prior_up);
    }
}

}  // namespace bayou
