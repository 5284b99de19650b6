// Questions to a sparse clique tree: messages from the findings to the root, then from the root to all cliques.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "bayou/base/interrupt.hpp"
#include "bayou/base/thread_pool.hpp"
#include "bayou/base/underflow.hpp"
#include "bayou/inference/sparse_tree.hpp"
#include "bayou/tables/table_walk.hpp"
#include "sparse_loops.hpp"

namespace bayou {

namespace {

constexpr double log_of_impossible = -std::numeric_limits<double>::infinity();

// As pooled_for, but an underflow in any thread is noted in the caller's.
template <class Body>
void noting_underflow(std::size_t tasks, int threads, const Body& body) {
    if (tasks == 1) return body(0);
    std::atomic<bool> underflowed{false};
    pooled_for(tasks, threads, [&](std::size_t task, int worker) {
        if (worker != 0) forget_underflow();
        body(task);
        if (worker != 0 && has_underflowed()) underflowed = true;
    });
    if (underflowed) note_underflow();
}

}  // namespace

const double* SparseTree::values_of(const Part& part, const Workspace& work) const {
    if (part.kind == Part::Kind::factor) return kept_.data() + part.values;
    const bool is_prior = part.kind == Part::Kind::message && !work.changed[part.number];
    return is_prior ? kept_.data() + nodes_[part.number].prior_up : work.numbers.data() + part.values;
}

void SparseTree::enter(std::span<const WeightedStates> findings, Workspace& work) const {
    if (work.numbers.size() < workspace_size_) work.numbers.resize(workspace_size_);
    if (work.lanes.size() < lanes_size_) work.lanes.resize(lanes_size_);
    work.changed.assign(nodes_.size(), 0);
    work.weighted.assign(cards_.size(), 0);
    for (const auto& [variable, weights] : findings) {
        double* to = work.numbers.data() + weights_[variable];
        // A second finding about a variable is multiplied to the first.
        for (std::uint32_t state = 0; state < cards_[variable]; ++state) {
            to[state] = work.weighted[variable] ? to[state] * weights[state] : weights[state];
        }
        work.weighted[variable] = 1;
        for (auto at = static_cast<std::int64_t>(home_[variable]); at >= 0 && !work.changed[at];
             at = nodes_[at].parent) {
            work.changed[at] = 1;
        }
    }
}

// Returns the message's largest value, by which it is divided (at a root: the sum).
double SparseTree::send_up(std::size_t number, Workspace& work, int threads) const {
    const Node& node = nodes_[number];
    RunProduct product;
    for (const Part& part : node.parts) {
        if (part.kind == Part::Kind::variable && !work.weighted[part.number]) continue;
        product.add({values_of(part, work), part.word}, part.moves);
    }
    double* message = work.numbers.data() + node.up;
    std::fill_n(message, node.separator, 0.0);
    noting_underflow(node.chunks.size() - 1, threads, [&](std::size_t chunk) {
        stop_if_interrupted();
        const Runs runs{node.words.data() + node.chunks[chunk] * node.run_words, node.run_words,
                        node.chunks[chunk + 1] - node.chunks[chunk]};
        sum_runs(runs, product, message, node.parent_moves);
    });
    if (node.parent >= 0) return scale_message({message, node.separator});
    double total = 0;
    for (std::size_t chunk = 0; chunk < node.separator; ++chunk) total += message[chunk];
    return total;
}

double SparseTree::collect(Workspace& work, int threads) const {
    double log_evidence = 0;
    for (std::size_t number = 0; number < nodes_.size(); ++number) {
        const Node& node = nodes_[number];
        if (work.changed[number]) {
            const double largest = send_up(number, work, threads);
            if (!(largest > 0)) return log_of_impossible;
            log_evidence += std::log(largest);
        } else if (node.parent < 0 || work.changed[node.parent]) {
            log_evidence += node.prior_log;
        }
    }
    return log_evidence;
}

// The sums of all products over one lane's share of the runs; the first lane writes to the beliefs themselves.
void SparseTree::run_lane(const Node& node, std::size_t lane, Workspace& work) const {
    RunProduct product;
    RunSums sums;
    if (node.parent >= 0) product.add({work.numbers.data() + node.down, 1}, node.parent_moves);
    double* own = work.lanes.data() + (lane > 0 ? lane - 1 : 0) * node.lane_size;
    if (lane > 0) std::fill_n(own, node.lane_size, 0.0);
    for (const Part& part : node.parts) {
        const bool is_one = part.kind == Part::Kind::variable && !work.weighted[part.number];
        if (!is_one) product.add({values_of(part, work), part.word}, part.moves);
        if (part.kind == Part::Kind::factor) continue;
        double* belief = lane > 0 ? own : work.numbers.data() + part.belief;
        if (lane == 0) std::fill_n(belief, part.size, 0.0);
        own += lane > 0 ? (part.size + 3) / 4 * 4 : 0;
        sums.add({belief, part.word}, part.moves);
    }
    const std::size_t first = node.runs * lane / node.lanes, last = node.runs * (lane + 1) / node.lanes;
    stop_if_interrupted();
    spread_runs({node.words.data() + first * node.run_words, node.run_words, last - first}, product, sums);
}

void SparseTree::distribute(std::size_t number, Workspace& work, int threads) const {
    const Node& node = nodes_[number];
    noting_underflow(node.lanes, threads, [&](std::size_t lane) { run_lane(node, lane, work); });
    for (std::size_t lane = 1; lane < node.lanes; ++lane) {
        const double* own = work.lanes.data() + (lane - 1) * node.lane_size;
        for (const Part& part : node.parts) {
            if (part.kind == Part::Kind::factor) continue;
            double* belief = work.numbers.data() + part.belief;
            for (std::size_t at = 0; at < part.size; ++at) belief[at] += own[at];
            own += (part.size + 3) / 4 * 4;
        }
    }
}

// message to the child = belief / message from the child, with 0 / 0 = 0.
bool SparseTree::turn_beliefs(const Node& node, Workspace& work) const {
    for (const Part& part : node.parts) {
        if (part.kind != Part::Kind::message) continue;
        double* belief = work.numbers.data() + part.belief;
        const double* received = values_of(part, work);
        for (std::size_t at = 0; at < part.size; ++at) belief[at] = received[at] > 0 ? belief[at] / received[at] : 0.0;
        if (!(scale_message({belief, part.size}) > 0)) return false;
    }
    return true;
}

bool SparseTree::read_marginals(const Workspace& work, std::span<double> answer) const {
    for (std::size_t variable = 0; variable < cards_.size(); ++variable) {
        const double* belief = work.numbers.data() + beliefs_[variable];
        double total = 0;
        for (std::uint32_t state = 0; state < cards_[variable]; ++state) total += belief[state];
        if (!(total > 0)) return false;
        for (std::uint32_t state = 0; state < cards_[variable]; ++state) {
            answer[offsets_[variable] + state] = belief[state] / total;
        }
    }
    return true;
}

double SparseTree::marginals(std::span<const WeightedStates> findings, Workspace& work, std::span<double> answer,
                             int threads) const {
    forget_underflow();
    enter(findings, work);
    const double log_evidence = collect(work, threads);
    bool is_known = log_evidence > log_of_impossible;
    for (std::size_t number = nodes_.size(); number-- > 0 && is_known;) {
        distribute(number, work, threads);
        is_known = turn_beliefs(nodes_[number], work);
    }
    is_known = is_known && read_marginals(work, answer);
    // What underflowed may matter where P(findings) is very small: the answer is then not known here.
    const bool underflowed = tables_underflowed_ || has_underflowed();
    if (underflowed && !(is_known && log_evidence > safe_log)) return std::numeric_limits<double>::quiet_NaN();
    return is_known ? log_evidence : log_of_impossible;
}

}  // namespace bayou
