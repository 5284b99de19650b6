#include "bayou/search/equivalence_class.hpp"

#include <algorithm>

namespace bayou {

namespace {

// Whether a set has members that are not in another set (and not `except`).
bool exceeds(ConstBitSpan set, ConstBitSpan other, std::uint32_t except) {
    for (std::size_t word = 0; word < set.size(); ++word) {
        const std::uint64_t itself = except / 64 == word ? bit_of(except) : 0;
        if (set[word] & ~other[word] & ~itself) return true;
    }
    return false;
}

BitRows turned(const BitRows& parents) {
    BitRows children(parents.size());
    for (std::uint32_t child = 0; child < parents.size(); ++child) {
        for_each_bit(parents[child], [&](std::uint32_t parent) { children.set(parent, child); });
    }
    return children;
}

// The highest member, taken out.
std::optional<std::uint32_t> take_last(BitSpan set) {
    for (std::size_t word = set.size(); word-- > 0;) {
        if (!set[word]) continue;
        const auto highest = static_cast<std::size_t>(63 - std::countl_zero(set[word]));
        const auto node = static_cast<std::uint32_t>(word * 64 + highest);
        clear_bit(set, node);
        return node;
    }
    return std::nullopt;
}

// Removes nodes one after the other (Dor and Tarsi 1992): a node without children, whose undirected neighbours are
// joined to all its other neighbours; its edges become arcs to it.
class Extension {
  public:
    explicit Extension(const Marks& marks) : marks_(marks), children_(turned(marks.parents)), adjacent_(children_) {
        for (std::uint32_t node = 0; node < size(); ++node) {
            unite(adjacent_[node], marks.parents[node]);
            unite(adjacent_[node], marks.edges[node]);
        }
        left_.resize(children_.words());
        for (std::uint32_t node = 0; node < size(); ++node) set_bit(left_, node);
    }

    std::optional<OrderedNetwork> run() {
        OrderedNetwork found{marks_.parents, {}};
        std::vector<std::uint64_t> waiting = left_;
        while (const auto node = take_last(waiting)) {
            if (!may_go(*node)) continue;
            clear_bit(left_, *node);
            found.order.push_back(*node);
            for (std::size_t word = 0; word < left_.size(); ++word) {
                found.parents[*node][word] |= marks_.edges[*node][word] & left_[word];
                waiting[word] |= adjacent_[*node][word] & left_[word];  // only these can have become removable
            }
        }
        if (found.order.size() < size()) return std::nullopt;
        return found;
    }

  private:
    std::size_t size() const { return adjacent_.size(); }

    bool may_go(std::uint32_t node) const {
        std::vector<std::uint64_t> around(left_.size());
        for (std::size_t word = 0; word < left_.size(); ++word) {
            if (children_[node][word] & left_[word]) return false;
            around[word] = adjacent_[node][word] & left_[word];
        }
        bool may = true;
        for (std::size_t word = 0; word < left_.size() && may; ++word) {
            for_each_in_word(marks_.edges[node][word] & left_[word], word, [&](std::uint32_t near) {
                may = may && !exceeds(around, adjacent_[near], near);
            });
        }
        return may;
    }

