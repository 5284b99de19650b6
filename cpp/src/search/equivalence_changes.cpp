// The later phases of greedy equivalence search: edges are deleted, arcs are turned.
#include <algorithm>

#include "bayou/search/equivalence_search.hpp"

namespace bayou {

namespace {

bool gains_more(const ClassStep& a, const ClassStep& b) { return a.gain > b.gain; }

}  // namespace

// Deletions: each edge of the class, undirected ones with either end as head. Turns: each arc of the network.
void EquivalenceSearch::begin_changes() {
    edges_.clear();
    changes_.clear();
    good_.clear();
    edge_ = place_ = 0;
    is_begun_ = true;
    for (std::uint32_t node = 0; node < size(); ++node) {
        if (phase_ == Phase::turns) {
            for_each_bit(network_.parents[node], [&](std::uint32_t parent) { edges_.emplace_back(node, parent); });
            continue;
        }
        for (std::size_t word = 0; word < network_.parents.words(); ++word) {
            for_each_in_word(class_.parents(node)[word] | class_.edges(node)[word], word,
                             [&](std::uint32_t tail) { edges_.emplace_back(tail, node); });
        }
    }
}

// Lists the deletion of an edge with one clique of shared neighbours, which stay parents of its head.
void EquivalenceSearch::list_deletion() {
    const auto [tail, head] = edges_[edge_];
    if (!is_walking_) {
        std::vector<std::uint64_t> shared(network_.parents.words());
        for (std::size_t word = 0; word < shared.size(); ++word) {
            shared[word] = class_.edges(head)[word] & class_.joined(tail)[word];
        }
        walk_.start(std::move(shared));
        is_walking_ = true;
    }
    std::vector<std::uint64_t> parents(class_.parents(head).begin(), class_.parents(head).end());
    for (const std::uint32_t member : walk_.clique()) set_bit(parents, member);
    clear_bit(parents, tail);
    const double without = gains_.family(head, members_of(parents));
    set_bit(parents, tail);
    const double gain = without - gains_.family(head, members_of(parents));
    if (gain > gains_.least()) changes_.push_back({gain, tail, head, walk_.clique()});
    if (walk_.next(class_)) return;
    is_walking_ = false;
    if (++edge_ == edges_.size()) std::stable_sort(changes_.begin(), changes_.end(), gains_more);
}

void EquivalenceSearch::list_turn() {
    const auto [child, parent] = edges_[edge_];  // the arc leads from the parent, and will lead from the child
    const Members own = members_of(network_.parents[child]), others = members_of(network_.parents[parent]);
    Members fewer = own, more = others;
    std::erase(fewer, parent);
    more.insert(std::upper_bound(more.begin(), more.end(), child), child);
    const double lost = gains_.family(child, fewer) - gains_.family(child, own);
    const double gain = lost + gains_.family(parent, more) - gains_.family(parent, others);
    if (gain > gains_.least() && more.size() <= most_parents_) changes_.push_back({gain, child, parent, {}});
    if (++edge_ == edges_.size()) std::stable_sort(changes_.begin(), changes_.end(), gains_more);
}

void EquivalenceSearch::try_change() {
    const bool turns = phase_ == Phase::turns;
    if (place_ == changes_.size() || is_beaten(changes_[place_].gain)) {
        if (good_.empty()) return end_phase();
        const ClassStep step = chosen();
        if (turns) return become(step, turned_network(step).value());
        return take(step, class_.after_deletion(step.tail, step.head, step.clique));
    }
    const ClassStep& step = changes_[place_++];
    const bool is_possible = turns ? turned_network(step).has_value()
                                   : fits(class_.after_deletion(step.tail, step.head, step.clique));
    if (is_possible) good_.push_back(step);
}

// The network with the arc turned; none if that closes a cycle.
std::optional<OrderedNetwork> EquivalenceSearch::turned_network(const ClassStep& turn) const {
    Marks marks{network_.parents, BitRows(size())};
    marks.parents.clear(turn.tail, turn.head);
    marks.parents.set(turn.head, turn.tail);
    return extend(marks);
}

}  // namespace bayou
