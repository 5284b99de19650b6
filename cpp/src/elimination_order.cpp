// The graph is a row of bits for each variable, so that joining the neighbours of a variable is a few
// operations on words; after each step only the scores that can have changed are computed again.
#include "bayou/elimination_order.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace bayou {

namespace {

using Word = std::uint64_t;

enum class Rule { fill, weighted_fill, size };

// A variable with more neighbours is scored only as far as its score can matter.
constexpr std::size_t many_neighbours = 64;

class Graph {
  public:
    Graph(std::size_t nodes, const std::vector<std::vector<std::uint32_t>>& scopes)
        : nodes_(nodes), words_((nodes + 63) / 64), bits_(nodes * words_), left_(words_) {
        for (const auto& scope : scopes) {
            for (const std::uint32_t a : scope) {
                left_[a / 64] |= Word{1} << (a % 64);
                for (const std::uint32_t b : scope) {
                    if (a != b) row(a)[b / 64] |= Word{1} << (b % 64);
                }
            }
        }
    }

    std::size_t nodes() const { return nodes_; }
    std::size_t words() const { return words_; }
    Word* row(std::size_t node) { return bits_.data() + node * words_; }
    const Word* row(std::size_t node) const { return bits_.data() + node * words_; }
    bool has(std::size_t node) const { return left_[node / 64] >> (node % 64) & 1; }
    bool joined(std::size_t a, std::size_t b) const { return row(a)[b / 64] >> (b % 64) & 1; }

    void neighbours(std::size_t node, std::vector<std::uint32_t>& found) const {
        found.clear();
        const Word* bits = row(node);
        for (std::size_t word = 0; word < words_; ++word) {
            for (Word rest = bits[word]; rest; rest &= rest - 1) {
                found.push_back(static_cast<std::uint32_t>(64 * word + std::countr_zero(rest)));
            }
        }
    }

    std::size_t degree(std::size_t node) const {
        std::size_t count = 0;
        for (std::size_t word = 0; word < words_; ++word) count += std::popcount(row(node)[word]);
        return count;
    }

    void join(std::size_t a, std::size_t b) {
        row(a)[b / 64] |= Word{1} << (b % 64);
        row(b)[a / 64] |= Word{1} << (a % 64);
    }

    void remove(std::size_t node, const std::vector<std::uint32_t>& near) {
        for (const std::uint32_t other : near) row(other)[node / 64] &= ~(Word{1} << (node % 64));
        left_[node / 64] &= ~(Word{1} << (node % 64));
    }

  private:
    std::size_t nodes_, words_;
    std::vector<Word> bits_, left_;
};

// One greedy run.
class Greedy {
  public:
    Greedy(const std::vector<std::uint32_t>& cards, const Graph& graph, const std::vector<char>& late, Rule rule,
           std::uint64_t seed)
        : cards_(cards), graph_(graph), late_(late), rule_(rule), random_(seed),
          score_(graph.nodes()), dirty_(graph.nodes(), 1) {}

    // Stops early once it is worse than `bound`.
    EliminationOrder run(double bound) {
        EliminationOrder order;
        std::vector<std::uint32_t> alive;
        for (std::uint32_t node = 0; node < graph_.nodes(); ++node) {
            if (graph_.has(node)) alive.push_back(node);
        }
        while (!alive.empty() && order.entries < bound) {
            const std::size_t at = cheapest(alive);
            const std::uint32_t node = alive[at];
            alive[at] = alive.back();
            alive.pop_back();
            eliminate(node, order);
        }
        if (!alive.empty()) order.entries = std::numeric_limits<double>::infinity();
        return order;
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
        std::size_t best = SIZE_MAX, ties = 1, fewest = SIZE_MAX, start = SIZE_MAX;
        const auto consider = [&](std::size_t at) {
            const std::uint32_t node = alive[at];
            if (best == SIZE_MAX || before(node, alive[best])) {
                best = at;
                ties = 1;
            } else if (random_ && score_[node] == score_[alive[best]] && late_[node] == late_[alive[best]] &&
                       next_random() % ++ties == 0) {
                best = at;
            }
        };
        for (std::size_t at = 0; at < alive.size(); ++at) {
            if (!dirty_[alive[at]]) {
                consider(at);
            } else if (const std::size_t degree = graph_.degree(alive[at]); degree < fewest) {
                fewest = degree;
                start = at;
            }
        }
        // A variable with few neighbours is scored quickly and bounds the work on those with many.
        if (start != SIZE_MAX && rescore(alive[start], best_fill(alive, best, alive[start]))) consider(start);
        for (std::size_t at = 0; at < alive.size(); ++at) {
            if (at == start || !dirty_[alive[at]]) continue;
            if (rescore(alive[at], best_fill(alive, best, alive[at]))) consider(at);
        }
        return best;
    }

