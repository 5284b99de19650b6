// All pairs of columns: bit planes of a stretch of rows for every column, then blocks of columns against
// each other on tiles of rows that stay in the cache.
//
// Measured on one Zen 3 core with AVX2: carry-save adders count 330, 380 and 410 G row-cells/s in planes of
// 8, 16 and 32 thousand rows (each call has a fixed cost at its end), hence the large tiles; blocks of 4, 8 and 16
// columns differ by 4%. Another layout, nibbles of four rows looked up by pshufb for 96 planes at once, reached 510 in
// its inner loop alone: too little to make up for its transposition and its half-empty blocks on the diagonal.
#include <algorithm>
#include <memory>

#include "bayou/base/threads.hpp"
#include "bayou/counting/bit_planes.hpp"
#include "bayou/counting/counting.hpp"

namespace bayou {

namespace {

constexpr std::uint32_t most_pair_planes = 20;  // beyond this a histogram of the pair is faster
constexpr std::size_t most_tile_groups = 20;
constexpr std::size_t most_stretch_tiles = 8;
constexpr std::size_t block_columns = 16;

// The planes of some rows of all narrow columns, tile by tile: within a tile the planes are adjacent.
struct Stretch {
    std::size_t first = 0, rows = 0, tiles = 0, planes = 0, tile_rows = 0;
    PlaneBuffer words;
    std::vector<std::size_t> first_plane;        // by narrow column
    std::vector<char> complete;                  // no missing cell in this stretch
    std::vector<std::int64_t> margins;           // by plane

    std::size_t words_of(std::size_t tile) const {
        return plane_words(std::min(tile_rows, rows - tile * tile_rows));
    }
    std::uint64_t* planes_of(std::size_t tile, std::size_t narrow) {
        return words.data() + tile * plane_words(tile_rows) * planes + first_plane[narrow] * words_of(tile);
    }
};

void build_column(Stretch& stretch, const CodeColumn& column, std::size_t narrow) {
    const PlaneKernels& kernels = plane_kernels();
    const std::size_t tile_rows = stretch.tile_rows;
    std::vector<std::uint8_t> bytes(column.bytes == 1 ? 0 : tile_rows);
    const std::vector<std::uint64_t> everything(plane_words(tile_rows), ~std::uint64_t{0});
    std::int64_t* margins = stretch.margins.data() + stretch.first_plane[narrow];
    std::fill_n(margins, column.card, 0);
    for (std::size_t tile = 0; tile < stretch.tiles; ++tile) {
        const std::size_t first = stretch.first + tile * tile_rows;
        const std::size_t rows = std::min(tile_rows, stretch.first + stretch.rows - first);
        const std::size_t words = stretch.words_of(tile);
        std::uint64_t* planes = stretch.planes_of(tile, narrow);
        const std::uint8_t* codes = byte_codes(column, first, rows, bytes.data());
        if (!kernels.one_hot(codes, rows, column.card, words, planes)) report_bad_code(column, first, rows);
        kernels.count_grid(everything.data(), 1, planes, column.card, words, margins, 0);
    }
    std::int64_t present = 0;
    for (std::uint32_t state = 0; state < column.card; ++state) present += margins[state];
    stretch.complete[narrow] = present == static_cast<std::int64_t>(stretch.rows);
}

// A side of a pair's table: the states of one column. If the column has no missing cell, its last state need not be
// counted: it is the difference to the other column's margins.
struct Side {
    std::size_t card;
    const std::int64_t* margins;
    bool complete;

    std::size_t counted() const { return complete && card > 0 ? card - 1 : card; }
};

// Fills the last column and the last row of a table where they were not counted.
void complete_table(std::int64_t* table, const Side& rows, const Side& columns) {
    const std::size_t wide = columns.card;
    for (std::size_t i = 0; i < rows.counted() && columns.counted() < wide; ++i) {
        std::int64_t left = rows.margins[i];
        for (std::size_t j = 0; j + 1 < wide; ++j) left -= table[i * wide + j];
        table[i * wide + wide - 1] = left;
    }
    for (std::size_t j = 0; j < wide && rows.counted() < rows.card; ++j) {
        std::int64_t left = columns.margins[j];
        for (std::size_t i = 0; i + 1 < rows.card; ++i) left -= table[i * wide + j];
        table[(rows.card - 1) * wide + j] = left;
    }
}

// Counts the pairs whose first column lies in one block of narrow columns.
class BlockCount {
  public:
    BlockCount(Stretch& stretch, const std::vector<CodeColumn>& columns, const std::vector<std::int64_t>& offsets,
               const std::vector<std::size_t>& narrow, std::int64_t* tables)
        : stretch_(stretch), columns_(columns), offsets_(offsets), narrow_(narrow), tables_(tables) {}

    void run(std::size_t begin, std::size_t end) {
        lay_out(begin, end);
        for (std::size_t tile = 0; tile < stretch_.tiles; ++tile) {
            for (std::size_t j = begin + 1; j < narrow_.size(); ++j) {
                for (std::size_t i = begin; i < std::min(end, j); ++i) count(tile, i, j, begin);
            }
        }
        for (std::size_t i = begin; i < end; ++i) {
            for (std::size_t j = i + 1; j < narrow_.size(); ++j) add(i, j, begin);
        }
    }

  private:
    std::size_t card(std::size_t at) const { return columns_[narrow_[at]].card; }
    Side side(std::size_t at) const {
        return {card(at), stretch_.margins.data() + stretch_.first_plane[at], stretch_.complete[at] != 0};
    }
    std::int64_t* part(std::size_t i, std::size_t j, std::size_t begin) {
        return parts_.data() + starts_[(i - begin) * narrow_.size() + j];
    }

