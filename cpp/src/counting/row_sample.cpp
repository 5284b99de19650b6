#include "bayou/counting/row_sample.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <deque>
#include <iterator>
#include <limits>

#include "bayou/base/threads.hpp"

namespace bayou {
namespace {

// Blocks are the same whatever the number of threads, and are merged in order: so are the sums of the weights.
constexpr std::size_t kSampledBlock = 1 << 16;
constexpr std::size_t kSampledStrip = 2048;  // rows whose hashes stay in the first cache while columns are mixed in
constexpr std::size_t kLatestRows = 1024;
constexpr std::uint64_t kGapHash = 0x9E3779B97F4A7C15ull, kOddFactor = 0xFF51AFD7ED558CCDull;

std::uint64_t scrambled(std::uint64_t bits) {
    bits = (bits ^ (bits >> 33)) * kOddFactor;
    return bits ^ (bits >> 29);
}

std::uint64_t folded(std::uint64_t total, std::uint64_t cell) { return scrambled((total ^ cell) * kOddFactor + kGapHash); }

template <typename Code>
void mix_in_codes(const HashedColumn& column, std::size_t first, std::size_t rows, std::uint64_t* totals) {
    const Code* codes = static_cast<const Code*>(column.cells) + first;
    const std::uint64_t* table = column.table;
    const std::size_t last = column.entries - 1;
    for (std::size_t row = 0; row < rows; ++row) {
        totals[row] = folded(totals[row], table[std::min<std::size_t>(codes[row], last)]);
    }
}

// Two columns of byte codes at once; their tables have an entry for every byte.
void mix_in_two(const HashedColumn& one, const HashedColumn& other, std::size_t first, std::size_t rows,
              std::uint64_t* totals) {
    const std::uint8_t* left = static_cast<const std::uint8_t*>(one.cells) + first;
    const std::uint8_t* right = static_cast<const std::uint8_t*>(other.cells) + first;
    const std::uint64_t *left_table = one.table, *right_table = other.table;
    for (std::size_t row = 0; row < rows; ++row) {
        totals[row] = folded(folded(totals[row], left_table[left[row]]), right_table[right[row]]);
    }
}

void mix_in_numbers(const HashedColumn& column, std::size_t first, std::size_t rows, std::uint64_t* totals) {
    const double* numbers = static_cast<const double*>(column.cells) + first;
    for (std::size_t row = 0; row < rows; ++row) {
        const double number = numbers[row];
        const std::uint64_t hash = number != number ? kGapHash : scrambled(std::bit_cast<std::uint64_t>(number + 0.0) ^ kGapHash);
        totals[row] = folded(totals[row], hash);
    }
}

void mix_in(const HashedColumn& column, std::size_t first, std::size_t rows, std::uint64_t* totals) {
    if (column.bytes == 8) return mix_in_numbers(column, first, rows, totals);
    if (column.bytes == 1) return mix_in_codes<std::uint8_t>(column, first, rows, totals);
    if (column.bytes == 2) return mix_in_codes<std::uint16_t>(column, first, rows, totals);
    mix_in_codes<std::uint32_t>(column, first, rows, totals);
}

void mix_in_all(const std::vector<HashedColumn>& columns, std::size_t first, std::size_t rows, std::uint64_t* totals) {
    const auto whole = [](const HashedColumn& column) { return column.bytes == 1 && column.entries == 256; };
    for (std::size_t at = 0; at < columns.size(); ++at) {
        if (at + 1 < columns.size() && whole(columns[at]) && whole(columns[at + 1])) {
            mix_in_two(columns[at], columns[at + 1], first, rows, totals);
            ++at;
        } else {
            mix_in(columns[at], first, rows, totals);
        }
    }
}

// The tables of byte codes with an entry for every byte, in `tables`.
std::vector<HashedColumn> with_whole_tables(std::vector<HashedColumn> columns,
                                            std::deque<std::array<std::uint64_t, 256>>& tables) {
    for (HashedColumn& column : columns) {
        if (column.bytes != 1) continue;
        auto& table = tables.emplace_back();
        for (std::size_t code = 0; code < 256; ++code) table[code] = column.table[std::min(code, column.entries - 1)];
        column.table = table.data();
        column.entries = 256;
    }
    return columns;
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
                                    std::size_t size, int threads) {
    if (size == 0) return {};
    std::deque<std::array<std::uint64_t, 256>> tables;
    const std::vector<HashedColumn> columns = with_whole_tables(given, tables);
    const std::size_t blocks = (rows + kSampledBlock - 1) / kSampledBlock;
    std::vector<SampledRows> found(blocks);
    // A row above a full sample of any block cannot be in the sample of all blocks.
    std::atomic<std::uint64_t> limit{std::numeric_limits<std::uint64_t>::max()};
    parallel_for(blocks, threads, [&](std::size_t block, int) {
        const std::size_t begin = block * kSampledBlock, end = std::min(rows, begin + kSampledBlock);
        const std::uint64_t largest = limit.load();
        SampledRows candidates;
        std::array<std::uint32_t, kLatestRows> latest{};
        std::array<std::uint64_t, kSampledStrip> totals;
        for (std::size_t first = begin; first < end; first += kSampledStrip) {
            const std::size_t count = std::min(kSampledStrip, end - first);
            totals.fill(0);
            mix_in_all(columns, first, count, totals.data());
            for (std::size_t row = 0; row < count; ++row) {
                if (totals[row] > largest) continue;
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
