#include "bucket_products.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace bayou {

namespace {

// One run of cells, times one value or as many values.
template <bool Upward, bool Same>
inline void multiply_run(double* out, const double* table, std::size_t n, double& largest, bool& rounded) {
    double most = largest;
    for (std::size_t i = 0; i < n; ++i) {
        const double a = out[i], b = Same ? table[0] : table[i];
        double product = a * b;
        if (product < kSmallestProduct && a > 0.0 && b > 0.0) {
            product = Upward ? kSmallestProduct : 0.0;
            rounded = true;
        }
        out[i] = product;
        most = product > most ? product : most;
    }
    largest = most;
}

template <bool Upward>
ProductState multiply_walk(double* out, const double* table, const std::vector<std::size_t>& sizes,
                           const std::vector<std::size_t>& strides) {
    ProductState state;
    const std::size_t axes = sizes.size();
    if (axes == 0) {
        multiply_run<Upward, true>(out, table, 1, state.largest, state.is_rounded);
        return state;
    }
    const std::size_t run = sizes.back();
    const bool same = strides.back() == 0;
    std::vector<std::size_t> at(axes, 0);
    std::size_t offset = 0;
    while (true) {
        if (same) multiply_run<Upward, true>(out, table + offset, run, state.largest, state.is_rounded);
        else multiply_run<Upward, false>(out, table + offset, run, state.largest, state.is_rounded);
        out += run;
        std::size_t axis = axes - 1;
        while (axis > 0) {
            --axis;
            offset += strides[axis];
            if (++at[axis] < sizes[axis]) break;
            offset -= strides[axis] * sizes[axis];
            at[axis] = 0;
            if (axis == 0) return state;
        }
        if (axes == 1) return state;
    }
}

double raised(double value, std::uint32_t exponent) {
    for (std::uint32_t e = exponent; e > 1; e /= 2) value *= value;
    return value;
}

double smallest_base(std::uint32_t exponent) { return std::exp2(-kSmallestPower / exponent); }

}  // namespace

ProductState multiply_table(double* out, const double* table, const std::vector<std::size_t>& sizes,
                            const std::vector<std::size_t>& strides, bool upward) {
    return upward ? multiply_walk<true>(out, table, sizes, strides) : multiply_walk<false>(out, table, sizes, strides);
}

std::int64_t scale_table(std::vector<double>& values, double largest) {
    if (!(largest > 0.0)) return 0;
    int exponent = 0;
    std::frexp(largest, &exponent);
    if (exponent == 0) return 0;
    const double factor = std::ldexp(1.0, -exponent);
    for (double& value : values) value *= factor;
    return exponent;
}

void sum_states(const double* values, std::size_t outer, std::size_t states, std::size_t inner, double* out) {
    for (std::size_t o = 0; o < outer; ++o, out += inner) {
        std::fill(out, out + inner, 0.0);
        for (std::size_t s = 0; s < states; ++s, values += inner) {
            for (std::size_t i = 0; i < inner; ++i) out[i] += values[i];
        }
    }
}

std::int64_t norm_of_states(std::vector<double>& values, std::size_t outer, std::size_t states, std::size_t inner,
                            std::uint32_t exponent, double* out) {
    const double largest = *std::max_element(values.begin(), values.end());
    const std::int64_t scale = scale_table(values, largest);
    const double smallest = smallest_base(exponent);
    for (double& value : values) {
        if (value > 0.0) value = raised(std::max(value, smallest), exponent);
    }
    sum_states(values.data(), outer, states, inner, out);
    for (std::uint32_t e = exponent; e > 1; e /= 2) {
        for (std::size_t cell = 0; cell < outer * inner; ++cell) out[cell] = std::sqrt(out[cell]);
    }
    return scale;
}

