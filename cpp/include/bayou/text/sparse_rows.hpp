// Rows of word counts as a sparse matrix (compressed rows): their sums by class, and the scores of classes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bayou {

// The entries of row r are those from starts[r] to starts[r + 1], each with its column and its value.
template <typename Index, typename Value>
struct SparseRows {
    const Index* starts = nullptr;
    const Index* columns = nullptr;
    const Value* values = nullptr;
    std::size_t rows = 0;
    std::size_t n_columns = 0;
};

// sums[column, class] = sum of weight * value, and present[column, class] = sum of the weights of the rows with a
// value above 0, over the rows of each class in their order. weights null: 1 each.
template <typename Index, typename Value, typename Weight, typename Sum>
void sum_sparse_rows(const SparseRows<Index, Value>& rows, const std::uint32_t* classes, std::size_t n_classes,
                     const Weight* weights, Sum* sums, Weight* present, int threads);

// scores[row, class] = start[class] + sum over the row's entries of value * table[column, class]; with `distinct`
// every value above 0 counts as 1.
template <typename Index, typename Value>
void score_sparse_rows(const SparseRows<Index, Value>& rows, const double* table, std::size_t n_classes,
                       const double* start, bool distinct, double* scores, int threads);

}  // namespace bayou
