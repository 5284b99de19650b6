// Greedy orders of elimination: the graph of the variables, and one run that eliminates the cheapest variable again and
// again. Used by elimination_order.cpp, and by the search for orders of sparse trees.
//
// The graph has one row of bits per variable, so that joining the neighbours of a variable takes a few operations
// on words; after each step only the scores that may have changed are computed again. Simplicial variables (whose
// neighbours are all joined already) are eliminated first, once for all tries: no order does better on them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "bayou/base/bit_rows.hpp"
#include "bayou/inference/elimination_order.hpp"

namespace bayou {

enum class Rule { fill, weighted_fill, size };

// The score of a variable with more neighbours is computed only as far as it can matter.
constexpr std::size_t many_neighbours = 64;

// The remaining variables, with an edge between two that share a table.
class Graph {
  public:
    explicit Graph(std::size_t nodes) : neighbours_(nodes), left_(neighbours_.words()) {}

    Graph(std::size_t nodes, const std::vector<std::vector<std::uint32_t>>& scopes) : Graph(nodes) {
        for (const auto& scope : scopes) {
            for (const std::uint32_t a : scope) {
                add(a);
                for (const std::uint32_t b : scope) {
                    if (a != b) neighbours_.set(a, b);
                }
            }
        }
    }

    std::size_t nodes() const { return neighbours_.size(); }
    bool has(std::uint32_t node) const { return has_bit(left_, node); }
    ConstBitSpan neighbours(std::uint32_t node) const { return neighbours_[node]; }

    void list_neighbours(std::uint32_t node, std::vector<std::uint32_t>& found) const {
        found.clear();
        for_each_bit(neighbours_[node], [&](std::uint32_t other) { found.push_back(other); });
    }

    // Calls body(a, b) for every pair of neighbours of a node that is not joined, until it returns false.
    template <class Body>
    bool for_missing(const std::vector<std::uint32_t>& near, std::uint32_t node, const Body& body) const {
        const ConstBitSpan of_node = neighbours_[node];
        for (const std::uint32_t a : near) {
            const ConstBitSpan of_a = neighbours_[a];
            std::uint64_t above = ~std::uint64_t{1} << (a % 64);
            for (std::size_t word = a / 64; word < of_a.size(); ++word, above = ~std::uint64_t{0}) {
                for (std::uint64_t rest = of_node[word] & ~of_a[word] & above; rest; rest &= rest - 1) {
                    if (!body(a, static_cast<std::uint32_t>(64 * word + std::countr_zero(rest)))) return false;
                }
            }
        }
        return true;
    }

    bool is_simplicial(std::uint32_t node, const std::vector<std::uint32_t>& near) const {
        return for_missing(near, node, [](auto, auto) { return false; });
    }

    void add(std::uint32_t node) { set_bit(left_, node); }

    void join(std::uint32_t a, std::uint32_t b) {
        neighbours_.set(a, b);
        neighbours_.set(b, a);
    }

    void remove(std::uint32_t node, const std::vector<std::uint32_t>& near) {
        for (const std::uint32_t other : near) neighbours_.clear(other, node);
        clear_bit(left_, node);
    }

