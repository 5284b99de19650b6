// Contingency tables of many families of columns in one pass over the rows.
#pragma once

#include <cstdint>
#include <vector>

#include "bayou/data/codes.hpp"

namespace bayou {

// Adds the counts of each family to its zeroed C-order table of table_cells(columns, family) cells.
// A row with a missing cell in a family is left out of that family's table.
void count_families(const std::vector<CodeColumn>& columns, std::size_t rows,
                    const std::vector<Family>& families, const std::vector<std::int64_t*>& tables,
                    int threads);

// The same with a weight for each row. Each family is summed in row order by one thread, so that sums of
// doubles are the same for any number of threads.
void count_families_weighted(const std::vector<CodeColumn>& columns, std::size_t rows,
                             const std::vector<Family>& families, const std::int64_t* weights,
                             const std::vector<std::int64_t*>& tables, int threads);
void count_families_weighted(const std::vector<CodeColumn>& columns, std::size_t rows,
                             const std::vector<Family>& families, const double* weights,
                             const std::vector<double*>& tables, int threads);

// Where the tables of all pairs i < j (lexicographic) start in one flat array; the last entry is its length.
std::vector<std::int64_t> pair_offsets(const std::vector<CodeColumn>& columns);

// Adds the table of every pair to the zeroed flat array.
void count_pairs(const std::vector<CodeColumn>& columns, const std::vector<std::int64_t>& offsets,
                 std::int64_t* tables, int threads);

}  // namespace bayou
