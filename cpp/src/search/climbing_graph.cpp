#include "bayou/search/climbing_graph.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace bayou {

namespace {

constexpr double nothing = -std::numeric_limits<double>::infinity();

}  // namespace

ClimbingGraph::ClimbingGraph(std::size_t size, std::vector<char> required, std::vector<char> allowed)
    : size_(size), required_(std::move(required)), allowed_(std::move(allowed)),
      parents_(size), ancestors_(size), far_ancestors_(size), columns_(size), current_(size, nullptr) {
    if (required_.size() != size * size || allowed_.size() != size * size) {
        throw std::invalid_argument("required and allowed: expected square matrices");
    }
    rebuild(std::vector<Parents>(size));
}

void ClimbingGraph::use_memory(FamilyMemory& memory, std::size_t most_parents, double worst) {
    if (memory.size() != size_) throw std::invalid_argument("memory: expected one of as many variables");
    memory_ = &memory;
    most_parents_ = most_parents;
    worst_ = worst;
}

void ClimbingGraph::rebuild(std::vector<Parents> parents) {
    if (parents.size() != size_) throw std::invalid_argument("parents: expected a list a variable");
    std::vector<std::uint32_t> waiting(size_);  // how many parents of each are not traced yet
    std::vector<Parents> children(size_);
    for (std::size_t child = 0; child < size_; ++child) {
        std::sort(parents[child].begin(), parents[child].end());
        for (const std::uint32_t parent : parents[child]) {
            if (parent >= size_) throw std::invalid_argument("parents: expected positions of variables");
            children[parent].push_back(static_cast<std::uint32_t>(child));
        }
        waiting[child] = static_cast<std::uint32_t>(parents[child].size());
    }
    Parents order;
    for (std::uint32_t node = 0; node < size_; ++node) {
        if (waiting[node] == 0) order.push_back(node);
    }
    for (std::size_t at = 0; at < order.size(); ++at) {
        for (const std::uint32_t child : children[order[at]]) {
            if (--waiting[child] == 0) order.push_back(child);
        }
    }
    if (order.size() < size_) throw std::invalid_argument("parents: the arcs run in a circle");
    parents_ = std::move(parents);
    for (const std::uint32_t node : order) update_ancestors(node);
    for (std::uint32_t child = 0; child < size_; ++child) find_column(child);
}

void ClimbingGraph::find_column(std::uint32_t child) {
    const auto found = columns_[child].find(parents_[child]);
    current_[child] = found == columns_[child].end() ? nullptr : &found->second;
}

std::vector<std::uint32_t> ClimbingGraph::unknown() const {
    std::vector<std::uint32_t> children;
    for (std::uint32_t child = 0; child < size_; ++child) {
        if (!current_[child]) children.push_back(child);
    }
    return children;
}

void ClimbingGraph::set_column(std::uint32_t child, double score, std::span<const double> adding,
                         std::span<const double> dropping) {
    if (child >= size_ || adding.size() != size_ || dropping.size() != size_) {
        throw std::invalid_argument("a column: expected a gain for every variable");
    }
    Column column{score, {adding.begin(), adding.end()}, {dropping.begin(), dropping.end()}, {}};
    for (std::uint32_t parent = 0; parent < size_; ++parent) {
        if (adding[parent] > nothing) column.ranked.push_back({adding[parent], parent});
    }
    std::stable_sort(column.ranked.begin(), column.ranked.end(),
                     [](const Candidate& a, const Candidate& b) { return a.gain > b.gain; });
    current_[child] = &columns_[child].insert_or_assign(parents_[child], std::move(column)).first->second;
}