double geometric_means(const std::vector<double>& values, std::size_t outer, std::size_t states, std::size_t inner,
                       const std::vector<double>& q, double* out) {
    double total = 0.0;
    const bool single = std::count(q.begin(), q.end(), 1.0) == 1;
    for (std::size_t o = 0; o < outer; ++o, out += inner) {
        std::fill(out, out + inner, 0.0);
        for (std::size_t s = 0; s < states; ++s) {
            if (q[s] == 0.0) continue;
            const double* run = values.data() + (o * states + s) * inner;
            if (single) std::copy(run, run + inner, out);
            else for (std::size_t i = 0; i < inner; ++i) out[i] += q[s] * std::log(run[i]);
        }
        for (std::size_t i = 0; i < inner; ++i) {
            if (!single) out[i] = std::exp(out[i]);
            total += out[i];
        }
    }
    return total;
}

void find_full_states(const std::vector<double>& values, std::size_t outer, std::size_t states, std::size_t inner,
                      std::vector<char>& full) {
    std::vector<char> any(inner);
    for (std::size_t o = 0; o < outer; ++o) {
        const double* block = values.data() + o * states * inner;
        std::fill(any.begin(), any.end(), 0);
        for (std::size_t s = 0; s < states; ++s) {
            for (std::size_t i = 0; i < inner; ++i) any[i] |= block[s * inner + i] > 0.0;
        }
        for (std::size_t s = 0; s < states; ++s) {
            for (std::size_t i = 0; i < inner; ++i) full[s] &= !any[i] | (block[s * inner + i] > 0.0);
        }
    }
}

std::vector<double> spread_weights(const std::vector<double>& liked, const std::vector<char>& full) {
    double most = -INFINITY, total = 0.0;
    for (std::size_t s = 0; s < liked.size(); ++s) {
        if (full[s]) most = std::max(most, liked[s]);
    }
    std::vector<double> q(liked.size(), 0.0);
    for (std::size_t s = 0; s < liked.size(); ++s) {
        if (full[s]) q[s] = std::exp(liked[s] - most);
        total += q[s];
    }
    for (double& weight : q) weight /= total;
    return q;
}

std::vector<double> power_sums(const std::vector<double>& values, std::size_t outer, std::size_t states, std::size_t inner,
                               std::uint32_t exponent) {
    std::vector<double> sums(states, 0.0);
    const double smallest = exponent == 1 ? 0.0 : smallest_base(exponent);
    const double* value = values.data();
    for (std::size_t o = 0; o < outer; ++o) {
        for (std::size_t s = 0; s < states; ++s) {
            double sum = 0.0;
            for (std::size_t i = 0; i < inner; ++i, ++value) {
                sum += *value > 0.0 ? raised(std::max(*value, smallest), exponent) : 0.0;
            }
            sums[s] += sum;
        }
    }
    return sums;
}

void multiply_states(std::vector<double>& values, std::size_t outer, std::size_t states, std::size_t inner,
                     const std::vector<double>& factors) {
    double* value = values.data();
    for (std::size_t o = 0; o < outer; ++o) {
        for (std::size_t s = 0; s < states; ++s) {
            for (std::size_t i = 0; i < inner; ++i) *value++ *= factors[s];
        }
    }
}

std::vector<std::vector<double>> matching_factors(const std::vector<std::vector<double>>& sums,
                                                  const std::vector<std::uint32_t>& exponents) {
    const std::size_t groups = sums.size(), states = sums[0].size();
    const double most = std::exp2(kLargestShifts / static_cast<double>(groups - 1));
    std::vector<std::vector<double>> factors(groups, std::vector<double>(states, 0.0));
    for (std::size_t s = 0; s < states; ++s) {
        double mean = 0.0;
        bool alive = true;
        for (std::size_t g = 0; g < groups; ++g) {
            alive = alive && sums[g][s] > 0.0;
            if (alive) mean += std::log(sums[g][s]) / exponents[g];
        }
        if (!alive) continue;
        double left = 1.0;
        for (std::size_t g = 0; g + 1 < groups; ++g) {
            const double shift = std::exp((mean - std::log(sums[g][s])) / exponents[g]);
            factors[g][s] = std::clamp(shift, 1.0 / most, most);
            left *= factors[g][s];
        }
        factors[groups - 1][s] = 1.0 / left;
    }
    return factors;
}

}  // namespace bayou