    const Marks& marks_;
    BitRows children_, adjacent_;
    std::vector<std::uint64_t> left_;
};

// The compelled arcs (Chickering 1995). The last parent p of a node decides. If a compelled arc w -> p comes from a w
// that is not a parent of the node, or if another parent of the node is not a parent of p, then all arcs into the node
// are compelled. Else only the arcs from those w are compelled that have a compelled arc w -> p.
BitRows compelled(const OrderedNetwork& network) {
    const BitRows& parents = network.parents;
    std::vector<std::size_t> depth(parents.size());
    for (std::size_t at = 0; at < network.order.size(); ++at) depth[network.order[at]] = network.order.size() - at;
    BitRows kept(parents.size());
    for (auto node = network.order.rbegin(); node != network.order.rend(); ++node) {
        std::optional<std::uint32_t> last;
        for_each_bit(parents[*node], [&](std::uint32_t parent) {
            if (!last || depth[parent] > depth[*last]) last = parent;
        });
        if (!last) continue;
        const bool all = exceeds(kept[*last], parents[*node], *last) || exceeds(parents[*node], parents[*last], *last);
        unite(kept[*node], all ? parents[*node] : std::as_const(kept)[*last]);
    }
    return kept;
}

}  // namespace

void Marks::direct(std::uint32_t tail, std::uint32_t head) {
    parents.set(head, tail);
    edges.clear(head, tail);
    edges.clear(tail, head);
}

std::optional<OrderedNetwork> extend(const Marks& marks) { return Extension(marks).run(); }

EquivalenceClass::EquivalenceClass(std::size_t size)
    : marks_{BitRows(size), BitRows(size)}, onward_(size), joined_(size), within_reach_(size),
      is_traced_(size) {}

EquivalenceClass::EquivalenceClass(const OrderedNetwork& network)
    : marks_{compelled(network), BitRows(network.parents.size())}, onward_(turned(marks_.parents)), joined_(onward_),
      within_reach_(joined_.size()), is_traced_(joined_.size()) {
    for (std::uint32_t child = 0; child < size(); ++child) {
        for_each_bit(network.parents[child], [&](std::uint32_t parent) {
            if (marks_.parents.has(child, parent)) return;
            marks_.edges.set(child, parent);
            marks_.edges.set(parent, child);
        });
    }
    for (std::uint32_t node = 0; node < size(); ++node) {
        unite(onward_[node], marks_.edges[node]);
        unite(joined_[node], onward_[node]);
        unite(joined_[node], marks_.parents[node]);
    }
}

bool EquivalenceClass::admits_insertion(std::uint32_t tail, std::uint32_t head, const Members& clique) {
    if (joined_.has(head, tail)) return false;
    bool is_shared_within = true;  // all neighbours that are shared must be in the clique
    for (std::size_t word = 0; word < joined_.words() && is_shared_within; ++word) {
        for_each_in_word(edges(head)[word] & joined_[tail][word], word, [&](std::uint32_t node) {
            is_shared_within = is_shared_within && std::binary_search(clique.begin(), clique.end(), node);
        });
    }
    if (!is_shared_within) return false;
    // Most tails are not reachable from the head at all; the reachable nodes are found once per head.
    if (!is_traced_[head]) {
        trace(head, {}, within_reach_[head]);
        is_traced_[head] = true;
    }
    if (clique.empty() || !within_reach_.has(head, tail)) return !within_reach_.has(head, tail);
    std::vector<std::uint64_t> seen(joined_.words());
    trace(head, clique, seen);
    return !has_bit(seen, tail);
}

// The nodes on semi-directed paths from `start` that avoid the blocked nodes (which count as reached).
void EquivalenceClass::trace(std::uint32_t start, const Members& blocked, BitSpan seen) const {
    set_bit(seen, start);
    for (const std::uint32_t node : blocked) set_bit(seen, node);
    std::vector<std::uint32_t> front{start};
    while (!front.empty()) {
        const ConstBitSpan ways = onward_[front.back()];
        front.pop_back();
        for (std::size_t word = 0; word < seen.size(); ++word) {
            const std::uint64_t fresh = ways[word] & ~seen[word];
            seen[word] |= fresh;
            for_each_in_word(fresh, word, [&](std::uint32_t node) { front.push_back(node); });
        }
    }
}

Marks EquivalenceClass::after_insertion(std::uint32_t tail, std::uint32_t head, const Members& clique) const {
    Marks marks = marks_;
    for (const std::uint32_t member : clique) {
        if (!joined_.has(tail, member)) marks.direct(member, head);
    }
    marks.parents.set(head, tail);
    return marks;
}

Marks EquivalenceClass::after_deletion(std::uint32_t tail, std::uint32_t head, const Members& clique) const {
    Marks marks = marks_;
    marks.parents.clear(head, tail);
    marks.edges.clear(head, tail);
    marks.edges.clear(tail, head);
    for_each_bit(edges(head), [&](std::uint32_t node) {
        if (!joined_.has(tail, node) || std::binary_search(clique.begin(), clique.end(), node)) return;
        for (const std::uint32_t end : {head, tail}) {
            if (marks.edges.has(node, end)) marks.direct(end, node);
        }
    });
    return marks;
}

void CliqueWalk::start(std::vector<std::uint64_t> within) {
    left_.assign(1, std::move(within));
    clique_.clear();
}

bool CliqueWalk::next(const EquivalenceClass& graph) {
    while (!left_.empty()) {
        std::vector<std::uint64_t>& left = left_.back();
        const auto word = std::find_if(left.begin(), left.end(), [](std::uint64_t bits) { return bits != 0; });
        if (word == left.end()) {
            left_.pop_back();
            if (!clique_.empty()) clique_.pop_back();
            continue;
        }
        const auto node = static_cast<std::uint32_t>((word - left.begin()) * 64 + std::countr_zero(*word));
        clear_bit(left, node);
        std::vector<std::uint64_t> deeper = left;
        for (std::size_t at = 0; at < deeper.size(); ++at) deeper[at] &= graph.joined(node)[at];
        left_.push_back(std::move(deeper));
        clique_.push_back(node);
        return true;
    }
    return false;
}

}  // namespace bayou
