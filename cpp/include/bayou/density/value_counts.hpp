// The distinct values of a column of numbers, by class, with their weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bayou {

struct ClassedColumn {
    const double* values = nullptr;
    std::ptrdiff_t stride = 1;  // from a row's value to the next one's
    std::size_t rows = 0;
    const std::uint32_t* classes = nullptr;  // null: every row is in class 0
    std::size_t n_classes = 1;
    const double* weights = nullptr;  // null: 1 each

    double value(std::size_t row) const { return values[static_cast<std::ptrdiff_t>(row) * stride]; }
    std::uint32_t class_of(std::size_t row) const { return classes ? classes[row] : 0; }
};

// Each distinct (value, class) once, by value and then by class, with the sum of its weights (> 0).
struct ValueCounts {
    std::vector<double> values, weights;
    std::vector<std::uint32_t> classes;
};

// Rows with a NaN, without a class or without weight are left out; weights are added in row order.
ValueCounts value_counts(const ClassedColumn& column);

// The values of many columns with the same rows, one after the other in `all`; returns where those of each column start.
std::vector<std::int64_t> values_by_class(const std::vector<ClassedColumn>& columns, ValueCounts& all, int threads);

// Throws std::invalid_argument where a class is not below n_classes or a weight is negative or not finite.
void check_classes_and_weights(const ClassedColumn& column);

}  // namespace bayou
