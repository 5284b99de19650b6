// Codes by values that are known beforehand: a look-up by the distance from the least value, or a search
// where the values lie far apart.
#include <limits>

#include "bayou/base/threads.hpp"
#include "bayou/data/integer_matrix.hpp"
#include "integer_cells.hpp"
#include "integer_ranges.hpp"

namespace bayou {

namespace {

constexpr std::uint64_t longest_lookup = 1u << 20;

template <typename T>
bool fits(const WholeNumber& number) {
    const WholeNumber low = whole_number(std::numeric_limits<T>::min());
    const WholeNumber high = whole_number(std::numeric_limits<T>::max());
    return low <= number && number <= high;
}

// How the cells of one column become codes of one width.
template <typename T, typename Code>
class Lookup {
  public:
    Lookup(const std::vector<WholeNumber>& values, Code* out) : out_(out) {
        for (std::size_t code = 0; code < values.size(); ++code) {
            if (!fits<T>(values[code])) continue;
            numbers_.push_back(static_cast<T>(values[code].bits));
            codes_.push_back(static_cast<Code>(code));
        }
        if (numbers_.empty()) return;
        const std::uint64_t span = distance(numbers_.back());
        if (span >= longest_lookup) return;
        table_.assign(span + 2, missing);
        for (std::size_t at = 0; at < numbers_.size(); ++at) table_[distance(numbers_[at])] = codes_[at];
        is_run_ = span + 1 == numbers_.size();
    }

    // [low, high] is known to hold the cells.
    void write(const T* x, std::ptrdiff_t step, std::size_t first, std::size_t count, T low, T high) const {
        Code* to = out_ + first;
        if (is_run_ && numbers_.front() <= low && high <= numbers_.back()) {
            const Code shift = static_cast<Code>(static_cast<std::uint64_t>(numbers_.front()) - codes_.front());
            for (std::size_t row = 0; row < count; ++row, x += step) to[row] = static_cast<Code>(static_cast<Code>(*x) - shift);
            return;
        }
        if (!table_.empty()) {
            // Copies, because a store of bytes might change anything that is only pointed at.
            const Code* table = table_.data();
            const std::uint64_t beyond = table_.size() - 1, least = static_cast<std::uint64_t>(numbers_.front());
            for (std::size_t row = 0; row < count; ++row, x += step) {
                const std::uint64_t at = static_cast<std::uint64_t>(*x) - least;
                to[row] = table[at < beyond ? at : beyond];
            }
            return;
        }
        for (std::size_t row = 0; row < count; ++row) {
            const T value = x[static_cast<std::ptrdiff_t>(row) * step];
            const auto found = std::lower_bound(numbers_.begin(), numbers_.end(), value);
            to[row] = found != numbers_.end() && *found == value ? codes_[found - numbers_.begin()] : missing;
        }
    }

  private:
    static constexpr Code missing = std::numeric_limits<Code>::max();

    std::uint64_t distance(T value) const {
        return static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(numbers_.front());
    }

    Code* out_;
    std::vector<T> numbers_;
    std::vector<Code> codes_, table_;
    bool is_run_ = false;  // every number from the first to the last is known
};

template <typename T, typename Code>
void encode_width(const Cells<T>& cells, std::vector<EncodedColumn>& columns, int threads) {
    std::vector<std::size_t> chosen;
    std::vector<Lookup<T, Code>> lookups;
    for (std::size_t j = 0; j < columns.size(); ++j) {
        if (columns[j].bytes != sizeof(Code)) continue;
        columns[j].codes = std::make_unique_for_overwrite<std::uint8_t[]>(cells.rows * sizeof(Code));
        chosen.push_back(j);
        lookups.emplace_back(columns[j].values, reinterpret_cast<Code*>(columns[j].codes.get()));
    }
    if (chosen.empty()) return;
    for_cell_blocks(cells, threads, [&](std::size_t, std::size_t first, std::size_t count) {
        // Also brings the rows into the cache one by one: a walk down the columns would wait for each line.
        Ranges<T> ranges(cells.columns);
        update_ranges(cells, first, count, ranges);
        for (std::size_t at = 0; at < chosen.size(); ++at) {
            const std::size_t j = chosen[at];
            lookups[at].write(cells.place(first, j), cells.row_step, first, count, ranges.low[j], ranges.high[j]);
        }
    });
}

}  // namespace

std::vector<EncodedColumn> encode_known_integers(const IntegerMatrix& matrix,
                                                 std::vector<std::vector<WholeNumber>> values, int threads) {
    std::vector<EncodedColumn> columns(matrix.columns);
    for (std::size_t j = 0; j < columns.size(); ++j) {
        columns[j].values = std::move(values[j]);
        columns[j].bytes = code_bytes(columns[j].values.size());
    }
    by_kind(matrix.kind, [&](auto example) {
        const Cells<decltype(example)> cells(matrix);
        encode_width<decltype(example), std::uint8_t>(cells, columns, threads);
        encode_width<decltype(example), std::uint16_t>(cells, columns, threads);
        encode_width<decltype(example), std::uint32_t>(cells, columns, threads);
        return 0;
    });
    return columns;
}

}  // namespace bayou
