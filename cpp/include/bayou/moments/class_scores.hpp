// Scores of each class for each row: log prior plus log density, or the posterior computed from them.
#pragma once

#include <cstddef>
#include <vector>

#include "bayou/data/codes.hpp"
#include "bayou/data/real_matrix.hpp"

namespace bayou {

struct ClassScores {
    std::size_t classes = 0;
    bool posterior = false;  // softmax over the classes of each row
    double* scores = nullptr;  // [row, class]
};

// Columns independent and normal given the class: means and variances [class, column]. NaN cells are left out.
void gaussian_class_scores(const RealMatrix& matrix, const double* means, const double* variances,
                           const double* log_prior, const ClassScores& out, int threads);

// base[class] - |(x - mean)' whitener|^2 / 2: means [class, column], whiteners [class, column, column], upper
// triangular (the inverse of the transposed Cholesky factor). A row with a NaN gets NaN.
void quadratic_class_scores(const RealMatrix& matrix, const double* means, const double* whiteners,
                            const double* base, const ClassScores& out, int threads);

// base[class] + coefficients[class, :] x. A row with a NaN gets NaN.
void linear_class_scores(const RealMatrix& matrix, const double* coefficients, const double* base,
                         const ClassScores& out, int threads);

// base[class] + sum over columns of table[code, class]; a missing code adds nothing. tables[column] is
// [card, class].
void table_class_scores(const std::vector<CodeColumn>& columns, std::size_t rows,
                        const std::vector<const double*>& tables, const double* base, const ClassScores& out,
                        int threads);

// Softmax of each row of scores, in place.
void softmax_rows(double* scores, std::size_t rows, std::size_t classes, int threads);

}  // namespace bayou
