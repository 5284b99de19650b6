// Walks of rows down a tree, some rows at once: each waits for memory while the others step.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "bayou/base/cpu.hpp"

namespace bayou {

constexpr std::size_t kSideBySide = 8;

// The nodes in which rows end that start in the root; next(row, node) is the node itself where a row ends.
template <std::size_t count, typename Next>
BAYOU_INLINE std::array<std::uint32_t, count> ends_of(std::size_t row, const Next& next) {
    std::array<std::uint32_t, count> at{};
    for (std::uint32_t moved = 1; moved != 0;) {
        moved = 0;
        for (std::size_t each = 0; each < count; ++each) {
            const std::uint32_t child = next(row + each, at[each]);
            moved |= child ^ at[each];
            at[each] = child;
        }
    }
    return at;
}

// Calls take(row, node) for the rows from `begin` to `end` and the nodes in which they end.
template <typename Next, typename Take>
BAYOU_INLINE void walk_side_by_side(std::size_t begin, std::size_t end, const Next& next, const Take& take) {
    std::size_t row = begin;
    for (; row + kSideBySide <= end; row += kSideBySide) {
        const auto ends = ends_of<kSideBySide>(row, next);
        for (std::size_t each = 0; each < kSideBySide; ++each) take(row + each, ends[each]);
    }
    for (; row < end; ++row) take(row, ends_of<1>(row, next)[0]);
}

}  // namespace bayou