    // What a score must not exceed to matter: the best so far, unless that one comes late and this does not.
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

    // False where the score is above the bound: it is then left unknown.
    bool rescore(std::uint32_t node, double bound) {
        graph_.neighbours(node, near_);
        double size = cards_[node];
        for (const std::uint32_t other : near_) size *= cards_[other];
        double fill = 0;
        for (std::size_t i = 0; i < near_.size() && rule_ != Rule::size; ++i) {
            for (std::size_t j = i + 1; j < near_.size(); ++j) {
                if (graph_.joined(near_[i], near_[j])) continue;
                fill += rule_ == Rule::fill ? 1.0 : static_cast<double>(cards_[near_[i]]) * cards_[near_[j]];
                if (fill > bound && near_.size() > many_neighbours) return false;
            }
        }
        score_[node] = rule_ == Rule::size ? Score{size, 0} : Score{fill, size};
        dirty_[node] = 0;
        return true;
    }

    void eliminate(std::uint32_t node, EliminationOrder& order) {
        graph_.neighbours(node, near_);
        double size = cards_[node];
        for (const std::uint32_t other : near_) size *= cards_[other];
        order.entries += size;
        order.variables.push_back(node);
        order.cliques.emplace_back();
        order.cliques.back().reserve(near_.size() + 1);
        order.cliques.back().push_back(node);
        order.cliques.back().insert(order.cliques.back().end(), near_.begin(), near_.end());
        graph_.remove(node, near_);
        for (std::size_t i = 0; i < near_.size(); ++i) {
            dirty_[near_[i]] = 1;
            for (std::size_t j = i + 1; j < near_.size(); ++j) {
                if (graph_.joined(near_[i], near_[j])) continue;
                graph_.join(near_[i], near_[j]);
                if (rule_ != Rule::size) mark_witnesses(near_[i], near_[j]);
            }
        }
    }

    // Whoever sees both ends of a new edge has one pair less to join.
    void mark_witnesses(std::uint32_t a, std::uint32_t b) {
        const Word *x = graph_.row(a), *y = graph_.row(b);
        for (std::size_t word = 0; word < graph_.words(); ++word) {
            for (Word both = x[word] & y[word]; both; both &= both - 1) {
                dirty_[64 * word + std::countr_zero(both)] = 1;
            }
        }
    }

    const std::vector<std::uint32_t>& cards_;
    Graph graph_;
    const std::vector<char>& late_;
    const Rule rule_;
    std::uint64_t random_;  // 0: ties go to the smaller number
    std::vector<Score> score_;
    std::vector<char> dirty_;
    std::vector<std::uint32_t> near_;
};

// How many more random tries a problem of this size deserves.
std::size_t extra_tries(double entries) {
    if (entries < 5e4) return 0;
    return static_cast<std::size_t>(std::min(60.0, std::log2(entries / 5e4) * 6 + 2));
}

}  // namespace

EliminationOrder elimination_order(const std::vector<std::uint32_t>& cards,
                                   const std::vector<std::vector<std::uint32_t>>& scopes,
                                   const std::vector<std::uint32_t>& last) {
    const Graph graph(cards.size(), scopes);
    std::vector<char> late(cards.size(), 0);
    for (const std::uint32_t node : last) late[node] = 1;
    const double no_bound = std::numeric_limits<double>::infinity();
    EliminationOrder best = Greedy(cards, graph, late, Rule::fill, 0).run(no_bound);
    // Small problems are solved in less time than another order takes to find.
    if (best.entries < 512) return best;
    const auto attempt = [&](Rule rule, std::uint64_t seed) {
        EliminationOrder other = Greedy(cards, graph, late, rule, seed).run(best.entries);
        if (other.entries < best.entries) best = std::move(other);
    };
    attempt(Rule::weighted_fill, 0);
    if (best.entries < 1e4) return best;
    attempt(Rule::size, 0);
    const std::size_t tries = extra_tries(best.entries);
    for (std::size_t at = 0; at < tries; ++at) {
        const Rule rule = at % 3 == 2 ? Rule::fill : Rule::weighted_fill;
        attempt(rule, 0x9E3779B97F4A7C15ull * (at + 1));
    }
    return best;
}

}  // namespace bayou