  private:
    BitRows neighbours_;
    std::vector<std::uint64_t> left_;
};

// The input of the search: the graph without the simplicial variables, its nodes renumbered.
struct ReducedGraph {
    std::vector<std::uint32_t> variables;  // of each node
    std::vector<double> cards;
    std::vector<char> late;
    Graph graph{0};
    bool same_cards = true;
};

inline double clique_entries(const std::vector<double>& cards, std::uint32_t node, const std::vector<std::uint32_t>& near) {
    double size = cards[node];
    for (const std::uint32_t other : near) size *= cards[other];
    return size;
}

inline void append(EliminationOrder& order, double entries, std::uint32_t node, const std::vector<std::uint32_t>& near,
            const std::vector<std::uint32_t>* names) {
    const auto name = [&](std::uint32_t which) { return names ? (*names)[which] : which; };
    order.entries += entries;
    order.variables.push_back(name(node));
    auto& clique = order.cliques.emplace_back();
    clique.reserve(near.size() + 1);
    clique.push_back(name(node));
    for (const std::uint32_t other : near) clique.push_back(name(other));
}

// Eliminates simplicial variables (all of whose neighbours are joined to each other), as long as there are any.
inline void eliminate_simplicial(Graph& graph, const std::vector<double>& cards, const std::vector<char>& late,
                    EliminationOrder& order) {
    std::vector<std::uint32_t> pending, near;
    std::vector<char> waits(graph.nodes(), 1);
    for (auto node = static_cast<std::uint32_t>(graph.nodes()); node-- > 0;) pending.push_back(node);
    while (!pending.empty()) {
        const std::uint32_t node = pending.back();
        pending.pop_back();
        waits[node] = 0;
        if (!graph.has(node) || late[node]) continue;
        graph.list_neighbours(node, near);
        if (!graph.is_simplicial(node, near)) continue;
        append(order, clique_entries(cards, node, near), node, near, nullptr);
        graph.remove(node, near);
        for (const std::uint32_t other : near) {
            if (!waits[other]) pending.push_back(other);
            waits[other] = 1;
        }
    }
}

inline ReducedGraph reduce(const Graph& graph, const std::vector<double>& cards, const std::vector<char>& late) {
    ReducedGraph reduced;
    std::vector<std::uint32_t> place(graph.nodes()), near;
    for (std::uint32_t node = 0; node < graph.nodes(); ++node) {
        if (!graph.has(node)) continue;
        place[node] = static_cast<std::uint32_t>(reduced.variables.size());
        reduced.variables.push_back(node);
        reduced.cards.push_back(cards[node]);
        reduced.late.push_back(late[node]);
        reduced.same_cards = reduced.same_cards && cards[node] == reduced.cards.front();
    }
    reduced.graph = Graph(reduced.variables.size());
    for (std::uint32_t node = 0; node < reduced.variables.size(); ++node) {
        reduced.graph.add(node);
        graph.list_neighbours(reduced.variables[node], near);
        for (const std::uint32_t other : near) reduced.graph.join(node, place[other]);
    }
    return reduced;
}

struct Attempt {
    std::vector<std::uint32_t> nodes;
    double entries = 0;
};

// One greedy run.
class Greedy {
  public:
    // `bias`: a factor of each node's score; null: none.
    Greedy(const ReducedGraph& reduced, Rule rule, std::uint64_t seed, const std::vector<double>* bias = nullptr)
        : bias_(bias), cards_(reduced.cards), graph_(reduced.graph), late_(reduced.late), rule_(rule), random_(seed),
          score_(reduced.variables.size()), dirty_(reduced.variables.size(), 1) {}

    // Stops early once it is worse than `bound`.
    Attempt run(double bound) {
        Attempt attempt;
        std::vector<std::uint32_t> alive(graph_.nodes());
        for (std::uint32_t node = 0; node < alive.size(); ++node) alive[node] = node;
        while (!alive.empty() && attempt.entries < bound) {
            const std::size_t at = cheapest(alive);
            const std::uint32_t node = alive[at];
            alive[at] = alive.back();
            alive.pop_back();
            eliminate(node, attempt);
        }
        if (!alive.empty()) attempt.entries = std::numeric_limits<double>::infinity();
        return attempt;
    }

  private:
    struct Score {
        double first = 0, second = 0;
        bool operator<(const Score& other) const {
            return first != other.first ? first < other.first : second < other.second;
        }
        bool operator==(const Score& other) const { return first == other.first && second == other.second; }
    };

    std::size_t cheapest(const std::vector<std::uint32_t>& alive) {
        std::size_t best = SIZE_MAX, ties = 1;
        bool unknown = false;
        for (std::size_t at = 0; at < alive.size(); ++at) {
            const std::uint32_t node = alive[at];
            // Nodes with many neighbours are scored last, when a good score bounds the work.
            if (dirty_[node] && !rescore(node, -1)) {
                unknown = true;
            } else if (consider(alive, at, best, ties)) {
                return at;
            }
        }
        for (std::size_t at = 0; unknown && at < alive.size(); ++at) {
            if (dirty_[alive[at]] && rescore(alive[at], best_fill(alive, best, alive[at]))) {
                consider(alive, at, best, ties);
            }
        }
        return best;
    }

