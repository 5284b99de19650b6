#include "sparse_order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bayou/base/interrupt.hpp"

namespace bayou {

namespace {

constexpr std::size_t most_search_steps = 1500;           // of one search
constexpr std::size_t most_work = 30'000'000;       // steps times the square of the number of variables
constexpr std::size_t most_changed = 4;             // random factors in one step
constexpr double spread = 2, first_heat = 0.3;      // of logs: of random factors; how much worse an order may be

class RandomNumbers {
  public:
    explicit RandomNumbers(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ull + 1) {}
    std::uint64_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return state_;
    }
    double uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }
    // Nearly normal, with mean 0 and deviation 1.
    double normal() { return std::sqrt(3.0) * (uniform() + uniform() + uniform() + uniform() - 2); }

  private:
    std::uint64_t state_;
};

}  // namespace

SearchedOrders::SearchedOrders(const std::vector<std::uint32_t>& cards, const std::vector<PlanFactor>& factors) {
    std::vector<std::vector<std::uint32_t>> scopes;
    for (const PlanFactor& factor : factors) scopes.push_back(factor.scope);
    Graph graph(cards.size(), scopes);
    const std::vector<double> sizes(cards.begin(), cards.end());
    const std::vector<char> late(cards.size(), 0);
    eliminate_simplicial(graph, sizes, late, simplicial_);
    reduced_ = reduce(graph, sizes, late);
}

Attempt SearchedOrders::anneal(std::uint64_t seed) const {
    RandomNumbers random(seed);
    const std::size_t nodes = reduced_.variables.size();
    const std::size_t steps = std::min(most_search_steps, most_work / (nodes * nodes));
    std::vector<double> bias(nodes, 1.0);
    Attempt best = Greedy(reduced_, Rule::weighted_fill, seed).run(std::numeric_limits<double>::infinity());
    double entries = best.entries;
    for (std::size_t step = 0; step < steps; ++step) {
        stop_if_interrupted();
        std::vector<double> changed = bias;
        for (std::size_t left = 1 + random.next() % most_changed; left > 0; --left) {
            changed[random.next() % nodes] = std::exp(spread * random.normal());
        }
        const double heat = first_heat * (1 - static_cast<double>(step) / static_cast<double>(steps));
        const double bound = entries * std::exp(-heat * std::log(random.uniform()));
        Attempt attempt = Greedy(reduced_, Rule::weighted_fill, seed, &changed).run(bound);
        if (!(attempt.entries < bound)) continue;
        bias = std::move(changed);
        entries = attempt.entries;
        if (entries < best.entries) best = std::move(attempt);
    }
    return best;
}

EliminationOrder SearchedOrders::order(std::size_t trial) const {
    EliminationOrder order = simplicial_;
    ReducedGraph reduced = reduced_;
    if (!reduced.variables.empty()) complete(order, reduced, anneal(trial + 1));
    return order;
}

}  // namespace bayou
