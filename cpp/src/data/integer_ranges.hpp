// The least and the largest rank of each column.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "bayou/base/cpu.hpp"
#include "integer_cells.hpp"

namespace bayou {

template <typename T>
struct Ranges {
    std::vector<T> low, high;
    explicit Ranges(std::size_t columns)
        : low(columns, std::numeric_limits<T>::max()), high(columns, std::numeric_limits<T>::min()) {}
};

template <typename T>
BAYOU_INLINE void range_body(const T* from, std::size_t rows, std::size_t columns, std::ptrdiff_t row_step,
                             T flip, T* __restrict low, T* __restrict high) {
    for (std::size_t row = 0; row < rows; ++row) {
        const T* x = from + static_cast<std::ptrdiff_t>(row) * row_step;
        for (std::size_t j = 0; j < columns; ++j) {
            const T rank = x[j] ^ flip;
            low[j] = rank < low[j] ? rank : low[j];
            high[j] = rank > high[j] ? rank : high[j];
        }
    }
}

template <typename T>
void range_plain(const T* from, std::size_t rows, std::size_t columns, std::ptrdiff_t row_step, T flip,
                 T* low, T* high) {
    range_body(from, rows, columns, row_step, flip, low, high);
}

template <typename T>
BAYOU_TARGET_AVX2 void range_avx2(const T* from, std::size_t rows, std::size_t columns, std::ptrdiff_t row_step,
                                  T flip, T* low, T* high) {
    range_body(from, rows, columns, row_step, flip, low, high);
}

template <typename T>
[[gnu::noinline]] void update_ranges(const Cells<T>& cells, std::size_t first, std::size_t count, Ranges<T>& ranges) {
    if (cells.column_step == 1) {
        (cpu_has_avx2() ? range_avx2<T> : range_plain<T>)(cells.place(first, 0), count, cells.columns, cells.row_step,
                                                          cells.flip, ranges.low.data(), ranges.high.data());
        return;
    }
    for (std::size_t j = 0; j < cells.columns; ++j) {
        const T* x = cells.place(first, j);
        T low = ranges.low[j], high = ranges.high[j];
        for (std::size_t row = 0; row < count; ++row) {
            const T value = x[static_cast<std::ptrdiff_t>(row) * cells.row_step] ^ cells.flip;
            low = std::min(low, value);
            high = std::max(high, value);
        }
        ranges.low[j] = low;
        ranges.high[j] = high;
    }
}

}  // namespace bayou
