#include "bayou/data/codes.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "bayou/base/cpu.hpp"

namespace bayou {

namespace {

// Writes the first column's codes, or folds one more into the indices; false if a code is out of range.
template <typename Code>
BAYOU_INLINE bool fold_body(const Code* codes, std::uint32_t card, std::size_t rows, bool is_first,
                            std::uint32_t* indices, std::uint32_t* gone) {
    constexpr std::uint32_t missing = static_cast<Code>(~Code{0});
    std::uint32_t bad = 0;
    if (is_first) {
        for (std::size_t row = 0; row < rows; ++row) {
            const std::uint32_t code = codes[row];
            const std::uint32_t absent = code == missing ? ~0u : 0u;
            bad |= (code >= card ? ~0u : 0u) & ~absent;
            gone[row] = absent;
            indices[row] = code;
        }
    } else {
        for (std::size_t row = 0; row < rows; ++row) {
            const std::uint32_t code = codes[row];
            const std::uint32_t absent = code == missing ? ~0u : 0u;
            bad |= (code >= card ? ~0u : 0u) & ~absent;
            gone[row] |= absent;
            indices[row] = indices[row] * card + code;
        }
    }
    return bad == 0;
}

template <typename Code>
bool fold_plain(const Code* codes, std::uint32_t card, std::size_t rows, bool is_first,
                std::uint32_t* indices, std::uint32_t* gone) {
    return fold_body(codes, card, rows, is_first, indices, gone);
}

template <typename Code>
BAYOU_TARGET_AVX2 bool fold_avx2(const Code* codes, std::uint32_t card, std::size_t rows, bool is_first,
                                 std::uint32_t* indices, std::uint32_t* gone) {
    return fold_body(codes, card, rows, is_first, indices, gone);
}

template <typename Code>
void fold(const CodeColumn& column, std::size_t first, std::size_t rows, bool is_first,
          std::uint32_t* indices, std::uint32_t* gone) {
    const Code* codes = static_cast<const Code*>(column.codes) + first;
    const auto kernel = cpu_has_avx2() ? fold_avx2<Code> : fold_plain<Code>;
    if (!kernel(codes, column.card, rows, is_first, indices, gone)) report_bad_code(column, first, rows);
}

template <typename Code>
void narrow(const Code* codes, std::uint32_t card, std::size_t rows, std::uint8_t* out) {
    constexpr Code missing = static_cast<Code>(~Code{0});
    for (std::size_t row = 0; row < rows; ++row) {
        const Code code = codes[row];
        const std::uint8_t inside = code < card ? static_cast<std::uint8_t>(code) : std::uint8_t{254};
        out[row] = code == missing ? std::uint8_t{255} : inside;
    }
}

}  // namespace

std::uint32_t CodeColumn::at(std::size_t row) const {
    if (bytes == 1) return static_cast<const std::uint8_t*>(codes)[row];
    if (bytes == 2) return static_cast<const std::uint16_t*>(codes)[row];
    return static_cast<const std::uint32_t*>(codes)[row];
}

void check_columns(const std::vector<CodeColumn>& columns) {
    for (const CodeColumn& column : columns) {
        const std::string name = "column " + std::to_string(column.position);
        if (column.rows != columns.front().rows) {
            throw std::invalid_argument(name + " has " + std::to_string(column.rows) + " rows, column 0 has " +
                                        std::to_string(columns.front().rows) + ": expected the same number");
        }
        if (column.card > column.missing()) {
            throw std::invalid_argument(name + " holds uint" + std::to_string(8 * column.bytes) +
                                        " codes, too narrow for " + std::to_string(column.card) +
                                        " states and the code for missing");
        }
    }
}

void check_family(const Family& family, std::size_t columns, std::size_t family_position) {
    for (std::size_t place = 0; place < family.size(); ++place) {
        const std::string name = "family " + std::to_string(family_position);
        if (family[place] >= columns) {
            throw std::invalid_argument(name + " names column " + std::to_string(family[place]) +
                                        ", but there are " + std::to_string(columns) + " columns");
        }
        if (std::count(family.begin(), family.end(), family[place]) > 1) {
            throw std::invalid_argument(name + " names column " + std::to_string(family[place]) + " twice");
        }
    }
}

std::size_t table_cells(const std::vector<CodeColumn>& columns, const Family& family) {
    const bool empty = std::any_of(family.begin(), family.end(),
                                   [&](std::size_t member) { return columns[member].card == 0; });
    if (empty) return 0;
    std::uint64_t cells = 1;
    for (const std::size_t member : family) {
        cells *= columns[member].card;  // both below 2**32: no overflow
        if (cells >= missing_index) {
            throw std::invalid_argument("a table over " + std::to_string(family.size()) +
                                        " columns would have 2**32 - 1 cells or more: too large to count");
        }
    }
    return static_cast<std::size_t>(cells);
}

void report_bad_code(const CodeColumn& column, std::size_t first, std::size_t rows) {
    for (std::size_t row = first; row < first + rows; ++row) {
        const std::uint32_t code = column.at(row);
        if (code < column.card || code == column.missing()) continue;
        throw std::invalid_argument("column " + std::to_string(column.position) + ", row " +
                                    std::to_string(row) + ": code " + std::to_string(code) +
                                    " is not below the number of states, " + std::to_string(column.card));
    }
    throw std::invalid_argument("column " + std::to_string(column.position) + " changed while it was read");
}

void index_rows(const std::vector<CodeColumn>& columns, const Family& family, std::size_t first,
                std::size_t rows, std::uint32_t* indices) {
    if (family.empty()) {
        std::fill_n(indices, rows, 0u);
        return;
    }
    std::uint32_t gone[index_block];
    bool is_first = true;
    for (const std::size_t member : family) {
        const CodeColumn& column = columns[member];
        if (column.bytes == 1) {
            fold<std::uint8_t>(column, first, rows, is_first, indices, gone);
        } else if (column.bytes == 2) {
            fold<std::uint16_t>(column, first, rows, is_first, indices, gone);
        } else {
            fold<std::uint32_t>(column, first, rows, is_first, indices, gone);
        }
        is_first = false;
    }
    for (std::size_t row = 0; row < rows; ++row) indices[row] |= gone[row];
}

const std::uint8_t* byte_codes(const CodeColumn& column, std::size_t first, std::size_t rows,
                               std::uint8_t* buffer) {
    if (column.bytes == 1) return static_cast<const std::uint8_t*>(column.codes) + first;
    if (column.bytes == 2) {
        narrow(static_cast<const std::uint16_t*>(column.codes) + first, column.card, rows, buffer);
    } else {
        narrow(static_cast<const std::uint32_t*>(column.codes) + first, column.card, rows, buffer);
    }
    return buffer;
}

}  // namespace bayou
