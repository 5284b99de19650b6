#include "bayou/tables/tables.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "bayou/base/threads.hpp"

namespace bayou {

namespace {

constexpr std::size_t index_task_rows = 16 * index_block;

// Calls body(first row, rows) for every block of index_block rows, tasks of several blocks in parallel.
template <typename Body>
void for_blocks(std::size_t rows, int threads, const Body& body) {
    parallel_for((rows + index_task_rows - 1) / index_task_rows, threads, [&](std::size_t task, int) {
        const std::size_t end = std::min(rows, (task + 1) * index_task_rows);
        for (std::size_t first = task * index_task_rows; first < end; first += index_block) {
            body(first, std::min(index_block, end - first));
        }
    });
}

}  // namespace

void combine_codes(const std::vector<CodeColumn>& columns, std::size_t rows, std::uint32_t* out, int threads) {
    Family all(columns.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    table_cells(columns, all);
    for_blocks(rows, threads, [&](std::size_t first, std::size_t block) {
        index_rows(columns, all, first, block, out + first);
    });
}

void sum_log_tables(const std::vector<CodeColumn>& columns, std::size_t rows,
                    const std::vector<Family>& families, const std::vector<const double*>& tables,
                    double* out, int threads) {
    for_blocks(rows, threads, [&](std::size_t first, std::size_t block) {
        std::uint32_t indices[index_block];
        double* sums = out + first;
        std::fill_n(sums, block, 0.0);
        for (std::size_t at = 0; at < families.size(); ++at) {
            index_rows(columns, families[at], first, block, indices);
            const double* table = tables[at];
            for (std::size_t row = 0; row < block; ++row) {
                const std::uint32_t index = indices[row];
                sums[row] += index == missing_index ? std::numeric_limits<double>::quiet_NaN() : table[index];
            }
        }
    });
}

}  // namespace bayou
