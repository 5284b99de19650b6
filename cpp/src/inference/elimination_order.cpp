#include "bayou/inference/elimination_order.hpp"

#include <algorithm>
#include <cmath>

#include "greedy_order.hpp"

namespace bayou {

namespace {

// The number of further random tries for a problem of this size.
std::size_t extra_tries(double entries) {
    if (entries < 2e5) return 0;
    return static_cast<std::size_t>(std::min(60.0, std::log2(entries / 2e5) * 8 + 2));
}

constexpr std::size_t most_failed_tries = 12;  // in a row, after which the search ends

// Other rules and ties seldom make an order smaller by more than this factor.
constexpr double hoped_gain = 2;

Attempt best_attempt(const ReducedGraph& reduced, double simplicial_entries, double most_entries) {
    Attempt best = Greedy(reduced, Rule::fill, 0).run(hoped_gain * most_entries);
    if (best.entries > hoped_gain * most_entries) return best;
    std::size_t failed = 0;
    const auto attempt = [&](Rule rule, std::uint64_t seed) {
        Attempt other = Greedy(reduced, rule, seed).run(best.entries);
        failed = other.entries < best.entries ? 0 : failed + 1;
        if (other.entries < best.entries) best = std::move(other);
    };
    // For small problems, running the plan is faster than finding another order.
    if (best.entries + simplicial_entries < 512) return best;
    if (!reduced.same_cards) attempt(Rule::weighted_fill, 0);
    if (best.entries + simplicial_entries < 2e4) return best;
    attempt(Rule::size, 0);
    const std::size_t tries = extra_tries(best.entries);
    for (std::size_t at = 0; at < tries && failed < most_failed_tries; ++at) {
        const Rule rule = at % 3 == 2 || reduced.same_cards ? Rule::fill : Rule::weighted_fill;
        attempt(rule, 0x9E3779B97F4A7C15ull * (at + 1));
    }
    return best;
}

}  // namespace

EliminationOrder elimination_order(const std::vector<std::uint32_t>& cards,
                                   const std::vector<std::vector<std::uint32_t>>& scopes,
                                   const std::vector<std::uint32_t>& last, double most_entries) {
    Graph graph(cards.size(), scopes);
    const std::vector<double> sizes(cards.begin(), cards.end());
    std::vector<char> late(cards.size(), 0);
    for (const std::uint32_t node : last) late[node] = 1;
    EliminationOrder order;
    eliminate_simplicial(graph, sizes, late, order);
    ReducedGraph reduced = reduce(graph, sizes, late);
    if (reduced.variables.empty()) return order;
    const Attempt best = best_attempt(reduced, order.entries, most_entries);
    if (best.entries > hoped_gain * most_entries) return {{}, {}, best.entries};
    complete(order, reduced, best);
    return order;
}

}  // namespace bayou
