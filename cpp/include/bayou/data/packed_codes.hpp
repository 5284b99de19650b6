// Codes of several columns out of 64-bit numbers into which a database has packed them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bayou {

// Where a column is: the byte of a row at which its field begins (a number of 64 bits, the highest byte first), what is
// subtracted from the field, then the shift and the number of its bits. There 0 is missing, and k is the code k - 1.
// With 0 states the codes are the ranks among the numbers that occur.
struct PackedPlace {
    std::size_t start = 0;
    std::int64_t offset = 0;
    int shift = 0;
    int bits = 1;
    std::size_t states = 0;
};

struct UnpackedColumn {
    std::vector<std::uint16_t> wide;   // the codes, if there are more than 255 states,
    std::vector<std::uint8_t> narrow;  // or else here
    std::vector<std::int64_t> seen;    // the numbers that the codes stand for, if they are ranks
    bool is_wide = false;
};

// The columns of `size` bytes, rows of `row_bytes` bytes. std::invalid_argument if these are not whole rows, a place is not in
// a row, or a code is beyond its states.
std::vector<UnpackedColumn> unpack_codes(const std::uint8_t* data, std::size_t size, std::size_t row_bytes,
                                         const std::vector<PackedPlace>& places);

}  // namespace bayou
