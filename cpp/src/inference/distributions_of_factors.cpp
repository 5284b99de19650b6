#include "bayou/inference/distributions_of_factors.hpp"

#include <cmath>
#include <stdexcept>

namespace bayou {

namespace {

constexpr double rounding = 1e-13;  // how far the sum of a distribution may be from 1

bool is_distribution(const PlanFactor& factor, const std::vector<std::uint32_t>& cards) {
    const std::size_t states = cards[factor.scope.back()];
    std::size_t entries = 1;
    for (const std::uint32_t variable : factor.scope) entries *= cards[variable];
    for (std::size_t first = 0; first < entries; first += states) {
        double sum = 0;
        for (std::size_t state = 0; state < states; ++state) sum += factor.table[first + state];
        if (!(std::abs(sum - 1) <= rounding)) return false;
    }
    return true;
}

}  // namespace

void require_distributions(const std::vector<PlanFactor>& factors, const std::vector<std::uint32_t>& cards) {
    for (const PlanFactor& factor : factors) {
        if (is_distribution(factor, cards)) continue;
        throw std::invalid_argument("a table does not sum to 1 over its last variable");
    }
}

}  // namespace bayou
