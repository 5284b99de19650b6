// Walking over the cells of a matrix of whole numbers, whatever its type and order. Cells are read as unsigned numbers T
// of their width; with the sign bit flipped, numbers with a sign are in order, too ("ranks").
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "bayou/base/threads.hpp"
#include "bayou/data/integer_matrix.hpp"

namespace bayou {

inline bool has_sign(IntegerKind kind) {
    return kind == IntegerKind::i8 || kind == IntegerKind::i16 || kind == IntegerKind::i32 || kind == IntegerKind::i64;
}

template <typename T>
struct Cells {
    const T* cells;
    std::size_t rows, columns;
    std::ptrdiff_t row_step, column_step;
    T flip;  // the sign bit, or 0: a cell's rank is cell ^ flip

    explicit Cells(const IntegerMatrix& matrix)
        : cells(static_cast<const T*>(matrix.cells)), rows(matrix.rows), columns(matrix.columns),
          row_step(matrix.row_step), column_step(matrix.column_step),
          flip(has_sign(matrix.kind) ? static_cast<T>(T{1} << (8 * sizeof(T) - 1)) : T{0}) {}

    WholeNumber number(std::uint64_t rank) const {
        const T cell = static_cast<T>(rank ^ flip);
        if (!flip) return {false, cell};
        const std::int64_t value = static_cast<std::make_signed_t<T>>(cell);
        return {value < 0, static_cast<std::uint64_t>(value)};
    }

    const T* place(std::size_t row, std::size_t column) const {
        return cells + static_cast<std::ptrdiff_t>(row) * row_step + static_cast<std::ptrdiff_t>(column) * column_step;
    }
    static constexpr std::size_t task_rows = 16384;
    std::size_t tasks() const { return (rows + task_rows - 1) / task_rows; }
    // Rows that stay in the first cache together, or as many as there are where columns are contiguous.
    std::size_t block_rows() const {
        if (row_step == 1 && column_step != 1) return 4096;
        return std::clamp<std::size_t>(24576 / (columns * sizeof(T) + 1), 16, 512);
    }
};

// body(task, first row, count) for blocks of rows; a task's blocks run one after the other.
template <typename T, typename Body>
void for_cell_blocks(const Cells<T>& cells, int threads, const Body& body) {
    const std::size_t block = cells.block_rows();
    parallel_for(cells.tasks(), threads, [&](std::size_t task, int) {
        const std::size_t end = std::min(cells.rows, (task + 1) * Cells<T>::task_rows);
        for (std::size_t first = task * Cells<T>::task_rows; first < end; first += block) {
            body(task, first, std::min(block, end - first));
        }
    });
}

inline int code_bytes(std::size_t values) { return values <= 255 ? 1 : values <= 65535 ? 2 : 4; }

// body(example) with an unsigned number of the cells' width.
template <typename Body>
auto by_width(IntegerKind kind, const Body& body) {
    switch (kind) {
        case IntegerKind::i8:
        case IntegerKind::u8: return body(std::uint8_t{});
        case IntegerKind::i16:
        case IntegerKind::u16: return body(std::uint16_t{});
        case IntegerKind::i32:
        case IntegerKind::u32: return body(std::uint32_t{});
        default: return body(std::uint64_t{});
    }
}

}  // namespace bayou