void ClimbingGraph::score_column(std::uint32_t child) {
    const Parents& own = parents_[child];
    FamilyMemory::Wanted families{{child, own}};
    for (const std::uint32_t parent : own) {
        families.emplace_back(child, own);
        std::erase(families.back().second, parent);
    }
    std::vector<double> known(families.size());
    memory_->families(families, known.data());
    const double score = std::max(known[0], worst_);
    std::vector<double> adding(size_, nothing), dropping(size_, nothing);
    for (std::size_t at = 0; at < own.size(); ++at) dropping[own[at]] = std::max(known[at + 1], worst_) - score;
    if (own.size() < most_parents_) {
        Parents candidates;
        for (std::uint32_t other = 0; other < size_; ++other) {
            if (allowed_[other * size_ + child] && !std::binary_search(own.begin(), own.end(), other)) {
                candidates.push_back(other);
            }
        }
        std::vector<double> scores(candidates.size());
        if (!candidates.empty()) memory_->additions(child, own, candidates, scores.data());
        for (std::size_t at = 0; at < candidates.size(); ++at) {
            adding[candidates[at]] = std::max(scores[at], worst_) - score;
        }
    }
    set_column(child, score, adding, dropping);
}

bool ClimbingGraph::fill(Clock::time_point until) {
    bool is_first = true;
    for (std::uint32_t child = 0; child < size_; ++child) {
        if (current_[child]) continue;
        if (!memory_ || (!is_first && Clock::now() >= until)) return false;
        score_column(child);
        is_first = false;
    }
    return true;
}

// Whether both ends of an arc have the same other parents; then turning it gives an equivalent acyclic graph
// (Chickering 1995).
bool ClimbingGraph::is_covered(std::uint32_t parent, std::uint32_t child) const {
    const Parents &up = parents_[parent], &down = parents_[child];
    if (down.size() != up.size() + 1) return false;
    std::size_t at = 0;
    for (const std::uint32_t other : down) {
        if (other == parent) continue;
        if (at == up.size() || up[at++] != other) return false;
    }
    return true;
}

void ClimbingGraph::perturb(double share, std::span<const double> numbers) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> arcs;  // parent and child
    for (std::uint32_t child = 0; child < size_; ++child) {
        for (const std::uint32_t parent : parents_[child]) arcs.emplace_back(parent, child);
    }
    if (numbers.size() < arcs.size()) throw std::invalid_argument("numbers: expected one an arc at least");
    for (const double number : numbers) {
        if (!(number >= 0 && number < 1)) throw std::invalid_argument("numbers: expected to be from 0 to below 1");
    }
    std::size_t used = 0;
    for (; used < numbers.size() - arcs.size() && !arcs.empty(); ++used) {
        auto& [parent, child] = arcs[static_cast<std::size_t>(numbers[used] * static_cast<double>(arcs.size()))];
        const bool may_turn = !required_[parent * size_ + child] && allowed_[child * size_ + parent];
        if (!may_turn || !is_covered(parent, child)) continue;
        std::erase(parents_[child], parent);
        Parents& list = parents_[parent];
        list.insert(std::upper_bound(list.begin(), list.end(), child), child);
        std::swap(parent, child);
    }
    for (const auto& [parent, child] : arcs) {
        const double number = numbers[used++];
        if (number < share && !required_[parent * size_ + child]) std::erase(parents_[child], parent);
    }
    rebuild(std::vector<Parents>(parents_));
}

// The ancestors of a node from those of its parents.
void ClimbingGraph::update_ancestors(std::uint32_t node) {
    const BitSpan all = ancestors_[node], far = far_ancestors_[node];
    std::fill(all.begin(), all.end(), 0);
    std::fill(far.begin(), far.end(), 0);
    set_bit(all, node);
    for (const std::uint32_t parent : parents_[node]) {
        const ConstBitSpan above = ancestors_[parent];
        for (std::size_t word = 0; word < above.size(); ++word) {
            const std::uint64_t itself = parent / 64 == word ? bit_of(parent) : 0;
            all[word] |= above[word];
            far[word] |= above[word] & ~itself;
        }
    }
}

// Updates the child and its descendants, ancestors before descendants.
void ClimbingGraph::update_descendants(std::uint32_t child) {
    std::vector<std::pair<std::size_t, std::uint32_t>> below;
    for (std::uint32_t node = 0; node < size_; ++node) {
        // Sorted by the number of ancestors: an ancestor has fewer ancestors than its descendants.
        if (ancestors_.has(node, child)) below.emplace_back(count_bits(ancestors_[node]), node);
    }
    std::sort(below.begin(), below.end());
    for (const auto& [count, node] : below) update_ancestors(node);
}

