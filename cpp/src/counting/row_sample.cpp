#include "bayou/counting/row_sample.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <iterator>

#include "bayou/base/threads.hpp"

namespace bayou {
namespace {

// Blocks are the same whatever the number of threads, and are merged in order: so are the sums of the weights.
constexpr std::size_t kSampledBlock = 1 << 16;
constexpr std::size_t kSampledStrip = 2048;  // rows whose hashes stay in the first cache while columns are added
constexpr std::size_t kLatestRows = 1024;
constexpr std::uint64_t kGapHash = 0x9E3779B97F4A7C15ull, kOddFactor = 0xFF51AFD7ED558CCDull;

std::uint64_t scrambled(std::uint64_t bits) {
    bits = (bits ^ (bits >> 33)) * kOddFactor;
    return bits ^ (bits >> 29);
}

// The hash of a cell in the column at this place: equal cells of different columns have different ones. The hash of
// a row is that of their sum ("simple tabulation", Zobrist 1970): one look-up and one addition a cell.
std::uint64_t placed(std::uint64_t cell, std::size_t place) { return scrambled(cell + (place + 1) * kGapHash); }

// A column of codes with the placed hash of each, the last one for missing cells and, of bytes, one for every byte;
// or a column of numbers.
struct PlacedColumn {
    PlacedColumn(const HashedColumn& column, std::size_t at)
        : cells(column.cells), bytes(column.bytes), place(at), table(column.bytes == 1 ? 256 : column.entries) {
        for (std::size_t code = 0; code < table.size(); ++code) {
            table[code] = placed(column.table[std::min(code, column.entries - 1)], place);
        }
    }

    template <typename Cell>
    const Cell* from(std::size_t first) const {
        return static_cast<const Cell*>(cells) + first;
    }

    const void* cells;
    int bytes;
    std::size_t place;
    std::vector<std::uint64_t> table;
};

using PlacedColumns = std::vector<PlacedColumn>;

template <typename Code>
void add_codes(const PlacedColumn& column, std::size_t first, std::size_t rows, std::uint64_t* totals) {
    const Code* codes = column.from<Code>(first);
    const std::uint64_t* table = column.table.data();
    const std::size_t last = column.table.size() - 1;
    for (std::size_t row = 0; row < rows; ++row) totals[row] += table[std::min<std::size_t>(codes[row], last)];
}

// Four columns of bytes at once.
void add_four(const PlacedColumn* columns, std::size_t first, std::size_t rows, std::uint64_t* totals) {
    const std::uint8_t *a = columns[0].from<std::uint8_t>(first), *b = columns[1].from<std::uint8_t>(first),
                       *c = columns[2].from<std::uint8_t>(first), *d = columns[3].from<std::uint8_t>(first);
    const std::uint64_t *of_a = columns[0].table.data(), *of_b = columns[1].table.data(),
                        *of_c = columns[2].table.data(), *of_d = columns[3].table.data();
    for (std::size_t row = 0; row < rows; ++row) {
        totals[row] += (of_a[a[row]] + of_b[b[row]]) + (of_c[c[row]] + of_d[d[row]]);
    }
}

void add_numbers(const PlacedColumn& column, std::size_t first, std::size_t rows, std::uint64_t* totals) {
    const double* numbers = column.from<double>(first);
    for (std::size_t row = 0; row < rows; ++row) {
        const double number = numbers[row];
        const std::uint64_t hash = number != number ? kGapHash : scrambled(std::bit_cast<std::uint64_t>(number + 0.0) ^ kGapHash);
        totals[row] += placed(hash, column.place);
    }
}

void add_column(const PlacedColumn& column, std::size_t first, std::size_t rows, std::uint64_t* totals) {
    if (column.bytes == 8) return add_numbers(column, first, rows, totals);
    if (column.bytes == 1) return add_codes<std::uint8_t>(column, first, rows, totals);
    if (column.bytes == 2) return add_codes<std::uint16_t>(column, first, rows, totals);
    add_codes<std::uint32_t>(column, first, rows, totals);
}

// The hashes of some rows.
void hash_rows(const PlacedColumns& columns, std::size_t first, std::size_t rows, std::uint64_t* totals) {
    std::fill(totals, totals + rows, 0);
    for (std::size_t at = 0; at < columns.size();) {
        const auto bytes = [](const PlacedColumn& column) { return column.bytes == 1; };
        if (at + 4 <= columns.size() && std::all_of(columns.begin() + at, columns.begin() + at + 4, bytes)) {
            add_four(columns.data() + at, first, rows, totals);
            at += 4;
        } else {
            add_column(columns[at++], first, rows, totals);
        }
    }
    for (std::size_t row = 0; row < rows; ++row) totals[row] = scrambled(totals[row]);
}

using SampledRows = std::vector<SampledRow>;

// Counts one more row with this hash. Among few distinct rows the same ones come again and again: `latest` has the
// place of the last candidate with the same lowest bits, so that most of them need not be sorted.
void count_row(SampledRows& candidates, std::array<std::uint32_t, kLatestRows>& latest, std::uint64_t hash, std::size_t row) {
    std::uint32_t& place = latest[hash % kLatestRows];
    if (place < candidates.size() && candidates[place].hash == hash) {
        candidates[place].weight += 1.0;
        return;
    }
    place = static_cast<std::uint32_t>(candidates.size());
    candidates.push_back({hash, row, 1.0});
}

// Sorts by hash, then row, and adds up rows with one hash; at most `size` of them are kept.
void merge_equal(SampledRows& rows, std::size_t size) {
    std::sort(rows.begin(), rows.end(), [](const SampledRow& one, const SampledRow& other) {
        return one.hash != other.hash ? one.hash < other.hash : one.row < other.row;
    });
    std::size_t kept = 0;
    for (const SampledRow& each : rows) {
        if (kept > 0 && rows[kept - 1].hash == each.hash) {
            rows[kept - 1].weight += each.weight;
        } else {
            rows[kept++] = each;
        }
    }
    rows.resize(std::min(kept, size));
}

// The distinct rows of one block with the smallest hashes. The k rows with the smallest hashes are sorted, and more
// only where too few of them are distinct: most blocks need no more than `size` rows.
SampledRows smallest_distinct(SampledRows& candidates, std::size_t size) {
    const auto by_hash = [](const SampledRow& one, const SampledRow& other) { return one.hash < other.hash; };
    for (std::size_t wanted = size; wanted < candidates.size() / 2; wanted *= 4) {
        std::nth_element(candidates.begin(), candidates.begin() + wanted, candidates.end(), by_hash);
        const std::uint64_t largest = candidates[wanted].hash;
        SampledRows chosen;
        std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(chosen),
                     [&](const SampledRow& each) { return each.hash <= largest; });
        merge_equal(chosen, size);
        if (chosen.size() == size) return chosen;
    }
    merge_equal(candidates, size);
    return std::move(candidates);
}

}  // namespace

