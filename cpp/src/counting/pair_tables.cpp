// Pairs by group: the rows are sorted by group first (a counting sort of every column), so that each group's
// rows are one stretch that the pair counter reads as if it were a table of its own. A few rows are counted one by one.
#include "bayou/counting/pair_tables.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "bayou/base/threads.hpp"
#include "bayou/counting/counting.hpp"

namespace bayou {

namespace {

// Where each group's rows start once they are sorted; the last entry is the number of rows that have a group.
std::vector<std::size_t> group_starts(const std::uint32_t* groups, std::size_t rows, std::size_t n_groups) {
    std::vector<std::size_t> starts(n_groups + 2, 0);
    for (std::size_t row = 0; row < rows; ++row) ++starts[std::min<std::size_t>(groups[row], n_groups) + 1];
    for (std::size_t group = 0; group <= n_groups; ++group) starts[group + 1] += starts[group];
    return starts;
}

// Where each row goes; rows without a group go to the end. Few groups are few streams of writes.
std::vector<std::size_t> row_places(const std::uint32_t* groups, std::size_t rows, std::size_t n_groups,
                                    std::vector<std::size_t> next) {
    std::vector<std::size_t> places(rows);
    for (std::size_t row = 0; row < rows; ++row) places[row] = next[std::min<std::size_t>(groups[row], n_groups)]++;
    return places;
}

template <typename Code>
void sort_codes(const CodeColumn& column, const std::vector<std::size_t>& places, std::uint8_t* memory) {
    const Code* codes = static_cast<const Code*>(column.codes);
    Code* sorted = reinterpret_cast<Code*>(memory);
    for (std::size_t row = 0; row < places.size(); ++row) sorted[places[row]] = codes[row];
}

void sort_column(const CodeColumn& column, const std::vector<std::size_t>& places, std::uint8_t* memory) {
    if (column.bytes == 1) return sort_codes<std::uint8_t>(column, places, memory);
    if (column.bytes == 2) return sort_codes<std::uint16_t>(column, places, memory);
    sort_codes<std::uint32_t>(column, places, memory);
}

constexpr std::size_t few_rows = 256;  // a group: with fewer on average, sorting and bit planes do not pay

// All codes of a column, missing_index where a cell is missing.
std::vector<std::uint32_t> wide_codes(const CodeColumn& column) {
    std::vector<std::uint32_t> codes(column.rows);
    for (std::size_t row = 0; row < column.rows; ++row) {
        const std::uint32_t code = column.at(row);
        if (code >= column.card && code != column.missing()) report_bad_code(column, row, 1);
        codes[row] = code == column.missing() ? missing_index : code;
    }
    return codes;
}

void count_few_rows(const std::vector<CodeColumn>& columns, const std::vector<std::int64_t>& offsets,
                    const std::uint32_t* groups, std::size_t n_groups, std::int64_t* tables, int threads) {
    const std::size_t n = columns.size(), rows = columns.front().rows, cells = offsets.back();
    std::vector<std::vector<std::uint32_t>> codes;
    for (const CodeColumn& column : columns) codes.push_back(wide_codes(column));
    parallel_for(n, threads, [&](std::size_t i, int) {
        for (std::size_t j = i + 1; j < n; ++j) {
            const std::size_t pair = i * n - i * (i + 1) / 2 + j - i - 1;
            std::int64_t* table = tables + offsets[pair];
            for (std::size_t row = 0; row < rows; ++row) {
                const std::uint32_t first = codes[i][row], second = codes[j][row];
                if (groups[row] >= n_groups || first == missing_index || second == missing_index) continue;
                ++table[groups[row] * cells + std::size_t{first} * columns[j].card + second];
            }
        }
    });
}

template <typename T>
struct PairTable {
    const T* cells;  // of the first group
    std::size_t stride;
    std::size_t groups, rows, columns;
};

// The information of one pair; `margins` has room for a row and a column of the table.
template <typename T>
void information_of(const PairTable<T>& table, std::vector<double>& margins, double& information, double& chance) {
    double total = 0, sum = 0;
    double* across = margins.data();
    double* down = across + table.rows;
    for (std::size_t group = 0; group < table.groups; ++group) {
        const T* cells = table.cells + group * table.stride;
        std::fill(margins.begin(), margins.end(), 0.0);
        for (std::size_t i = 0; i < table.rows; ++i) {
            for (std::size_t j = 0; j < table.columns; ++j) {
                const double count = static_cast<double>(cells[i * table.columns + j]);
                across[i] += count;
                down[j] += count;
            }
        }
        double weight = 0;
        for (std::size_t i = 0; i < table.rows; ++i) weight += across[i];
        for (std::size_t i = 0; i < table.rows; ++i) {
            for (std::size_t j = 0; j < table.columns; ++j) {
                const double count = static_cast<double>(cells[i * table.columns + j]);
                if (count > 0) sum += count * std::log(count * weight / (across[i] * down[j]));
            }
        }
        total += weight;
    }
    if (total <= 0) return;
    information = std::max(0.0, sum / total);
    chance = static_cast<double>(table.groups * (table.rows - 1) * (table.columns - 1)) / (2 * total);
}

}  // namespace

void count_pairs_by(const std::vector<CodeColumn>& columns, const std::vector<std::int64_t>& offsets,
                    const std::uint32_t* groups, std::size_t n_groups, std::int64_t* tables, int threads) {
    if (columns.size() < 2) return;
    const std::size_t rows = columns.front().rows;
    if (rows < few_rows * n_groups) return count_few_rows(columns, offsets, groups, n_groups, tables, threads);
    const std::vector<std::size_t> starts = group_starts(groups, rows, n_groups);
    const std::vector<std::size_t> places = row_places(groups, rows, n_groups, starts);
    std::vector<std::unique_ptr<std::uint8_t[]>> sorted(columns.size());
    parallel_for(columns.size(), threads, [&](std::size_t at, int) {
        sorted[at].reset(new std::uint8_t[rows * columns[at].bytes]);
        sort_column(columns[at], places, sorted[at].get());
    });
    for (std::size_t group = 0; group < n_groups; ++group) {
        if (starts[group + 1] == starts[group]) continue;
        std::vector<CodeColumn> part = columns;
        for (std::size_t at = 0; at < columns.size(); ++at) {
            part[at].codes = sorted[at].get() + starts[group] * columns[at].bytes;
            part[at].rows = starts[group + 1] - starts[group];
        }
        count_pairs(part, offsets, tables + group * offsets.back(), threads);
    }
}

template <typename T>
void pair_information(const T* tables, std::size_t n_groups, const std::vector<std::uint32_t>& cards,
                      double* information, double* chance, int threads) {
    const std::size_t n = cards.size();
    std::vector<std::size_t> first(n + 1, 0);  // where the tables of pairs (i, ...) start
    for (std::size_t i = 0; i < n; ++i) {
        first[i + 1] = first[i];
        for (std::size_t j = i + 1; j < n; ++j) first[i + 1] += std::size_t{cards[i]} * cards[j];
    }
    parallel_for(n, threads, [&](std::size_t i, int) {
        std::size_t start = first[i];
        std::vector<double> margins;
        for (std::size_t j = i + 1; j < n; ++j) {
            const PairTable<T> table{tables + start, first[n], n_groups, cards[i], cards[j]};
            start += std::size_t{cards[i]} * cards[j];
            if (!cards[i] || !cards[j]) continue;  // a variable without values has no information
            margins.assign(cards[i] + cards[j], 0.0);
            information_of(table, margins, information[i * n + j], chance[i * n + j]);
            information[j * n + i] = information[i * n + j];
            chance[j * n + i] = chance[i * n + j];
        }
    });
}

template void pair_information(const std::int64_t*, std::size_t, const std::vector<std::uint32_t>&, double*,
                               double*, int);
template void pair_information(const double*, std::size_t, const std::vector<std::uint32_t>&, double*, double*, int);

}  // namespace bayou
