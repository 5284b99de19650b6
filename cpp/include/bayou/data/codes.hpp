// Coded columns: codes 0..card-1 as uint8, uint16 or uint32; the largest value of the type is 'missing'.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bayou {

constexpr std::uint32_t missing_index = 0xFFFFFFFFu;

struct CodeColumn {
    const void* codes = nullptr;
    int bytes = 1;  // of one code: 1, 2 or 4
    std::uint32_t card = 0;
    std::size_t rows = 0;
    std::size_t position = 0;  // in the caller's list, for messages

    std::uint32_t missing() const { return bytes == 4 ? 0xFFFFFFFFu : (1u << (8 * bytes)) - 1u; }
    std::uint32_t at(std::size_t row) const;
};

using Family = std::vector<std::size_t>;  // positions of columns

// Throws std::invalid_argument unless the columns have one length and cards that fit their types.
void check_columns(const std::vector<CodeColumn>& columns);

// Throws unless the family's columns exist and differ.
void check_family(const Family& family, std::size_t columns, std::size_t family_position);

// The number of cells of a table over these columns; throws if an index would not fit 32 bits.
std::size_t table_cells(const std::vector<CodeColumn>& columns, const Family& family);

// Throws std::invalid_argument for the first row in [first, first + rows) whose code is out of range.
[[noreturn]] void report_bad_code(const CodeColumn& column, std::size_t first, std::size_t rows);

// Rows that are indexed at once: the index block and a column's block stay in the first cache.
constexpr std::size_t index_block = 2048;

// Mixed-radix indices (first column slowest) of rows [first, first + rows), rows <= index_block;
// missing_index where any cell is missing.
void index_rows(const std::vector<CodeColumn>& columns, const Family& family, std::size_t first,
                std::size_t rows, std::uint32_t* indices);

// Byte codes of rows [first, first + rows) of a column with card <= 253: a pointer into the column where
// it holds bytes already, otherwise `buffer`, filled. 255 is missing, 254 any other code out of range.
const std::uint8_t* byte_codes(const CodeColumn& column, std::size_t first, std::size_t rows,
                               std::uint8_t* buffer);

}  // namespace bayou
