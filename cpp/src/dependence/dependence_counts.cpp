#include <numeric>

#include "bayou/base/threads.hpp"
#include "bayou/dependence/dependence_tables.hpp"

namespace bayou {

DependenceLayout::DependenceLayout(const std::uint32_t* given, const std::int32_t* parents, std::size_t columns,
                                   std::size_t class_count)
    : classes(class_count), cards(given, given + columns), first(columns), second(columns), starts(columns + 1, 0) {
    for (std::size_t column = 0; column < columns; ++column) {
        first[column] = parents[2 * column];
        second[column] = parents[2 * column + 1];
        starts[column + 1] = starts[column] + second_card(column) * first_card(column) * cards[column] * classes;
    }
}

std::size_t DependenceLayout::level_cells(std::size_t column, int level) const {
    std::size_t cells = cards[column] * classes;
    if (level > 0) cells *= first_card(column);
    if (level > 1) cells *= second_card(column);
    return cells;
}

std::vector<std::size_t> DependenceLayout::log_starts() const {
    std::vector<std::size_t> found(columns() + 1, 0);
    for (std::size_t column = 0; column < columns(); ++column) {
        found[column + 1] = found[column];
        for (int level = 0; level <= depth(column); ++level) found[column + 1] += level_cells(column, level);
    }
    return found;
}

LevelCounts::LevelCounts(const double* top, const DependenceLayout& layout, std::size_t column)
    : card(layout.cards[column]), classes(layout.classes), depth(layout.depth(column)), states(card, 0.0) {
    const std::size_t row = card * classes;
    std::size_t groups = layout.first_card(column) * layout.second_card(column);
    cells[depth].assign(top, top + groups * row);
    for (int level = depth; level >= 0; --level) {
        totals[level].assign(groups * classes, 0.0);
        for (std::size_t group = 0; group < groups; ++group) {
            for (std::size_t at = 0; at < row; ++at) {
                totals[level][group * classes + at % classes] += cells[level][group * row + at];
            }
        }
        if (level == 0) break;
        // The lower table is summed over the second parent (the slowest axis), then over the first.
        const std::size_t kept = level == 2 ? layout.first_card(column) : 1;
        cells[level - 1].assign(kept * row, 0.0);
        for (std::size_t at = 0; at < groups * row; ++at) cells[level - 1][at % (kept * row)] += cells[level][at];
        groups = kept;
    }
    for (std::size_t at = 0; at < row; ++at) states[at / classes] += cells[0][at];
    all = std::accumulate(states.begin(), states.end(), 0.0);
}

void count_dependences(const DependenceLayout& layout, const CodedRows& rows, const std::uint32_t* own,
                       const double* weights, double* counts, int threads) {
    parallel_for(layout.columns(), threads, [&](std::size_t column, int) {
        const std::uint8_t* x = rows.codes + column * rows.rows;
        const std::uint8_t* one = layout.first[column] < 0 ? nullptr : rows.codes + layout.first[column] * rows.rows;
        const std::uint8_t* two = layout.second[column] < 0 ? nullptr : rows.codes + layout.second[column] * rows.rows;
        const std::size_t ones = layout.first_card(column), card = layout.cards[column], classes = layout.classes;
        double* cells = counts + layout.starts[column];
        for (std::size_t row = 0; row < rows.rows; ++row) {
            const std::size_t group = (two ? two[row] : 0) * ones + (one ? one[row] : 0);
            cells[(group * card + x[row]) * classes + own[row]] += weights ? weights[row] : 1.0;
        }
    });
}

}  // namespace bayou
