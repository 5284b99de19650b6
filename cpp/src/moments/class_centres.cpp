#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "bayou/data/codes.hpp"
#include "bayou/moments/class_moments.hpp"

namespace bayou {

namespace {

constexpr std::size_t tries_per_class = 32;

bool takes_part(const ClassedRows& rows, std::size_t row) {
    return rows.classes[row] != missing_index && !(rows.weights && rows.weights[row] == 0.0);
}

// A few rows of each class, spread over the matrix.
std::vector<std::vector<std::size_t>> sample_rows(const ClassedRows& rows) {
    std::vector<std::vector<std::size_t>> chosen(rows.n_classes);
    const std::size_t visits = rows.n_classes * tries_per_class * 2;
    const std::size_t stride = rows.matrix.rows / std::max<std::size_t>(visits, 1) + 1;
    for (std::size_t row = 0; row < rows.matrix.rows; row += stride) {
        if (!takes_part(rows, row)) continue;
        auto& mine = chosen[rows.classes[row]];
        if (mine.size() < tries_per_class) mine.push_back(row);
    }
    return chosen;
}

// The finite value nearest to the mean of the finite ones, NaN where there is none.
double middle_cell(const RealMatrix& matrix, const std::vector<std::size_t>& rows, std::size_t column) {
    double sum = 0.0, count = 0.0, best = NAN;
    for (const std::size_t row : rows) {
        const double value = matrix.at(row, column);
        if (!std::isfinite(value)) continue;
        sum += value;
        count += 1.0;
    }
    for (const std::size_t row : rows) {
        const double value = matrix.at(row, column);
        if (!std::isfinite(value)) continue;
        if (std::isnan(best) || std::abs(value - sum / count) < std::abs(best - sum / count)) best = value;
    }
    return best;
}

// Cells without a value in the sample get the first finite value of the class, found in further rows.
void fill_open_cells(const ClassedRows& rows, std::vector<std::vector<std::size_t>>& open, std::size_t left,
                     std::vector<double>& centres) {
    const std::size_t columns = rows.matrix.columns;
    for (std::size_t row = 0; row < rows.matrix.rows && left > 0; ++row) {
        if (!takes_part(rows, row)) continue;
        const std::size_t k = rows.classes[row];
        const std::size_t before = open[k].size();
        std::erase_if(open[k], [&](std::size_t column) {
            const double value = rows.matrix.at(row, column);
            if (std::isfinite(value)) centres[k * columns + column] = value;
            return std::isfinite(value);
        });
        left -= before - open[k].size();
    }
}

}  // namespace

void check_classed_rows(const ClassedRows& rows) {
    for (std::size_t row = 0; row < rows.matrix.rows; ++row) {
        const std::uint32_t k = rows.classes[row];
        if (k >= rows.n_classes && k != missing_index) {
            throw std::invalid_argument("classes, row " + std::to_string(row) + ": class " + std::to_string(k) +
                                        " is not below the number of classes, " + std::to_string(rows.n_classes));
        }
    }
    for (std::size_t row = 0; rows.weights && row < rows.matrix.rows; ++row) {
        if (rows.weights[row] >= 0 && !std::isinf(rows.weights[row])) continue;
        throw std::invalid_argument("weights, row " + std::to_string(row) + ": " +
                                    std::to_string(rows.weights[row]) + " is not a finite number of at least 0");
    }
}

std::vector<double> class_centres(const ClassedRows& rows) {
    const std::size_t columns = rows.matrix.columns;
    std::vector<double> centres(rows.n_classes * columns, 0.0);
    std::vector<std::vector<std::size_t>> open(rows.n_classes);
    std::size_t left = 0;
    const auto chosen = sample_rows(rows);
    for (std::size_t k = 0; k < rows.n_classes; ++k) {
        for (std::size_t column = 0; column < columns; ++column) {
            const double middle = middle_cell(rows.matrix, chosen[k], column);
            if (std::isnan(middle)) {
                open[k].push_back(column);
                ++left;
            } else {
                centres[k * columns + column] = middle;
            }
        }
    }
    fill_open_cells(rows, open, left, centres);
    return centres;
}

}  // namespace bayou
