// Codes by values that are known beforehand: a look-up by the distance from the least value, or a search
// where the values lie far apart.
#include <limits>
#include <type_traits>

#include "bayou/base/threads.hpp"
#include "bayou/data/integer_matrix.hpp"
#include "integer_cells.hpp"
#include "integer_ranges.hpp"

namespace bayou {

namespace {

constexpr std::uint64_t longest_lookup = 1u << 20;

// How the cells of one column become codes of one width. Cells are unsigned, as are their distances from the least
// known number: a number below it is then farther away than any number of the cells' type above it.
template <typename Cell, typename Code>
class Lookup {
  public:
    // Numbers outside [low, high] are not in the cells' type.
    Lookup(const std::vector<WholeNumber>& values, const WholeNumber& low, const WholeNumber& high, Code* out)
        : out_(out) {
        for (std::size_t code = 0; code < values.size(); ++code) {
            if (values[code] < low || values[code] > high) continue;
            if (codes_.empty()) least_ = static_cast<Cell>(values[code].bits);
            distances_.push_back(distance(static_cast<Cell>(values[code].bits)));
            codes_.push_back(static_cast<Code>(code));
        }
        if (codes_.empty()) return;
        const std::uint64_t span = distances_.back();
        if (span >= longest_lookup) return;
        table_.assign(span + 2, missing);
        for (std::size_t at = 0; at < codes_.size(); ++at) table_[distances_[at]] = codes_[at];
        is_run_ = span + 1 == codes_.size();
    }

    // [low, high] is known to hold the cells.
    void write(const Cell* x, std::ptrdiff_t step, std::size_t first, std::size_t count, Cell low, Cell high) const {
        // Copies, because a store of bytes might change anything that is only pointed at.
        Code* to = out_ + first;
        const Cell least = least_;
        if (is_run_ && distance(low) <= distances_.back() && distance(high) <= distances_.back()) {
            using Narrow = std::conditional_t<sizeof(Code) <= sizeof(Cell), Code, Cell>;
            const Narrow shift = static_cast<Narrow>(least);
            const Code first_code = codes_.front();
            for (std::size_t row = 0; row < count; ++row, x += step) {
                to[row] = static_cast<Code>(static_cast<Narrow>(static_cast<Narrow>(*x) - shift) + first_code);
            }
            return;
        }
        if (!table_.empty()) {
            const Code* table = table_.data();
            const std::uint64_t beyond = table_.size() - 1;
            for (std::size_t row = 0; row < count; ++row, x += step) {
                const std::uint64_t at = static_cast<Cell>(*x - least);
                to[row] = table[at < beyond ? at : beyond];
            }
            return;
        }
        for (std::size_t row = 0; row < count; ++row) {
            const Cell sought = distance(x[static_cast<std::ptrdiff_t>(row) * step]);
            const auto found = std::lower_bound(distances_.begin(), distances_.end(), sought);
            to[row] = found != distances_.end() && *found == sought ? codes_[found - distances_.begin()] : missing;
        }
    }

  private:
    static constexpr Code missing = std::numeric_limits<Code>::max();

    Cell distance(Cell cell) const { return static_cast<Cell>(cell - least_); }

    Code* out_;
    Cell least_ = 0;
    std::vector<Cell> distances_;
    std::vector<Code> codes_, table_;
    bool is_run_ = false;  // every number from the first to the last is known
};

template <typename T, typename Code>
void encode_width(const Cells<T>& cells, std::vector<EncodedColumn>& columns, int threads) {
    const WholeNumber low = cells.number(0), high = cells.number(std::numeric_limits<T>::max());
    std::vector<std::size_t> chosen;
    std::vector<Lookup<T, Code>> lookups;
    for (std::size_t j = 0; j < columns.size(); ++j) {
        if (columns[j].bytes != sizeof(Code)) continue;
        columns[j].codes = std::make_unique_for_overwrite<std::uint8_t[]>(cells.rows * sizeof(Code));
        chosen.push_back(j);
        lookups.emplace_back(columns[j].values, low, high, reinterpret_cast<Code*>(columns[j].codes.get()));
    }
    if (chosen.empty()) return;
    for_cell_blocks(cells, threads, [&](std::size_t, std::size_t first, std::size_t count) {
        // Also brings the rows into the cache one by one: a walk down the columns would wait for each line.
        Ranges<T> ranges(cells.columns);
        update_ranges(cells, first, count, ranges);
        for (std::size_t at = 0; at < chosen.size(); ++at) {
            const std::size_t j = chosen[at];
            lookups[at].write(cells.place(first, j), cells.row_step, first, count, ranges.low[j] ^ cells.flip,
                              ranges.high[j] ^ cells.flip);
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
    by_width(matrix.kind, [&](auto example) {
        const Cells<decltype(example)> cells(matrix);
        encode_width<decltype(example), std::uint8_t>(cells, columns, threads);
        encode_width<decltype(example), std::uint16_t>(cells, columns, threads);
        encode_width<decltype(example), std::uint32_t>(cells, columns, threads);
        return 0;
    });
    return columns;
}

}  // namespace bayou
