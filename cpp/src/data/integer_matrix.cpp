// Codes of columns whose values are not known beforehand. In a column that spans fewer than 256 numbers the low byte of
// the rank identifies a number, so the first pass writes low bytes and finds each column's range at the same time.
#include "bayou/data/integer_matrix.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "bayou/base/threads.hpp"
#include "bayou/data/encode.hpp"
#include "integer_cells.hpp"
#include "integer_ranges.hpp"

namespace bayou {

namespace {

constexpr std::size_t wide_columns_at_once = 16;

template <typename T, typename Low>
[[gnu::noinline]] void copy_low_bits(const T* from, std::ptrdiff_t step, T flip, std::size_t count, Low* to) {
    if (step == 1) {
        for (std::size_t row = 0; row < count; ++row) to[row] = static_cast<Low>(from[row] ^ flip);
    } else {
        for (std::size_t row = 0; row < count; ++row, from += step) to[row] = static_cast<Low>(*from ^ flip);
    }
}

// The low bits of the ranks of some columns' cells, each column by itself.
template <typename T, typename Low>
void write_low_bits(const Cells<T>& cells, const std::vector<std::size_t>& chosen, std::size_t first,
                    std::size_t count, const std::vector<Low*>& out) {
    for (std::size_t at = 0; at < chosen.size(); ++at) {
        copy_low_bits(cells.place(first, chosen[at]), cells.row_step, cells.flip, count, out[at] + first);
    }
}

// Which of the ranks low ... low + span the column has, by their low bits; stops once all were seen.
template <typename Low>
std::vector<char> seen_numbers(const Low* bits, std::size_t rows, Low low, std::size_t span) {
    std::vector<char> seen(std::size_t{std::numeric_limits<Low>::max()} + 1, 0), result(span + 1);
    std::size_t row = 0, missing = 1;
    while (row < rows && missing > 0) {
        for (const std::size_t stop = std::min(rows, row + 65536); row < stop; ++row) seen[bits[row]] = 1;
        for (std::size_t k = 0; k <= span; ++k) result[k] = seen[static_cast<Low>(low + k)];
        missing = std::count(result.begin(), result.end(), 0);
    }
    return result;
}

template <typename Low, typename Code>
void recode(const Low* bits, std::size_t rows, const std::vector<Low>& code_of, Code* out) {
    const Low* codes = code_of.data();
    for (std::size_t row = 0; row < rows; ++row) out[row] = static_cast<Code>(codes[bits[row]]);
}

// Turns low bits into codes: the code of a value is its position in ascending order. The ranks are low ... low + span.
template <typename Low, typename T>
EncodedColumn finish_column(std::unique_ptr<std::uint8_t[]> memory, const Cells<T>& cells, std::uint64_t low,
                            std::size_t span) {
    const std::size_t rows = cells.rows;
    Low* bits = reinterpret_cast<Low*>(memory.get());
    const auto seen = seen_numbers<Low>(bits, rows, static_cast<Low>(low), span);
    std::vector<Low> codes(std::size_t{std::numeric_limits<Low>::max()} + 1, 0);
    EncodedColumn column;
    for (std::size_t k = 0; k < seen.size() && rows > 0; ++k) {
        if (!seen[k]) continue;
        codes[static_cast<Low>(static_cast<Low>(low) + k)] = static_cast<Low>(column.values.size());
        column.values.push_back(cells.number(low + k));
    }
    column.bytes = sizeof(Low);
    if (sizeof(Low) == 2 && column.values.size() <= 255) {
        column.bytes = 1;
        column.codes = std::make_unique_for_overwrite<std::uint8_t[]>(rows);
        recode(bits, rows, codes, column.codes.get());
        return column;
    }
    const Low shift = static_cast<Low>(low);
    if (column.values.size() == span + 1) {
        for (std::size_t row = 0; row < rows && shift != 0; ++row) bits[row] = static_cast<Low>(bits[row] - shift);
    } else {
        recode(bits, rows, codes, bits);
    }
    column.codes = std::move(memory);
    return column;
}

// A column that spans too many numbers for a direct look-up, as ranks.
template <typename Wide, typename T>
EncodedColumn hash_column(const std::vector<Wide>& ranks, const Cells<T>& cells) {
    WordEncoder words;
    std::vector<std::uint32_t> first_seen(ranks.size());
    for (std::size_t row = 0; row < ranks.size(); ++row) first_seen[row] = words.code(std::uint64_t{ranks[row]});
    std::vector<std::uint32_t> order(words.size()), place(words.size());
    for (std::uint32_t k = 0; k < order.size(); ++k) order[k] = k;
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return words.label(a) < words.label(b); });
    EncodedColumn column;
    for (std::uint32_t k = 0; k < order.size(); ++k) {
        place[order[k]] = k;
        column.values.push_back(cells.number(words.label(order[k])));
    }
    column.bytes = code_bytes(column.values.size());
    column.codes = std::make_unique_for_overwrite<std::uint8_t[]>(ranks.size() * column.bytes);
    const auto write = [&](auto* out) {
        using Code = std::remove_pointer_t<decltype(out)>;
        for (std::size_t row = 0; row < ranks.size(); ++row) out[row] = static_cast<Code>(place[first_seen[row]]);
    };
    if (column.bytes == 1) write(column.codes.get());
    if (column.bytes == 2) write(reinterpret_cast<std::uint16_t*>(column.codes.get()));
    if (column.bytes == 4) write(reinterpret_cast<std::uint32_t*>(column.codes.get()));
    return column;
}