    // True if all neighbours are joined already: no score can be better.
    bool consider(const std::vector<std::uint32_t>& alive, std::size_t at, std::size_t& best, std::size_t& ties) {
        const std::uint32_t node = alive[at];
        if (best == SIZE_MAX || before(node, alive[best])) {
            best = at;
            ties = 1;
        } else if (random_ && score_[node] == score_[alive[best]] && late_[node] == late_[alive[best]] &&
                   next_random() % ++ties == 0) {
            best = at;
        }
        return rule_ != Rule::size && score_[node].first == 0 && !late_[node];
    }

    // The bound above which a score does not matter: the best so far, unless the best must come late and this need not.
    double best_fill(const std::vector<std::uint32_t>& alive, std::size_t best, std::uint32_t node) const {
        if (best == SIZE_MAX || late_[alive[best]] != late_[node]) return std::numeric_limits<double>::infinity();
        return score_[alive[best]].first;
    }

    bool before(std::uint32_t a, std::uint32_t b) const {
        if (late_[a] != late_[b]) return late_[b];
        if (!(score_[a] == score_[b])) return score_[a] < score_[b];
        return !random_ && a < b;
    }

    std::uint64_t next_random() {
        random_ ^= random_ << 13;
        random_ ^= random_ >> 7;
        random_ ^= random_ << 17;
        return random_;
    }

    // False if the score exceeds the bound and is expensive to compute: it then stays unknown.
    bool rescore(std::uint32_t node, double bound) {
        graph_.list_neighbours(node, near_);
        const bool bounded = near_.size() > many_neighbours;
        if (bounded && bound < 0) return false;
        const double size = clique_entries(cards_, node, near_), weight = bias_ ? (*bias_)[node] : 1.0;
        if (rule_ == Rule::size) {
            score_[node] = {size * weight, 0};
        } else {
            double fill = 0;
            const bool known = graph_.for_missing(near_, node, [&](auto a, auto b) {
                fill += rule_ == Rule::fill ? 1.0 : cards_[a] * cards_[b];
                return !bounded || fill <= bound;
            });
            if (!known) return false;
            score_[node] = {fill * weight, size};
        }
        dirty_[node] = 0;
        return true;
    }

    void eliminate(std::uint32_t node, Attempt& attempt) {
        graph_.list_neighbours(node, near_);
        attempt.entries += clique_entries(cards_, node, near_);
        attempt.nodes.push_back(node);
        for (const std::uint32_t other : near_) dirty_[other] = 1;
        if (rule_ == Rule::size || score_[node].first > 0) {
            graph_.for_missing(near_, node, [&](auto a, auto b) {
                graph_.join(a, b);
                if (rule_ != Rule::size) mark_witnesses(a, b);
                return true;
            });
        }
        graph_.remove(node, near_);
    }

    // A common neighbour of both ends of a new edge has one pair fewer to join.
    void mark_witnesses(std::uint32_t a, std::uint32_t b) {
        const ConstBitSpan of_a = graph_.neighbours(a), of_b = graph_.neighbours(b);
        for (std::size_t word = 0; word < of_a.size(); ++word) {
            for_each_in_word(of_a[word] & of_b[word], word, [&](std::uint32_t node) { dirty_[node] = 1; });
        }
    }

    const std::vector<double>* bias_;
    const std::vector<double>& cards_;
    Graph graph_;
    const std::vector<char>& late_;
    const Rule rule_;
    std::uint64_t random_;  // 0: ties go to the smaller number
    std::vector<Score> score_;
    std::vector<char> dirty_;
    std::vector<std::uint32_t> near_;
};

// The order of an attempt, after the simplicial variables that are in `order` already.
inline void complete(EliminationOrder& order, ReducedGraph& reduced, const Attempt& attempt) {
    std::vector<std::uint32_t> near;
    for (const std::uint32_t node : attempt.nodes) {
        reduced.graph.list_neighbours(node, near);
        append(order, clique_entries(reduced.cards, node, near), node, near, &reduced.variables);
        reduced.graph.for_missing(near, node, [&](auto a, auto b) {
            reduced.graph.join(a, b);
            return true;
        });
        reduced.graph.remove(node, near);
    }
}

}  // namespace bayou
