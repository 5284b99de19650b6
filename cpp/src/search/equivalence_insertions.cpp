// The first phase of greedy equivalence search: insertions, listed for each head and tried by their gain.
#include <algorithm>

#include "bayou/search/equivalence_search.hpp"

namespace bayou {

namespace {

std::vector<std::uint64_t> copy_of(ConstBitSpan set) { return {set.begin(), set.end()}; }

}  // namespace

void EquivalenceSearch::renew() {
    const std::uint32_t head = renewed_.back();
    Insertions& list = insertions_[head];
    if (!is_walking_) {
        list.cliques.clear();
        list.ranked.clear();
        walk_.start(copy_of(class_.edges(head)));
        is_walking_ = true;
    }
    list_insertions(head);
    if (walk_.next(class_)) return;
    is_walking_ = false;
    renewed_.pop_back();
    rank_insertions(list);
}

void EquivalenceSearch::list_insertions(std::uint32_t head) {
    std::vector<std::uint64_t> parents = copy_of(class_.parents(head));
    for (const std::uint32_t member : walk_.clique()) set_bit(parents, member);
    if (count_bits(parents) >= most_parents_) return;
    Insertions& list = insertions_[head];
    const auto clique = static_cast<std::uint32_t>(list.cliques.size());
    list.cliques.push_back(walk_.clique());
    for (const auto& [gain, tail] : gains_.additions(head, members_of(parents))) {
        list.ranked.push_back({gain, tail, clique});
    }
}

void EquivalenceSearch::rank_insertions(Insertions& list) {
    std::sort(list.ranked.begin(), list.ranked.end(), [&](const Insertion& a, const Insertion& b) {
        if (a.gain != b.gain) return a.gain > b.gain;
        if (a.tail != b.tail) return a.tail > b.tail;
        return is_less(list.cliques[b.clique], list.cliques[a.clique]);
    });
}

void EquivalenceSearch::begin_insertions() {
    heads_.clear();
    for (std::uint32_t head = 0; head < size(); ++head) {
        const auto& ranked = insertions_[head].ranked;
        if (!ranked.empty()) heads_.emplace_back(ranked.front().gain, head);
    }
    std::sort(heads_.rbegin(), heads_.rend());
    head_ = place_ = 0;
    good_.clear();
    is_begun_ = true;
}

void EquivalenceSearch::try_insertion() {
    if (head_ == heads_.size() || is_beaten(heads_[head_].first)) {
        if (good_.empty()) return end_phase();
        const ClassStep step = chosen();
        return take(step, class_.after_insertion(step.tail, step.head, step.clique));
    }
    const std::uint32_t head = heads_[head_].second;
    const Insertions& list = insertions_[head];
    if (place_ == list.ranked.size() || is_beaten(list.ranked[place_].gain)) {
        ++head_;
        place_ = 0;
        return;
    }
    const auto& [gain, tail, place] = list.ranked[place_++];
    const Members& clique = list.cliques[place];
    if (class_.admits_insertion(tail, head, clique) && fits(class_.after_insertion(tail, head, clique))) {
        good_.push_back({gain, tail, head, clique});
    }
}

}  // namespace bayou
