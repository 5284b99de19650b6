// A column of whole numbers whose range is small, kept in one or two bytes a row while it is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace bayou {

// Each number is kept as its lowest 8 or 16 bits. Together with the smallest number they tell the whole number, because
// the range stays below 2^8 − 1 or 2^16 − 1; so a smaller number that comes later changes nothing that was kept.
class FewIntegers {
public:
    // Appends numbers; `valid` is Arrow's bitmap (null: every row has a number), `first` the bit of the first row.
    // False, with nothing appended, where the range becomes too wide.
    template <typename Integer>
    bool append(const Integer* values, const std::uint8_t* valid, std::int64_t first, std::int64_t count);

    // The numbers, NaN where missing, appended to `out`.
    void expand(std::vector<double>& out) const;

    struct Codes {
        std::vector<std::uint8_t> bytes;      // of codes; all bits set: missing
        int width = 1;                        // bytes of a code
        std::vector<std::int64_t> numbers;    // that occur, ascending: number[code]
    };
    // The rows as codes; leaves an empty column.
    Codes take();

    std::size_t rows() const { return width_ == 1 ? narrow_.size() : wide_.size(); }
    void clear();

private:
    bool make_room(std::int64_t low, std::int64_t high);
    void mark_gaps(const std::uint8_t* valid, std::int64_t first, std::int64_t count);
    template <typename Word>
    Codes coded(std::vector<Word>& residues) const;
    template <typename Word>
    std::vector<std::int64_t> ranks(const std::vector<Word>& residues, std::vector<std::uint32_t>& rank) const;

    std::vector<std::uint8_t> narrow_;
    std::vector<std::uint16_t> wide_;
    std::vector<std::uint8_t> gaps_;  // one for each row with 1 where it is missing; empty if none is
    std::int64_t low_ = std::numeric_limits<std::int64_t>::max();
    std::int64_t high_ = std::numeric_limits<std::int64_t>::min();
    int width_ = 1;
};

}  // namespace bayou
