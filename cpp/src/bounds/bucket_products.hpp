// Loops of bucket bounds over single tables: products, sums along one axis, powers, all rounded outward where numbers are tiny.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bayou {

constexpr double kSmallestProduct = 0x1p-600;
constexpr double kSmallestPower = 900.0;    // what is raised to the power e is 0 or at least 2^(−900 / e)
constexpr double kLargestShifts = 200.0;    // factors λ are from 2^−200 to 2^200, all of a group together

// What a product was multiplied by on the way: the largest entry so far, and whether an entry was too small for a float.
struct ProductState {
    double largest = 0.0;
    bool is_rounded = false;
};

// Multiplies `out` by a table that has runs of its axes (`sizes`, outermost first) side by side (stride > 0) or not at all (0).
ProductState multiply_table(double* out, const double* table, const std::vector<std::size_t>& sizes,
                            const std::vector<std::size_t>& strides, bool upward);

// Multiplies by a power of 2 that brings `largest` between 1/2 and 1; returns the exponent of what was divided by.
std::int64_t scale_table(std::vector<double>& values, double largest);

// out[o, i] = Σ_s values[o, s, i].
void sum_states(const double* values, std::size_t outer, std::size_t states, std::size_t inner, double* out);

// out[o, i] = (Σ_s values[o, s, i]^e)^(1/e), rounded up; `values` are changed. Returns the exponent as scale_table does.
std::int64_t norm_of_states(std::vector<double>& values, std::size_t outer, std::size_t states, std::size_t inner,
                            std::uint32_t exponent, double* out);

// out[o, i] = exp(Σ_s q[s] log values[o, s, i]); returns the sum of all. A single state with q = 1 is copied.
double geometric_means(const std::vector<double>& values, std::size_t outer, std::size_t states, std::size_t inner,
                       const std::vector<double>& q, double* out);

// Clears the mark of each state that is zero somewhere where another state is not.
void find_full_states(const std::vector<double>& values, std::size_t outer, std::size_t states, std::size_t inner,
                      std::vector<char>& full);

// Weights of the marked states, in proportion to exp(liked), that sum to 1.
std::vector<double> spread_weights(const std::vector<double>& liked, const std::vector<char>& full);

// Σ over all cells of each state of values^e; where e > 1, small values are rounded up.
std::vector<double> power_sums(const std::vector<double>& values, std::size_t outer, std::size_t states, std::size_t inner,
                               std::uint32_t exponent);

// values[o, s, i] · factors[s], in place.
void multiply_states(std::vector<double>& values, std::size_t outer, std::size_t states, std::size_t inner,
                     const std::vector<double>& factors);

// For each group the factors of the states, whose product over all groups is 1; 0 where a group has nothing.
std::vector<std::vector<double>> matching_factors(const std::vector<std::vector<double>>& sums,
                                                  const std::vector<std::uint32_t>& exponents);

}  // namespace bayou
