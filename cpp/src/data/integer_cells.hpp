// Walking over the cells of a matrix of whole numbers, whatever its type and order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "bayou/base/threads.hpp"
#include "bayou/data/integer_matrix.hpp"

namespace bayou {

template <typename T>
struct Cells {
    const T* cells;
    std::size_t rows, columns;
    std::ptrdiff_t row_step, column_step;

    explicit Cells(const IntegerMatrix& matrix)
        : cells(static_cast<const T*>(matrix.cells)), rows(matrix.rows), columns(matrix.columns),
          row_step(matrix.row_step), column_step(matrix.column_step) {}

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

template <typename T>
WholeNumber whole_number(T value) {
    return {std::is_signed_v<T> && value < T{0}, static_cast<std::uint64_t>(value)};
}

template <typename Body>
auto by_kind(IntegerKind kind, const Body& body) {
    switch (kind) {
        case IntegerKind::i8: return body(std::int8_t{});
        case IntegerKind::i16: return body(std::int16_t{});
        case IntegerKind::i32: return body(std::int32_t{});
        case IntegerKind::u8: return body(std::uint8_t{});
        case IntegerKind::u16: return body(std::uint16_t{});
        case IntegerKind::u32: return body(std::uint32_t{});
        case IntegerKind::u64: return body(std::uint64_t{});
        default: return body(std::int64_t{});
    }
}

}  // namespace bayou
