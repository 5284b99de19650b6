// A matrix of numbers as the user has it in memory: any order, any strides, double or single precision.
#pragma once

#include <cstddef>
#include <vector>

namespace bayou {

struct RealMatrix {
    const void* cells = nullptr;
    bool single = false;  // float32; otherwise float64
    std::size_t rows = 0, columns = 0;
    std::ptrdiff_t row_step = 0, column_step = 0;  // in cells

    double at(std::size_t row, std::size_t column) const {
        const std::ptrdiff_t place = static_cast<std::ptrdiff_t>(row) * row_step +
                                     static_cast<std::ptrdiff_t>(column) * column_step;
        return single ? static_cast<const float*>(cells)[place] : static_cast<const double*>(cells)[place];
    }
};

// Rows per block: small enough that a block stays in the second-level cache.
constexpr std::size_t row_block = 64;

// Gives blocks of rows as contiguous doubles: in place where they are contiguous, otherwise as a copy.
class RowReader {
  public:
    explicit RowReader(const RealMatrix& matrix);

    // Rows [first, first + count), count <= row_block; valid until the next call.
    const double* read(std::size_t first, std::size_t count);
    std::ptrdiff_t step() const { return step_; }  // between rows

  private:
    const RealMatrix& matrix_;
    bool direct_;
    std::ptrdiff_t step_;
    std::vector<double> copy_;
};

// Throws std::invalid_argument that names the first infinite cell, if there is one.
void refuse_infinite_cells(const RealMatrix& matrix);

}  // namespace bayou