    void lay_out(std::size_t begin, std::size_t end) {
        starts_.assign((end - begin) * narrow_.size(), 0);
        std::size_t cells = 0;
        for (std::size_t i = begin; i < end; ++i) {
            for (std::size_t j = i + 1; j < narrow_.size(); ++j) {
                starts_[(i - begin) * narrow_.size() + j] = cells;
                cells += card(i) * card(j);
            }
        }
        parts_.assign(cells, 0);
    }

    void count(std::size_t tile, std::size_t i, std::size_t j, std::size_t begin) {
        plane_kernels().count_grid(stretch_.planes_of(tile, i), side(i).counted(), stretch_.planes_of(tile, j),
                                   side(j).counted(), stretch_.words_of(tile), part(i, j, begin), card(j));
    }

    void add(std::size_t i, std::size_t j, std::size_t begin) {
        std::int64_t* counted = part(i, j, begin);
        complete_table(counted, side(i), side(j));
        const std::size_t n = columns_.size(), a = narrow_[i], b = narrow_[j];
        std::int64_t* table = tables_ + offsets_[a * n - a * (a + 1) / 2 + (b - a - 1)];
        for (std::size_t cell = 0; cell < card(i) * card(j); ++cell) table[cell] += counted[cell];
    }

    Stretch& stretch_;
    const std::vector<CodeColumn>& columns_;
    const std::vector<std::int64_t>& offsets_;
    const std::vector<std::size_t>& narrow_;
    std::int64_t* const tables_;
    std::vector<std::size_t> starts_;
    std::vector<std::int64_t> parts_;
};

// As many rows at a time as keep the planes no larger than the columns themselves.
Stretch make_stretch(const std::vector<CodeColumn>& columns, const std::vector<std::size_t>& narrow) {
    Stretch stretch;
    std::size_t column_bytes = 0;
    for (const std::size_t position : narrow) {
        stretch.first_plane.push_back(stretch.planes);
        stretch.planes += columns[position].card;
        column_bytes += columns[position].bytes * columns[position].rows;
    }
    // Tiles of equal size, so that there is no short last tile with the full fixed cost of a call.
    const std::size_t groups = std::max<std::size_t>(plane_words(columns.front().rows) / plane_group_words, 1);
    const std::size_t all_tiles = (groups + most_tile_groups - 1) / most_tile_groups;
    stretch.tile_rows = (groups + all_tiles - 1) / all_tiles * plane_group_rows;
    const std::size_t tile_bytes = std::max<std::size_t>(stretch.planes * stretch.tile_rows / 8, 1);
    stretch.tiles = std::clamp<std::size_t>(column_bytes / tile_bytes, 1, std::min(all_tiles, most_stretch_tiles));
    stretch.words = PlaneBuffer(stretch.tiles * tile_bytes / 8);
    stretch.complete.assign(narrow.size(), 0);
    stretch.margins.assign(stretch.planes, 0);
    return stretch;
}

void count_narrow(const std::vector<CodeColumn>& columns, const std::vector<std::size_t>& narrow,
                  const std::vector<std::int64_t>& offsets, std::int64_t* tables, int threads) {
    Stretch stretch = make_stretch(columns, narrow);
    const std::size_t rows = columns.front().rows, stretch_rows = stretch.tiles * stretch.tile_rows;
    const std::size_t blocks = (narrow.size() + block_columns - 1) / block_columns;
    for (std::size_t first = 0; first < rows; first += stretch_rows) {
        stretch.first = first;
        stretch.rows = std::min(stretch_rows, rows - first);
        stretch.tiles = (stretch.rows + stretch.tile_rows - 1) / stretch.tile_rows;
        parallel_for(narrow.size(), threads, [&](std::size_t at, int) {
            build_column(stretch, columns[narrow[at]], at);
        });
        parallel_for(blocks, threads, [&](std::size_t block, int) {
            const std::size_t begin = block * block_columns;
            BlockCount(stretch, columns, offsets, narrow, tables)
                .run(begin, std::min(begin + block_columns, narrow.size()));
        });
    }
}

}  // namespace

std::vector<std::int64_t> pair_offsets(const std::vector<CodeColumn>& columns) {
    std::vector<std::int64_t> offsets{0};
    std::size_t cells = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        for (std::size_t j = i + 1; j < columns.size(); ++j) {
            cells += table_cells(columns, {i, j});  // 2**32 tables of 2**32 cells would still not overflow
            offsets.push_back(static_cast<std::int64_t>(cells));
        }
    }
    return offsets;
}

void count_pairs(const std::vector<CodeColumn>& columns, const std::vector<std::int64_t>& offsets,
                 std::int64_t* tables, int threads) {
    std::vector<std::size_t> narrow;
    for (const CodeColumn& column : columns) {
        if (column.card <= most_pair_planes) narrow.push_back(&column - columns.data());
    }
    if (narrow.size() > 1) count_narrow(columns, narrow, offsets, tables, threads);
    std::vector<Family> wide;
    std::vector<std::int64_t*> wide_tables;
    std::size_t pair = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        for (std::size_t j = i + 1; j < columns.size(); ++j, ++pair) {
            if (columns[i].card <= most_pair_planes && columns[j].card <= most_pair_planes) continue;
            wide.push_back({i, j});
            wide_tables.push_back(tables + offsets[pair]);
        }
    }
    if (!wide.empty()) count_families(columns, columns.front().rows, wide, wide_tables, threads);
}

}  // namespace bayou