template <typename T>
class Encoding {
  public:
    Encoding(const IntegerMatrix& matrix, int threads)
        : cells_(matrix), threads_(threads), ranges_(matrix.columns), columns_(matrix.columns) {}

    std::vector<EncodedColumn> run() {
        std::vector<std::size_t> all(cells_.columns), middle, wide;
        for (std::size_t j = 0; j < all.size(); ++j) all[j] = j;
        auto bytes = pass<std::uint8_t>(all, true);
        std::erase_if(all, [&](std::size_t j) {
            const std::uint64_t span = span_of(j);
            if (span < 255) return false;
            (span < 65535 ? middle : wide).push_back(j);
            bytes[j].reset();
            return true;
        });
        parallel_for(all.size(), threads_, [&](std::size_t at, int) { finish<std::uint8_t>(all[at], bytes[all[at]]); });
        auto pairs = pass<std::uint16_t>(middle, false);
        parallel_for(middle.size(), threads_,
                     [&](std::size_t at, int) { finish<std::uint16_t>(middle[at], pairs[at]); });
        for (std::size_t at = 0; at < wide.size(); at += wide_columns_at_once) {
            hash(std::vector<std::size_t>(wide.begin() + at,
                                          wide.begin() + std::min(wide.size(), at + wide_columns_at_once)));
        }
        return std::move(columns_);
    }

  private:
    using Memory = std::unique_ptr<std::uint8_t[]>;

    // Low bits of the chosen columns, block by block; the first pass also finds the ranges.
    template <typename Low>
    std::vector<Memory> pass(const std::vector<std::size_t>& chosen, bool with_ranges) {
        std::vector<Memory> memory;
        std::vector<Low*> out;
        for (std::size_t at = 0; at < chosen.size(); ++at) {
            memory.push_back(std::make_unique_for_overwrite<std::uint8_t[]>(cells_.rows * sizeof(Low)));
            out.push_back(reinterpret_cast<Low*>(memory.back().get()));
        }
        if (chosen.empty()) return memory;
        std::vector<Ranges<T>> ranges(cells_.tasks(), Ranges<T>(with_ranges ? cells_.columns : 0));
        for_cell_blocks(cells_, threads_, [&](std::size_t task, std::size_t first, std::size_t count) {
            if (with_ranges) update_ranges(cells_, first, count, ranges[task]);
            write_low_bits(cells_, chosen, first, count, out);
        });
        for (const Ranges<T>& part : ranges) {
            for (std::size_t j = 0; j < part.low.size(); ++j) {
                ranges_.low[j] = std::min(ranges_.low[j], part.low[j]);
                ranges_.high[j] = std::max(ranges_.high[j], part.high[j]);
            }
        }
        return memory;
    }

    template <typename Low>
    void finish(std::size_t j, Memory& memory) {
        columns_[j] = finish_column<Low>(std::move(memory), cells_, ranges_.low[j], span_of(j));
    }

    std::uint64_t span_of(std::size_t j) const {
        return cells_.rows ? std::uint64_t{ranges_.high[j]} - std::uint64_t{ranges_.low[j]} : 0;
    }

    void hash(const std::vector<std::size_t>& chosen) {
        using Wide = std::conditional_t<sizeof(T) < sizeof(std::uint32_t), std::uint32_t, T>;
        std::vector<std::vector<Wide>> copies(chosen.size(), std::vector<Wide>(cells_.rows));
        std::vector<Wide*> out;
        for (auto& copy : copies) out.push_back(copy.data());
        for_cell_blocks(cells_, threads_, [&](std::size_t, std::size_t first, std::size_t count) {
            write_low_bits(cells_, chosen, first, count, out);
        });
        parallel_for(chosen.size(), threads_,
                     [&](std::size_t at, int) { columns_[chosen[at]] = hash_column(copies[at], cells_); });
    }

    const Cells<T> cells_;
    const int threads_;
    Ranges<T> ranges_;
    std::vector<EncodedColumn> columns_;
};

}  // namespace

std::vector<EncodedColumn> encode_integers(const IntegerMatrix& matrix, int threads) {
    return by_width(matrix.kind, [&](auto example) { return Encoding<decltype(example)>(matrix, threads).run(); });
}

}  // namespace bayou
