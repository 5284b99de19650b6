#include "bayou/text/sparse_rows.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "bayou/base/portable.hpp"
#include "bayou/base/threads.hpp"

namespace bayou {

namespace {

constexpr std::size_t block_rows = 256;
constexpr std::int64_t few_entries = 1 << 18;  // below this, starting threads takes longer than they save
constexpr int ahead = 12;  // entries of a row whose weights are fetched into the cache before they are needed

template <typename Index, typename Value>
void check(const SparseRows<Index, Value>& rows, int threads) {
    for (std::size_t row = 0; row < rows.rows; ++row) {
        if (rows.starts[row] > rows.starts[row + 1]) throw std::invalid_argument("starts: expected ascending numbers");
    }
    parallel_for((rows.rows + block_rows - 1) / block_rows, threads, [&](std::size_t block, int) {
        const std::size_t last = std::min(rows.rows, (block + 1) * block_rows);
        const Index most = static_cast<Index>(rows.n_columns) - 1;
        Index signs = 0;  // negative as soon as a column is below 0 or above the largest
        for (Index at = rows.starts[block * block_rows]; at < rows.starts[last]; ++at) {
            signs |= rows.columns[at] | (most - rows.columns[at]);
        }
        if (signs < 0) throw std::invalid_argument("columns: expected numbers below " + std::to_string(rows.n_columns));
    });
}

// The rows of each class, in their order.
std::vector<std::vector<std::size_t>> rows_by_class(const std::uint32_t* classes, std::size_t rows, std::size_t n_classes) {
    std::vector<std::vector<std::size_t>> of_class(n_classes);
    for (std::size_t row = 0; row < rows; ++row) {
        if (classes[row] >= n_classes) {
            throw std::invalid_argument("classes, row " + std::to_string(row) + ": expected a number below " +
                                        std::to_string(n_classes));
        }
        of_class[classes[row]].push_back(row);
    }
    return of_class;
}

template <typename Weight, typename Sum>
struct ColumnSum {
    Sum sum;
    Weight present;
};

// The scores of `width` neighbouring classes, kept in registers over the entries of a row.
template <std::size_t width, bool distinct, typename Index, typename Value>
void score_classes(const SparseRows<Index, Value>& rows, std::size_t row, const double* table, std::size_t n_classes,
                   const double* start, double* scores) {
    double sums[width] = {};
    const Index end = rows.starts[row + 1], last = rows.starts[rows.rows] - 1;
    for (Index at = rows.starts[row]; at < end; ++at) {
        BAYOU_PREFETCH(table + static_cast<std::size_t>(rows.columns[std::min<Index>(at + ahead, last)]) * n_classes);
        const double* weights = table + static_cast<std::size_t>(rows.columns[at]) * n_classes;
        if constexpr (distinct) {
            if (!(rows.values[at] > 0)) continue;
            for (std::size_t c = 0; c < width; ++c) sums[c] += weights[c];
        } else {
            const double value = static_cast<double>(rows.values[at]);
            for (std::size_t c = 0; c < width; ++c) sums[c] += value * weights[c];
        }
    }
    for (std::size_t c = 0; c < width; ++c) scores[c] = sums[c] + start[c];
}

template <bool distinct, typename Index, typename Value>
void score_row(const SparseRows<Index, Value>& rows, std::size_t row, const double* table, std::size_t n_classes,
               const double* start, double* scores) {
    std::size_t c = 0;
    for (; c + 16 <= n_classes; c += 16) score_classes<16, distinct>(rows, row, table + c, n_classes, start + c, scores + c);
    for (; c + 8 <= n_classes; c += 8) score_classes<8, distinct>(rows, row, table + c, n_classes, start + c, scores + c);
    for (; c + 4 <= n_classes; c += 4) score_classes<4, distinct>(rows, row, table + c, n_classes, start + c, scores + c);
    for (; c + 2 <= n_classes; c += 2) score_classes<2, distinct>(rows, row, table + c, n_classes, start + c, scores + c);
    for (; c < n_classes; ++c) score_classes<1, distinct>(rows, row, table + c, n_classes, start + c, scores + c);
}

}  // namespace

template <typename Index, typename Value, typename Weight, typename Sum>
void sum_sparse_rows(const SparseRows<Index, Value>& rows, const std::uint32_t* classes, std::size_t n_classes,
                     const Weight* weights, Sum* sums, Weight* present, int threads) {
    if (rows.starts[rows.rows] < few_entries) threads = 1;
    check(rows, threads);
    const auto of_class = rows_by_class(classes, rows.rows, n_classes);
    parallel_for(n_classes, threads, [&](std::size_t c, int) {
        std::vector<ColumnSum<Weight, Sum>> columns(rows.n_columns, {0, 0});
        for (const std::size_t row : of_class[c]) {
            const Weight weight = weights ? weights[row] : 1;
            for (Index at = rows.starts[row]; at < rows.starts[row + 1]; ++at) {
                auto& column = columns[rows.columns[at]];
                column.sum += static_cast<Sum>(weight) * static_cast<Sum>(rows.values[at]);
                column.present += rows.values[at] > 0 ? weight : 0;
            }
        }
        for (std::size_t column = 0; column < rows.n_columns; ++column) {
            sums[column * n_classes + c] = columns[column].sum;
            present[column * n_classes + c] = columns[column].present;
        }
    });
}

template <typename Index, typename Value>
void score_sparse_rows(const SparseRows<Index, Value>& rows, const double* table, std::size_t n_classes,
                       const double* start, bool distinct, double* scores, int threads) {
    if (rows.starts[rows.rows] < few_entries) threads = 1;
    check(rows, threads);
    parallel_for((rows.rows + block_rows - 1) / block_rows, threads, [&](std::size_t block, int) {
        const std::size_t last = std::min(rows.rows, (block + 1) * block_rows);
        for (std::size_t row = block * block_rows; row < last; ++row) {
            double* own = scores + row * n_classes;
            if (distinct) {
                score_row<true>(rows, row, table, n_classes, start, own);
            } else {
                score_row<false>(rows, row, table, n_classes, start, own);
            }
        }
    });
}

#define BAYOU_SPARSE_SUMS(Index, Value, Weight, Sum)                                                                  \
    template void sum_sparse_rows(const SparseRows<Index, Value>&, const std::uint32_t*, std::size_t, const Weight*, \
                                  Sum*, Weight*, int);
#define BAYOU_SPARSE_ROWS(Index, Value)                                                                               \
    template void score_sparse_rows(const SparseRows<Index, Value>&, const double*, std::size_t, const double*, bool, \
                                    double*, int);
BAYOU_SPARSE_SUMS(std::int32_t, double, std::int64_t, double)
BAYOU_SPARSE_SUMS(std::int32_t, double, double, double)
BAYOU_SPARSE_SUMS(std::int64_t, double, std::int64_t, double)
BAYOU_SPARSE_SUMS(std::int64_t, double, double, double)
BAYOU_SPARSE_SUMS(std::int32_t, std::int64_t, std::int64_t, std::int64_t)
BAYOU_SPARSE_SUMS(std::int32_t, std::int64_t, double, double)
BAYOU_SPARSE_SUMS(std::int64_t, std::int64_t, std::int64_t, std::int64_t)
BAYOU_SPARSE_SUMS(std::int64_t, std::int64_t, double, double)
BAYOU_SPARSE_ROWS(std::int32_t, double)
BAYOU_SPARSE_ROWS(std::int64_t, double)
BAYOU_SPARSE_ROWS(std::int32_t, std::int64_t)
BAYOU_SPARSE_ROWS(std::int64_t, std::int64_t)
#undef BAYOU_SPARSE_SUMS
#undef BAYOU_SPARSE_ROWS

}  // namespace bayou
