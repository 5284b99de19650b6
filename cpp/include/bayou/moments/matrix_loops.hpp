// The inner loops over rows of numbers, in a version for any processor and one for AVX2 with FMA.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bayou {

// Rows of doubles, `step` apart.
struct Rows {
    const double* cells;
    std::ptrdiff_t step;
    std::size_t count, columns;
};

// Widths of the tiles: tables that the loops read are padded with zeros to whole tiles.
constexpr std::size_t lane_width = 4;
constexpr std::size_t tile_width = 12;
constexpr std::size_t tile_height = 4;
constexpr std::size_t whole(std::size_t size, std::size_t unit) { return (size + unit - 1) / unit * unit; }

struct MatrixLoops {
    // For each row that has a class and a weight: weight, sum and sum of squares of the deviations from
    // the class's centre, each [class, columns]; cells that are NaN add nothing. `weights` may be null.
    void (*add_moments)(const Rows& rows, const std::uint32_t* classes, const double* weights,
                        const double* centres, double* weight, double* sum, double* squares);

    // out[columns, columns] (step apart, upper tiles) += left' * right, two blocks of `rows` rows padded to `step`.
    void (*add_products)(const double* left, const double* right, std::size_t rows, std::size_t step, double* out);

    // scores[row, class] = base[class] - sum over columns of (x - mean)^2 * scale, of cells that are not NaN;
    // base holds the log constants of all columns: those of NaN cells (`logs`) are given back.
    void (*normal_scores)(const Rows& rows, std::size_t classes, const double* means, const double* scales,
                          const double* logs, const double* base, double* scores);

    // scores[row, class] = base[class] - |(x - mean)' whitener|^2 / 2; whiteners are upper triangular
    // [step, step], means [step], step a whole number of tiles. `room`: row_block * step doubles.
    void (*quadratic_scores)(const Rows& rows, std::size_t classes, std::size_t step, const double* means,
                             const double* whiteners, const double* base, double* room, double* scores);

    // scores[row, class] = base[class] + x' coefficients[:, class]; coefficients [columns, step].
    void (*linear_scores)(const Rows& rows, std::size_t classes, std::size_t step, const double* coefficients,
                          const double* base, double* scores);

    // offsets[row] = start + step * code, the code `card` for a missing one; false if any other code is out of range.
    bool (*table_offsets)(const void* codes, int bytes, std::size_t rows, std::uint32_t card, std::uint32_t start,
                          std::uint32_t step, std::uint32_t* offsets);

    // scores[row, :] = base + sum over columns of the `step` numbers at tables + offset. offsets [column][row_block].
    void (*table_scores)(const std::uint32_t* offsets, std::size_t rows, std::size_t columns, const double* tables,
                         std::size_t classes, std::size_t step, const double* base, double* scores);

    // exp(score - largest of the row), divided by the row's sum.
    void (*softmax)(double* scores, std::size_t rows, std::size_t classes);
};

const MatrixLoops& matrix_loops();  // the fastest that this processor runs
const MatrixLoops& portable_matrix_loops();
const MatrixLoops& avx2_matrix_loops();

}  // namespace bayou
