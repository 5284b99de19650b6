// Some rows at a time, so that they stay in the cache while each column takes its bits out of them.
#include "bayou/data/packed_codes.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>


namespace bayou {

namespace {

constexpr std::size_t unpacked_rows = 2048;
constexpr std::size_t narrow_states = 255;

void check(std::size_t size, std::size_t row_bytes, const std::vector<PackedPlace>& places) {
    if (row_bytes < 8 || size % row_bytes != 0) {
        throw std::invalid_argument("data: " + std::to_string(size) + " bytes are not whole rows of " +
                                    std::to_string(row_bytes) + " bytes, at least 8");
    }
    for (const PackedPlace& place : places) {
        if (place.start > row_bytes - 8) {
            throw std::invalid_argument("places: no field of 8 bytes begins at " + std::to_string(place.start) +
                                        " in rows of " + std::to_string(row_bytes) + " bytes");
        }
        const bool has_room = place.bits >= 1 && place.bits <= 16 && place.shift >= 0 && place.shift <= 64 - place.bits;
        if (!has_room || place.states >= std::size_t{1} << place.bits) {
            throw std::invalid_argument("places: " + std::to_string(place.bits) + " bits from " +
                                        std::to_string(place.shift) + " on cannot hold " +
                                        std::to_string(place.states) + " states");
        }
    }
}

void load_fields(const std::uint8_t* at, std::size_t row_bytes, std::size_t rows, std::uint64_t* fields) {
    for (std::size_t row = 0; row < rows; ++row, at += row_bytes) {
        std::uint64_t field = 0;
        for (int byte = 0; byte < 8; ++byte) field = field << 8 | at[byte];
        fields[row] = field;
    }
}

// The numbers of a column's bits, as they are.
template <typename Code>
void take_bits(const std::uint64_t* fields, std::size_t rows, const PackedPlace& place, Code* codes) {
    const auto offset = static_cast<std::uint64_t>(place.offset);
    const auto mask = (std::uint64_t{1} << place.bits) - 1;
    for (std::size_t row = 0; row < rows; ++row) {
        codes[row] = static_cast<Code>(((fields[row] - offset) >> place.shift) & mask);
    }
}

// What each number becomes: the code before it, or its rank among those that occur; missing where it is 0.
template <typename Code>
std::vector<std::uint16_t> meanings(const std::vector<Code>& numbers, const PackedPlace& place, UnpackedColumn& column) {
    const std::size_t size = std::size_t{1} << place.bits;
    std::vector<std::uint8_t> occurs(size, 0);
    for (const Code number : numbers) occurs[number] = 1;
    std::vector<std::uint16_t> meaning(size, 0);
    for (std::size_t number = 1; number < size; ++number) {
        if (!occurs[number]) continue;
        if (place.states && number > place.states) {
            const auto last = std::find(occurs.rbegin(), occurs.rend(), std::uint8_t{1});
            throw std::invalid_argument("data: the code " + std::to_string(occurs.rend() - last - 1) +
                                        " is beyond the " + std::to_string(place.states) + " states of its column");
        }
        meaning[number] = static_cast<std::uint16_t>(place.states ? number - 1 : column.seen.size());
        if (!place.states) column.seen.push_back(static_cast<std::int64_t>(number));
    }
    column.is_wide = (place.states ? place.states : column.seen.size()) > narrow_states;
    meaning[0] = column.is_wide ? 0xFFFF : 0xFF;
    return meaning;
}

template <typename Code>
UnpackedColumn finished(std::vector<Code>&& numbers, const PackedPlace& place) {
    UnpackedColumn column;
    const std::vector<std::uint16_t> meaning = meanings(numbers, place, column);
    if (column.is_wide) {
        column.wide.resize(numbers.size());
        for (std::size_t row = 0; row < numbers.size(); ++row) column.wide[row] = meaning[numbers[row]];
        return column;
    }
    column.narrow.resize(numbers.size());
    for (std::size_t row = 0; row < numbers.size(); ++row) {
        column.narrow[row] = static_cast<std::uint8_t>(meaning[numbers[row]]);
    }
    return column;
}

}  // namespace

std::vector<UnpackedColumn> unpack_codes(const std::uint8_t* data, std::size_t size, std::size_t row_bytes,
                                         const std::vector<PackedPlace>& places) {
    check(size, row_bytes, places);
    const std::size_t rows = size / row_bytes;
    std::vector<std::vector<std::uint8_t>> narrow(places.size());
    std::vector<std::vector<std::uint16_t>> wide(places.size());
    for (std::size_t k = 0; k < places.size(); ++k) {
        if (places[k].bits <= 8) narrow[k].resize(rows);
        else wide[k].resize(rows);
    }
    std::uint64_t fields[unpacked_rows];
    for (std::size_t first = 0; first < rows; first += unpacked_rows) {
        const std::size_t count = std::min(unpacked_rows, rows - first);
        for (std::size_t k = 0; k < places.size(); ++k) {
            if (k == 0 || places[k].start != places[k - 1].start) {
                load_fields(data + first * row_bytes + places[k].start, row_bytes, count, fields);
            }
            if (places[k].bits <= 8) take_bits(fields, count, places[k], narrow[k].data() + first);
            else take_bits(fields, count, places[k], wide[k].data() + first);
        }
    }
    std::vector<UnpackedColumn> columns;
    for (std::size_t k = 0; k < places.size(); ++k) {
        columns.push_back(places[k].bits <= 8 ? finished(std::move(narrow[k]), places[k])
                                              : finished(std::move(wide[k]), places[k]));
    }
    return columns;
}

}  // namespace bayou
