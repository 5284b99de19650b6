// Moments of the columns of a matrix, class by class, in one pass over the rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayou/data/real_matrix.hpp"

namespace bayou {

struct ClassedRows {
    RealMatrix matrix;
    const std::uint32_t* classes = nullptr;  // missing_index: the row is left out
    std::size_t n_classes = 0;
    const double* weights = nullptr;  // null: 1 each; rows of weight 0 are left out
};

// Throws std::invalid_argument for a class out of range or a weight that is negative or not finite.
void check_classed_rows(const ClassedRows& rows);

// A value of each column near the mean of each class, [class, column]: a cell of the data, so that constant columns
// have deviations of exactly 0; 0 if the class has no value there. Sums are of deviations from it, so that the
// terms that cancel in the end are never large.
std::vector<double> class_centres(const ClassedRows& rows);

// weight, mean and sum of squared deviations from the mean of the cells that are not NaN, each
// [class, column], written in full. The result is the same for any number of threads.
void class_moments(const ClassedRows& rows, double* weight, double* mean, double* squares, int threads);

// weight[class], mean[class, column] and scatter, [class, column, column] or summed over the classes
// [column, column]. Throws for a NaN, naming its row and column.
void class_scatter(const ClassedRows& rows, bool pooled, double* weight, double* mean, double* scatter,
                   int threads);

}  // namespace bayou
