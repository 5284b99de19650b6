// Row indices into tables, and sums of table entries row by row.
#pragma once

#include <vector>

#include "bayou/data/codes.hpp"

namespace bayou {

// out[row] = mixed-radix index of the row (first column slowest), missing_index where a cell is missing.
void combine_codes(const std::vector<CodeColumn>& columns, std::size_t rows, std::uint32_t* out, int threads);

// out[row] = sum over families of tables[family][index of the row]; NaN where a cell is missing.
void sum_log_tables(const std::vector<CodeColumn>& columns, std::size_t rows,
                    const std::vector<Family>& families, const std::vector<const double*>& tables,
                    double* out, int threads);

}  // namespace bayou
