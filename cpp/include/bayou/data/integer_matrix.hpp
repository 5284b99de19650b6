// Matrices of whole numbers into coded columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace bayou {

enum class IntegerKind { i8, i16, i32, i64, u8, u16, u32, u64 };

struct IntegerMatrix {
    const void* cells = nullptr;
    IntegerKind kind = IntegerKind::i64;
    std::size_t rows = 0, columns = 0;
    std::ptrdiff_t row_step = 0, column_step = 0;  // in cells
};

// A whole number of any kind, in the order of the numbers.
struct WholeNumber {
    bool negative = false;
    std::uint64_t bits = 0;  // two's complement
    auto operator<=>(const WholeNumber& other) const {
        if (negative != other.negative) return other.negative <=> negative;
        return bits <=> other.bits;
    }
    bool operator==(const WholeNumber&) const = default;
};

// Codes of one, two or four bytes; the largest number of the width is 'missing'.
struct EncodedColumn {
    int bytes = 1;
    std::unique_ptr<std::uint8_t[]> codes;
    std::vector<WholeNumber> values;  // distinct, ascending; the code is the place
};

// Every column's codes and values. Columns that span fewer than 255 numbers are coded in one pass over the
// matrix, the others in further passes of their own.
std::vector<EncodedColumn> encode_integers(const IntegerMatrix& matrix, int threads);

// Codes by known values (distinct, ascending, one list per column); any other number is missing.
std::vector<EncodedColumn> encode_known_integers(const IntegerMatrix& matrix,
                                                 std::vector<std::vector<WholeNumber>> values, int threads);

}  // namespace bayou
