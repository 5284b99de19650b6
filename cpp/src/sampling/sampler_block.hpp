// The rows that a sampler draws together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "bayou/sampling/row_sampler.hpp"

namespace bayou {

inline constexpr std::size_t rows_at_once = 128;
inline constexpr double no_weight = -std::numeric_limits<double>::infinity();  // the log of a weight of 0

// The number of joint states of the variables of a scope.
inline std::uint32_t checked_cells(const std::vector<std::uint32_t>& scope, const std::vector<std::uint32_t>& cards) {
    std::uint64_t cells = 1;
    for (const std::uint32_t variable : scope) {
        if (variable >= cards.size()) throw std::invalid_argument("a scope names a variable without states");
        cells *= cards[variable];
        if (cells > UINT32_MAX) throw std::invalid_argument("a table has more than 2**32 cells");
    }
    return static_cast<std::uint32_t>(cells);
}

// The rows that are drawn together: codes variable by variable, and what they need meanwhile.
struct RowSampler::Block {
    explicit Block(std::size_t variables) : codes(variables * rows_at_once) {}
    std::uint32_t* of(std::uint32_t variable) { return codes.data() + variable * rows_at_once; }

    void find(const TablePlace& place, std::size_t rows) {
        if (place.variables.empty()) std::fill_n(index, rows, 0u);
        for (std::size_t at = 0; at < place.variables.size(); ++at) {
            const std::uint32_t* own = of(place.variables[at]);
            const std::uint32_t stride = place.strides[at];
            if (at == 0) {
                for (std::size_t row = 0; row < rows; ++row) index[row] = own[row] * stride;
            } else {
                for (std::size_t row = 0; row < rows; ++row) index[row] += own[row] * stride;
            }
        }
    }

    std::vector<std::uint32_t> codes;
    std::uint32_t index[rows_at_once] = {};
    double uniforms[rows_at_once] = {}, log_weights[rows_at_once] = {};
    std::vector<double> products;
};

}  // namespace bayou
