// Orders of elimination with small cliques, searched for longer than a plan would.
#pragma once

#include <cstdint>
#include <vector>

#include "../greedy_order.hpp"
#include "bayou/inference/inference_plan.hpp"

namespace bayou {

// Greedy runs whose scores have random factors, of which a few are changed at a time and kept if the order is better or
// not much worse (simulated annealing). Each `trial` is another search, and the same search every time.
class SearchedOrders {
  public:
    SearchedOrders(const std::vector<std::uint32_t>& cards, const std::vector<PlanFactor>& factors);
    EliminationOrder order(std::size_t trial) const;

  private:
    Attempt anneal(std::uint64_t seed) const;

    EliminationOrder simplicial_;
    ReducedGraph reduced_;
};

}  // namespace bayou
