// The tables of a network as factors of the core; holds the arrays while the kernels read them.
#pragma once

#include "arrays.hpp"
#include "bayou/inference/inference_plan.hpp"

namespace bayou::bindings {

class NetworkFactors {
  public:
    NetworkFactors(const std::vector<std::uint32_t>& cards, const std::vector<std::vector<std::uint32_t>>& scopes,
                   const nb::list& tables) {
        if (tables.size() != scopes.size()) throw std::invalid_argument("expected one table a scope");
        for (std::size_t at = 0; at < scopes.size(); ++at) {
            if (scopes[at].empty()) throw std::invalid_argument("a table has no variable");
            std::size_t size = 1;
            for (const std::uint32_t variable : scopes[at]) {
                if (variable >= cards.size()) throw std::invalid_argument("a scope names a variable without states");
                size *= cards[variable];
            }
            held_.push_back(array_from<Tensor<double>>(tables[at], "a table", "a contiguous float64 array"));
            if (held_.back().size() != size) throw std::invalid_argument("a table does not fit its scope");
            factors_.push_back({scopes[at], held_.back().data()});
        }
    }

    const std::vector<PlanFactor>& factors() const { return factors_; }

  private:
    std::vector<Tensor<double>> held_;
    std::vector<PlanFactor> factors_;
};

}  // namespace bayou::bindings
