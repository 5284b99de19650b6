#include "bayou/search/equivalence_search.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <tuple>

namespace bayou {

namespace {

OrderedNetwork empty_network(std::size_t size) {
    OrderedNetwork network{BitRows(size), std::vector<std::uint32_t>(size)};
    std::iota(network.order.begin(), network.order.end(), 0u);
    return network;
}

bool same(ConstBitSpan a, ConstBitSpan b) { return std::equal(a.begin(), a.end(), b.begin()); }

}  // namespace

bool is_less(const Members& a, const Members& b) {
    return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

EquivalenceSearch::EquivalenceSearch(FamilyMemory& memory, std::vector<char> joinable, std::size_t most_parents,
                                     double least_gain)
    : gains_(memory, std::move(joinable), least_gain), most_parents_(most_parents),
      network_(empty_network(memory.size())), class_(memory.size()), renewed_(memory.size()),
      insertions_(memory.size()) {
    std::iota(renewed_.rbegin(), renewed_.rend(), 0u);
}

std::vector<ClassStep> EquivalenceSearch::steps(Clock::time_point until) {
    while (!is_finished_) {
        work();
        if (Clock::now() >= until) break;
    }
    return std::exchange(made_, {});
}

void EquivalenceSearch::work() {
    if (!renewed_.empty()) return renew();
    if (phase_ == Phase::insertions) return is_begun_ ? try_insertion() : begin_insertions();
    if (!is_begun_) return begin_changes();
    if (edge_ == edges_.size()) return try_change();
    return phase_ == Phase::deletions ? list_deletion() : list_turn();
}

// No step of this phase gains any more: go to the next phase, after the last one to the first if any step was made.
void EquivalenceSearch::end_phase() {
    is_begun_ = false;
    if (phase_ != Phase::turns) {
        phase_ = phase_ == Phase::insertions ? Phase::deletions : Phase::turns;
    } else if (has_moved_) {
        phase_ = Phase::insertions;
        has_moved_ = false;
    } else {
        is_finished_ = true;
    }
}

// Whether the network of a class respects the limit on parents.
bool EquivalenceSearch::fits(const Marks& marks) const {
    if (most_parents_ + 1 >= size()) return true;
    const auto network = extend(marks);
    if (!network) return false;
    for (std::size_t node = 0; node < size(); ++node) {
        if (count_bits(network->parents[node]) > most_parents_) return false;
    }
    return true;
}

// Whether a gain is clearly below the best one. An edge can often be added in both directions with gains that differ
// only by rounding; rounding must not decide between them.
bool EquivalenceSearch::is_beaten(double gain) const {
    return std::any_of(good_.begin(), good_.end(),
                       [&](const ClassStep& step) { return gain < step.gain - gains_.least(); });
}

// The step that gains most; of steps equal up to rounding, the one between the last variables.
ClassStep EquivalenceSearch::chosen() const {
    const ClassStep* best = nullptr;
    for (const ClassStep& step : good_) {
        if (is_beaten(step.gain)) continue;
        const bool is_later = !best || std::tie(step.tail, step.head) > std::tie(best->tail, best->head) ||
                              (std::tie(step.tail, step.head) == std::tie(best->tail, best->head) &&
                               is_less(best->clique, step.clique));
        if (is_later) best = &step;
    }
    return *best;
}

void EquivalenceSearch::take(const ClassStep& step, const Marks& marks) {
    auto network = extend(marks);
    if (!network) throw std::logic_error("a valid step leads to a class");
    become(step, std::move(*network));
}

void EquivalenceSearch::become(const ClassStep& step, OrderedNetwork network) {
    EquivalenceClass after(network);
    // Insertions are listed again for heads whose parents, neighbours or cliques may have changed.
    for (auto head = static_cast<std::uint32_t>(size()); head-- > 0;) {
        const ConstBitSpan edges = after.edges(head);
        const bool has_changed = !same(edges, class_.edges(head)) || !same(after.parents(head), class_.parents(head));
        if (has_changed || (has_bit(edges, step.tail) && has_bit(edges, step.head))) renewed_.push_back(head);
    }
    network_ = std::move(network);
    class_ = std::move(after);
    has_moved_ = true;
    is_begun_ = false;
    made_.push_back(step);
}

}  // namespace bayou
