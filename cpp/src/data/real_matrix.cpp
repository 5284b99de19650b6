#include "bayou/data/real_matrix.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace bayou {

namespace {

template <typename Cell>
void copy_rows(const Cell* cells, const RealMatrix& matrix, std::size_t count, double* out) {
    const std::size_t columns = matrix.columns;
    if (matrix.column_step == 1) {
        for (std::size_t row = 0; row < count; ++row) {
            const Cell* from = cells + static_cast<std::ptrdiff_t>(row) * matrix.row_step;
            for (std::size_t column = 0; column < columns; ++column) out[row * columns + column] = from[column];
        }
        return;
    }
    for (std::size_t column = 0; column < columns; ++column) {
        const Cell* from = cells + static_cast<std::ptrdiff_t>(column) * matrix.column_step;
        for (std::size_t row = 0; row < count; ++row) {
            out[row * columns + column] = from[static_cast<std::ptrdiff_t>(row) * matrix.row_step];
        }
    }
}

}  // namespace

RowReader::RowReader(const RealMatrix& matrix)
    : matrix_(matrix), direct_(!matrix.single && (matrix.column_step == 1 || matrix.columns == 1)) {
    step_ = direct_ ? matrix.row_step : static_cast<std::ptrdiff_t>(matrix.columns);
    if (!direct_) copy_.resize(row_block * matrix.columns);
}

const double* RowReader::read(std::size_t first, std::size_t count) {
    const std::ptrdiff_t place = static_cast<std::ptrdiff_t>(first) * matrix_.row_step;
    if (direct_) return static_cast<const double*>(matrix_.cells) + place;
    if (matrix_.single) {
        copy_rows(static_cast<const float*>(matrix_.cells) + place, matrix_, count, copy_.data());
    } else {
        copy_rows(static_cast<const double*>(matrix_.cells) + place, matrix_, count, copy_.data());
    }
    return copy_.data();
}

void refuse_infinite_cells(const RealMatrix& matrix) {
    for (std::size_t row = 0; row < matrix.rows; ++row) {
        for (std::size_t column = 0; column < matrix.columns; ++column) {
            if (!std::isinf(matrix.at(row, column))) continue;
            throw std::invalid_argument("row " + std::to_string(row) + ", column " + std::to_string(column) +
                                        " is infinite: moments need finite numbers");
        }
    }
}

}  // namespace bayou
