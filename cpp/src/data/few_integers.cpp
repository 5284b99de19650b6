#include "bayou/data/few_integers.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace bayou {
namespace {

// Rows that are looked at together: they stay in the first cache between the two loops over them.
constexpr std::int64_t kSearchedRows = 2048;

constexpr std::int64_t kFirstInexact = std::int64_t{1} << 53;  // beyond it doubles skip integers

bool is_set(const std::uint8_t* bitmap, std::int64_t at) { return (bitmap[at >> 3] >> (at & 7)) & 1; }

template <typename Word>
std::uint64_t largest_range() { return static_cast<std::uint64_t>(static_cast<Word>(~Word{0})) - 1; }

template <typename Integer>
void widen_range(const Integer* values, std::int64_t count, Integer& low, Integer& high) {
    Integer smallest = low, largest = high;
    for (std::int64_t row = 0; row < count; ++row) {
        smallest = std::min(smallest, values[row]);
        largest = std::max(largest, values[row]);
    }
    low = smallest;
    high = largest;
}

}  // namespace

template <typename Integer>
bool FewIntegers::append(const Integer* values, const std::uint8_t* valid, std::int64_t first, std::int64_t count) {
    Integer low = std::numeric_limits<Integer>::max(), high = std::numeric_limits<Integer>::min();
    if (valid == nullptr) {
        widen_range(values, count, low, high);
    } else {
        for (std::int64_t row = 0; row < count; ++row) {
            if (is_set(valid, first + row)) widen_range(values + row, 1, low, high);
        }
    }
    if (low <= high) {  // otherwise there is no number among these rows
        if (sizeof(Integer) == 8 && high > 0 && static_cast<std::uint64_t>(high) >> 63 != 0) return false;
        if (!make_room(static_cast<std::int64_t>(low), static_cast<std::int64_t>(high))) return false;
    }
    if (valid != nullptr) mark_gaps(valid, first, count);
    else if (!gaps_.empty()) gaps_.resize(gaps_.size() + count);
    if (width_ == 1) {
        const std::size_t before = narrow_.size();
        narrow_.resize(before + count);
        for (std::int64_t row = 0; row < count; ++row) narrow_[before + row] = static_cast<std::uint8_t>(values[row]);
    } else {
        const std::size_t before = wide_.size();
        wide_.resize(before + count);
        for (std::int64_t row = 0; row < count; ++row) wide_[before + row] = static_cast<std::uint16_t>(values[row]);
    }
    return true;
}

// Whether the range fits with these numbers, too; widens what was kept from one byte to two where it must.
bool FewIntegers::make_room(std::int64_t low, std::int64_t high) {
    const std::int64_t smallest = std::min(low, low_), largest = std::max(high, high_);
    const std::uint64_t range = static_cast<std::uint64_t>(largest) - static_cast<std::uint64_t>(smallest);
    if (range > largest_range<std::uint16_t>() || smallest <= -kFirstInexact || largest >= kFirstInexact) return false;
    if (width_ == 1 && range > largest_range<std::uint8_t>()) {
        wide_.resize(narrow_.size());
        const auto least = static_cast<std::uint8_t>(low_);
        for (std::size_t row = 0; row < narrow_.size(); ++row) {
            wide_[row] = static_cast<std::uint16_t>(low_ + static_cast<std::uint8_t>(narrow_[row] - least));
        }
        narrow_ = {};
        width_ = 2;
    }
    low_ = smallest;
    high_ = largest;
    return true;
}

void FewIntegers::mark_gaps(const std::uint8_t* valid, std::int64_t first, std::int64_t count) {
    const std::size_t before = rows();
    gaps_.resize(before + count);
    for (std::int64_t row = 0; row < count; ++row) gaps_[before + row] = !is_set(valid, first + row);
}

void FewIntegers::expand(std::vector<double>& out) const {
    const std::size_t before = out.size(), count = rows();
    out.resize(before + count);
    for (std::size_t row = 0; row < count; ++row) {
        const std::int64_t offset = width_ == 1 ? static_cast<std::uint8_t>(narrow_[row] - low_)
                                                : static_cast<std::uint16_t>(wide_[row] - low_);
        const bool missing = !gaps_.empty() && gaps_[row];
        out[before + row] = missing ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(low_ + offset);
    }
}

