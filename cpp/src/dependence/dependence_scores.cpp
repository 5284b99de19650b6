#include <algorithm>

#include "bayou/base/threads.hpp"
#include "bayou/dependence/dependence_tables.hpp"

namespace bayou {
namespace {

constexpr std::size_t kScoredRows = 512;  // rows of one task

// The logarithms of a column for one row, one for each class; null if its own value is unknown. An unknown parent is
// left out together with those after it: the table with fewer parents answers.
const double* entry_of(const DependenceLayout& layout, const double* logs, const CodedRows& rows, std::size_t column,
                       std::size_t row) {
    const std::size_t card = layout.cards[column], state = rows.at(column, row);
    if (state >= card) return nullptr;
    std::size_t start = 0, group = 0;
    const std::int32_t first = layout.first[column], second = layout.second[column];
    if (first >= 0 && rows.at(first, row) < layout.cards[first]) {
        start = layout.level_cells(column, 0);
        group = rows.at(first, row);
        if (second >= 0 && rows.at(second, row) < layout.cards[second]) {
            start += layout.level_cells(column, 1);
            group += rows.at(second, row) * layout.first_card(column);
        }
    }
    return logs + start + (group * card + state) * layout.classes;
}

template <typename Take>
void for_each_entry(const DependenceLayout& layout, const double* logs, const CodedRows& rows, int threads,
                    const Take& take) {
    const std::vector<std::size_t> starts = layout.log_starts();
    const std::size_t tasks = (rows.rows + kScoredRows - 1) / kScoredRows;
    parallel_for(tasks, threads, [&](std::size_t task, int) {
        const std::size_t end = std::min(rows.rows, (task + 1) * kScoredRows);
        for (std::size_t column = 0; column < layout.columns(); ++column) {
            for (std::size_t row = task * kScoredRows; row < end; ++row) {
                const double* entry = entry_of(layout, logs + starts[column], rows, column, row);
                if (entry) take(row, column, entry);
            }
        }
    });
}

}  // namespace

void dependence_terms(const DependenceLayout& layout, const double* logs, const CodedRows& rows, double* terms,
                      int threads) {
    const std::size_t columns = layout.columns(), classes = layout.classes;
    for_each_entry(layout, logs, rows, threads, [&](std::size_t row, std::size_t column, const double* entry) {
        for (std::size_t k = 0; k < classes; ++k) terms[(row * classes + k) * columns + column] = entry[k];
    });
}

void dependence_scores(const DependenceLayout& layout, const double* logs, const CodedRows& rows,
                       const double* weights, double* scores, int threads) {
    const std::size_t classes = layout.classes;
    for_each_entry(layout, logs, rows, threads, [&](std::size_t row, std::size_t column, const double* entry) {
        if (weights[column] == 0) return;
        for (std::size_t k = 0; k < classes; ++k) scores[row * classes + k] += weights[column] * entry[k];
    });
}

}  // namespace bayou