std::vector<SampledRow> sample_rows(const std::vector<HashedColumn>& given, std::size_t rows, const double* weights,
                                    std::size_t size, std::uint64_t largest, int threads) {
    if (size == 0) return {};
    PlacedColumns columns;
    for (std::size_t at = 0; at < given.size(); ++at) columns.emplace_back(given[at], at);
    const std::size_t blocks = (rows + kSampledBlock - 1) / kSampledBlock;
    std::vector<SampledRows> found(blocks);
    // A row above a full sample of any block cannot be in the sample of all blocks.
    std::atomic<std::uint64_t> limit{largest};
    parallel_for(blocks, threads, [&](std::size_t block, int) {
        const std::size_t begin = block * kSampledBlock, end = std::min(rows, begin + kSampledBlock);
        const std::uint64_t so_far = limit.load();
        SampledRows candidates;
        std::array<std::uint32_t, kLatestRows> latest{};
        std::array<std::uint64_t, kSampledStrip> totals;
        for (std::size_t first = begin; first < end; first += kSampledStrip) {
            const std::size_t count = std::min(kSampledStrip, end - first);
            hash_rows(columns, first, count, totals.data());
            for (std::size_t row = 0; row < count; ++row) {
                if (totals[row] > so_far) continue;
                if (weights != nullptr) {
                    candidates.push_back({totals[row], first + row, weights[first + row]});
                } else {
                    count_row(candidates, latest, totals[row], first + row);
                }
            }
        }
        found[block] = smallest_distinct(candidates, size);
        if (found[block].size() < size) return;
        const std::uint64_t reached = found[block].back().hash;
        std::uint64_t known = limit.load();
        while (reached < known && !limit.compare_exchange_weak(known, reached)) {}
    });
    SampledRows all;
    for (const SampledRows& part : found) {
        all.insert(all.end(), part.begin(), part.end());
        if (all.size() > 8 * size) merge_equal(all, size);
    }
    merge_equal(all, size);
    return all;
}

}  // namespace bayou