// The numbers that occur, ascending, and the place of each offset from the smallest number among them.
template <typename Word>
std::vector<std::int64_t> FewIntegers::ranks(const std::vector<Word>& residues, std::vector<std::uint32_t>& rank) const {
    if (low_ > high_) return {};
    const std::size_t range = static_cast<std::size_t>(high_ - low_) + 1;
    const auto least = static_cast<Word>(low_);
    std::vector<std::uint8_t> seen(std::size_t{1} << (8 * sizeof(Word)));
    std::size_t left = range;
    for (std::size_t start = 0; start < residues.size() && left > 0; start += kSearchedRows) {
        const std::size_t end = std::min<std::size_t>(residues.size(), start + kSearchedRows);
        for (std::size_t row = start; row < end; ++row) {
            if (gaps_.empty() || !gaps_[row]) seen[static_cast<Word>(residues[row] - least)] = 1;
        }
        left = range - static_cast<std::size_t>(std::count(seen.begin(), seen.begin() + range, 1));
    }
    std::vector<std::int64_t> numbers;
    rank.resize(seen.size());
    for (std::size_t offset = 0; offset < range; ++offset) {
        rank[offset] = static_cast<std::uint32_t>(numbers.size());
        if (seen[offset]) numbers.push_back(low_ + static_cast<std::int64_t>(offset));
    }
    return numbers;
}

template <typename Word>
FewIntegers::Codes FewIntegers::coded(std::vector<Word>& residues) const {
    Codes result;
    std::vector<std::uint32_t> rank(std::size_t{1} << (8 * sizeof(Word)));
    result.numbers = ranks(residues, rank);
    const auto least = static_cast<Word>(low_);
    const bool dense = !result.numbers.empty() && result.numbers.back() - result.numbers.front() + 1 ==
                                                      static_cast<std::int64_t>(result.numbers.size());
    result.width = result.numbers.size() <= 0xFF ? 1 : 2;
    const auto write = [&](auto* out) {
        using Code = std::remove_pointer_t<decltype(out)>;
        if (dense) {
            for (std::size_t row = 0; row < residues.size(); ++row) {
                out[row] = static_cast<Code>(static_cast<Word>(residues[row] - least));
            }
        } else {
            for (std::size_t row = 0; row < residues.size(); ++row) {
                out[row] = static_cast<Code>(rank[static_cast<Word>(residues[row] - least)]);
            }
        }
        if (gaps_.empty()) return;
        for (std::size_t row = 0; row < residues.size(); ++row) {
            if (gaps_[row]) out[row] = static_cast<Code>(~Code{0});
        }
    };
    if constexpr (sizeof(Word) == 1) {
        if (gaps_.empty() && dense && low_ == 0) {
            result.bytes = std::move(residues);
            return result;
        }
    }
    result.bytes.resize(residues.size() * result.width);
    if (result.width == 1) write(result.bytes.data());
    else write(reinterpret_cast<std::uint16_t*>(result.bytes.data()));
    return result;
}

FewIntegers::Codes FewIntegers::take() {
    Codes result = width_ == 1 ? coded(narrow_) : coded(wide_);
    clear();
    return result;
}

void FewIntegers::clear() { *this = FewIntegers(); }

template bool FewIntegers::append(const std::int8_t*, const std::uint8_t*, std::int64_t, std::int64_t);
template bool FewIntegers::append(const std::uint8_t*, const std::uint8_t*, std::int64_t, std::int64_t);
template bool FewIntegers::append(const std::int16_t*, const std::uint8_t*, std::int64_t, std::int64_t);
template bool FewIntegers::append(const std::uint16_t*, const std::uint8_t*, std::int64_t, std::int64_t);
template bool FewIntegers::append(const std::int32_t*, const std::uint8_t*, std::int64_t, std::int64_t);
template bool FewIntegers::append(const std::uint32_t*, const std::uint8_t*, std::int64_t, std::int64_t);
template bool FewIntegers::append(const std::int64_t*, const std::uint8_t*, std::int64_t, std::int64_t);
template bool FewIntegers::append(const std::uint64_t*, const std::uint8_t*, std::int64_t, std::int64_t);

}  // namespace bayou
