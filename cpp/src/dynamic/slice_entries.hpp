// Sums and scales of the entries of messages.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>

namespace bayou {

// Below this a sum of products may have lost entries to underflow: the step is run again, each result rescaled.
constexpr double small_total = 1e-200;
// A result is rescaled when its largest entry is below this.
constexpr double small_entry = 1e-50;

template <typename Number>
constexpr bool is_double = std::is_same_v<Number, double>;

template <typename Number>
Number largest_entry(const Number* values, std::size_t entries) {
    Number most = 0;
    for (std::size_t i = 0; i < entries; ++i) most = std::max(most, values[i]);
    return most;
}

template <typename Number>
Number sum_entries(const Number* values, std::size_t entries) {
    Number lane[4] = {};
    std::size_t i = 0;
    for (; i + 4 <= entries; i += 4) {
        for (std::size_t k = 0; k < 4; ++k) lane[k] += values[i + k];
    }
    for (; i < entries; ++i) lane[0] += values[i];
    lane[0] += lane[1];
    lane[2] += lane[3];
    return lane[0] += lane[2];
}

inline double dot_product(const double* a, const double* b, std::size_t entries) {
    double sum = 0;
    for (std::size_t i = 0; i < entries; ++i) sum += a[i] * b[i];
    return sum;
}

// Divides by the largest entry if that is small, and returns the log of it.
inline double rescaled(double* values, std::size_t entries) {
    const double most = largest_entry(values, entries);
    if (!(most > 0) || most >= small_entry) return 0;
    // In two parts: 1 / most may be infinite.
    const double half = 1 / std::sqrt(most);
    for (std::size_t i = 0; i < entries; ++i) values[i] = values[i] * half * half;
    return std::log(most);
}

}  // namespace bayou