void ClimbingGraph::link(std::uint32_t parent, std::uint32_t child) {
    Parents& list = parents_[child];
    list.insert(std::upper_bound(list.begin(), list.end(), parent), parent);
    update_descendants(child);
}

void ClimbingGraph::unlink(std::uint32_t parent, std::uint32_t child) {
    Parents& list = parents_[child];
    list.erase(std::find(list.begin(), list.end(), parent));
    update_descendants(child);
}

void ClimbingGraph::apply(const GraphMove& move) {
    if (move.change == Change::add) {
        link(move.parent, move.child);
    } else {
        unlink(move.parent, move.child);
    }
    if (move.change == Change::turn) {
        link(move.child, move.parent);
        find_column(move.parent);
    }
    find_column(move.child);
}

double ClimbingGraph::score() const {
    double total = 0;
    for (const Column* column : current_) total += column ? column->score : 0.0;
    return total;
}

std::optional<GraphMove> ClimbingGraph::best_addition(double tolerance, const std::vector<char>* excluded) const {
    double highest = nothing;
    for (std::uint32_t child = 0; child < size_; ++child) {
        for (const Candidate& candidate : current_[child]->ranked) {
            if (candidate.gain <= highest) break;
            if (may_add(candidate.parent, child, excluded)) highest = candidate.gain;
        }
    }
    if (highest == nothing) return std::nullopt;
    std::optional<GraphMove> first;
    for (std::uint32_t child = 0; child < size_; ++child) {
        for (const Candidate& candidate : current_[child]->ranked) {
            if (candidate.gain < highest - tolerance) break;
            if (first && std::pair(candidate.parent, child) > std::pair(first->parent, first->child)) continue;
            if (!may_add(candidate.parent, child, excluded)) continue;
            first = {Change::add, candidate.parent, child, candidate.gain};
        }
    }
    return first;
}

void ClimbingGraph::improve_by_change(Change change, double tolerance, const std::vector<char>* excluded,
                                      std::optional<GraphMove>& found) const {
    std::vector<GraphMove> moves;
    double highest = nothing;
    for (std::uint32_t child = 0; child < size_; ++child) {
        for (const std::uint32_t parent : parents_[child]) {
            const std::size_t place = parent * size_ + child;
            if (required_[place] || (excluded && (*excluded)[place])) continue;
            double gain = current_[child]->dropping[parent];
            if (change == Change::turn) {
                gain += far_ancestors_.has(child, parent) ? nothing : current_[parent]->adding[child];
            }
            if (gain == nothing) continue;
            moves.push_back({change, parent, child, gain});
            highest = std::max(highest, gain);
        }
    }
    if (highest == nothing || (found && highest <= found->gain + tolerance)) return;
    const GraphMove* first = nullptr;
    for (const GraphMove& move : moves) {
        if (move.gain < highest - tolerance) continue;
        if (!first || std::pair(move.parent, move.child) < std::pair(first->parent, first->child)) first = &move;
    }
    if (!found || first->gain > found->gain + tolerance) found = *first;
}

std::optional<GraphMove> ClimbingGraph::best(double tolerance, const std::vector<char>* excluded) const {
    if (std::find(current_.begin(), current_.end(), nullptr) != current_.end()) {
        throw std::invalid_argument("a column is unknown: expected to be told all of them first");
    }
    std::optional<GraphMove> found = best_addition(tolerance, excluded);
    improve_by_change(Change::drop, tolerance, excluded, found);
    improve_by_change(Change::turn, tolerance, excluded, found);
    return found;
}

std::vector<GraphMove> ClimbingGraph::climb(double tolerance, std::size_t most, Clock::time_point until) {
    std::vector<GraphMove> moves;
    while (moves.size() < most) {
        const bool all_known = std::find(current_.begin(), current_.end(), nullptr) == current_.end();
        if (!moves.empty() && !all_known) {
            if (Clock::now() >= until || !fill(until)) break;
        }
        const std::optional<GraphMove> move = best(tolerance);
        if (!move || !(move->gain > tolerance)) break;
        apply(*move);
        moves.push_back(*move);
    }
    return moves;
}

}  // namespace bayou
