// Small tables are counted from bit planes, larger ones by histograms of row indices; both work on tiles of
// rows, so that data that several families share are still in the cache for the next one.
#include "bayou/counting/counting.hpp"

#include <algorithm>
#include <memory>

#include "bayou/base/threads.hpp"
#include "bayou/counting/bit_planes.hpp"
#include "bayou/counting/family_layout.hpp"

namespace bayou {

namespace {

// Tables up to this size get several copies, so that equal consecutive rows do not wait for each other's store.
constexpr std::size_t most_copied_cells = 2048;
constexpr std::size_t copies = 4;

// One thread's planes, masks and tables.
struct Worker {
    PlaneBuffer planes, masks, everything;
    std::vector<std::uint8_t> bytes;
    std::vector<std::uint32_t> indices;
    std::vector<std::uint32_t> copied;
    std::vector<std::int64_t> tables;

    explicit Worker(const Layout& layout)
        : planes(layout.planes * plane_words(layout.tile_rows)),
          masks(layout.deepest * plane_words(layout.tile_rows)),
          everything(plane_words(layout.tile_rows)),
          bytes(layout.tile_rows),
          indices(index_block),
          copied(copies * (most_copied_cells + 1)),
          tables(layout.shared_cells) {
        std::fill_n(everything.data(), plane_words(layout.tile_rows), ~std::uint64_t{0});
    }
};

// Depth-first AND over the planes of a family in one tile.
class PlaneCount {
  public:
    PlaneCount(const std::vector<CodeColumn>& columns, const Layout& layout, Worker& worker, const Job& job,
               std::size_t words)
        : columns_(columns), layout_(layout), worker_(worker), family_(*job.family), words_(words),
          table_(worker.tables.data() + job.offset) {}

    void run() {
        if (family_.size() == 1) {
            kernels_.count_grid(worker_.everything.data(), 1, planes(0), card(0), words_, table_, 0);
        } else {
            descend(0, nullptr, worker_.masks.data(), table_);
        }
    }

  private:
    const std::uint64_t* planes(std::size_t level) const {
        return worker_.planes.data() + layout_.first_plane[family_[level]] * words_;
    }
    std::size_t card(std::size_t level) const { return columns_[family_[level]].card; }

    std::size_t cells_below(std::size_t level) const {
        std::size_t cells = 1;
        for (std::size_t below = level + 1; below < family_.size(); ++below) cells *= card(below);
        return cells;
    }

    // `mask` holds the rows that agree with the states chosen so far (null: every row).
    void descend(std::size_t level, const std::uint64_t* mask, std::uint64_t* scratch, std::int64_t* table) {
        const bool last_but_one = level + 2 == family_.size();
        const std::size_t step = cells_below(level);
        if (last_but_one && !mask) {
            kernels_.count_grid(planes(level), card(level), planes(level + 1), card(level + 1), words_, table,
                                step);
            return;
        }
        for (std::size_t state = 0; state < card(level); ++state, table += step) {
            const std::uint64_t* chosen = planes(level) + state * words_;
            if (mask) {
                if (!kernels_.intersect(mask, chosen, words_, scratch)) continue;
                chosen = scratch;
            }
            if (last_but_one) {
                kernels_.count_grid(chosen, 1, planes(level + 1), card(level + 1), words_, table, step);
            } else {
                descend(level + 1, chosen, scratch + words_, table);
            }
        }
    }

    const PlaneKernels& kernels_ = plane_kernels();
    const std::vector<CodeColumn>& columns_;
    const Layout& layout_;
    Worker& worker_;
    const Family& family_;
    const std::size_t words_;
    std::int64_t* const table_;
};

void build_planes(const std::vector<CodeColumn>& columns, const Layout& layout, Worker& worker,
                  std::size_t first, std::size_t rows, std::size_t words) {
    const PlaneKernels& kernels = plane_kernels();
    for (const std::size_t position : layout.plane_columns) {
        const CodeColumn& column = columns[position];
        const std::uint8_t* codes = byte_codes(column, first, rows, worker.bytes.data());
        std::uint64_t* planes = worker.planes.data() + layout.first_plane[position] * words;
        if (!kernels.one_hot(codes, rows, column.card, words, planes)) report_bad_code(column, first, rows);
    }
}

// Calls body(indices, first row, rows) for blocks of rows of a family.
template <typename Body>
void for_index_blocks(const std::vector<CodeColumn>& columns, const Family& family, std::size_t first,
                      std::size_t rows, std::uint32_t* indices, const Body& body) {
    for (std::size_t start = first; start < first + rows; start += index_block) {
        const std::size_t block = std::min(index_block, first + rows - start);
        index_rows(columns, family, start, block, indices);
        body(indices, start, block);
    }
}

void count_by_copies(const std::vector<CodeColumn>& columns, const Job& job, Worker& worker,
                     std::size_t first, std::size_t rows) {
    // One extra cell collects the rows that do not count.
    const auto beyond = static_cast<std::uint32_t>(job.cells);
    const std::size_t stride = job.cells + 1;
    std::uint32_t* copied = worker.copied.data();
    std::fill_n(copied, copies * stride, 0u);
    for_index_blocks(columns, *job.family, first, rows, worker.indices.data(),
                     [&](const std::uint32_t* indices, std::size_t, std::size_t block) {
                         std::size_t row = 0;
                         for (; row + copies <= block; row += copies) {
                             for (std::size_t copy = 0; copy < copies; ++copy) {
                                 ++copied[copy * stride + std::min(indices[row + copy], beyond)];
                             }
                         }
                         for (; row < block; ++row) ++copied[std::min(indices[row], beyond)];
                     });
    std::int64_t* table = worker.tables.data() + job.offset;
    for (std::size_t copy = 0; copy < copies; ++copy) {
        for (std::size_t cell = 0; cell < job.cells; ++cell) table[cell] += copied[copy * stride + cell];
    }
}

template <typename Table, typename Weight>
void count_in_order(const std::vector<CodeColumn>& columns, const Family& family, std::size_t first,
                    std::size_t rows, std::uint32_t* indices, Table* table, const Weight& weight) {
    for_index_blocks(columns, family, first, rows, indices,
                     [&](const std::uint32_t* block_indices, std::size_t start, std::size_t block) {
                         for (std::size_t row = 0; row < block; ++row) {
                             const std::uint32_t index = block_indices[row];
                             if (index != missing_index) table[index] += weight(start + row);
                         }
                     });
}

constexpr auto one_each = [](std::size_t) { return std::int64_t{1}; };

void count_tile(const std::vector<CodeColumn>& columns, const Layout& layout, Worker& worker,
                std::size_t first, std::size_t rows) {
    const std::size_t words = plane_words(rows);
    build_planes(columns, layout, worker, first, rows, words);
    for (const Job& job : layout.jobs) {
        if (job.way == Way::planes) {
            PlaneCount(columns, layout, worker, job, words).run();
        } else if (job.way == Way::histogram && job.cells <= most_copied_cells) {
            count_by_copies(columns, job, worker, first, rows);
        } else if (job.way == Way::histogram) {
            count_in_order(columns, *job.family, first, rows, worker.indices.data(),
                           worker.tables.data() + job.offset, one_each);
        }
    }
}

void count_tiles(const std::vector<CodeColumn>& columns, std::size_t rows, const Layout& layout, int threads) {
    const std::size_t tiles = (rows + layout.tile_rows - 1) / layout.tile_rows;
    threads = usable_threads(threads);  // once: the default may change meanwhile
    std::vector<std::unique_ptr<Worker>> workers(static_cast<std::size_t>(threads));
    parallel_for(tiles, threads, [&](std::size_t tile, int worker) {
        if (!workers[worker]) workers[worker] = std::make_unique<Worker>(layout);
        const std::size_t first = tile * layout.tile_rows;
        count_tile(columns, layout, *workers[worker], first, std::min(layout.tile_rows, rows - first));
    });
    for (const auto& worker : workers) {
        if (!worker) continue;
        for (const Job& job : layout.jobs) {
            if (job.way != Way::planes && job.way != Way::histogram) continue;
            const std::int64_t* part = worker->tables.data() + job.offset;
            for (std::size_t cell = 0; cell < job.cells; ++cell) job.table[cell] += part[cell];
        }
    }
}

template <typename Table, typename Weight>
void count_each_alone(const std::vector<CodeColumn>& columns, std::size_t rows,
                      const std::vector<Family>& families, const std::vector<Table*>& tables,
                      const Weight& weight, int threads) {
    for (const Family& family : families) table_cells(columns, family);
    parallel_for(families.size(), threads, [&](std::size_t at, int) {
        std::vector<std::uint32_t> indices(index_block);
        count_in_order(columns, families[at], 0, rows, indices.data(), tables[at], weight);
    });
}

}  // namespace

void count_families(const std::vector<CodeColumn>& columns, std::size_t rows,
                    const std::vector<Family>& families, const std::vector<std::int64_t*>& tables,
                    int threads) {
    const Layout layout = lay_out(columns, rows, families, tables);
    std::vector<Family> lone_families;
    std::vector<std::int64_t*> lone_tables;
    bool tiled = false;
    for (const Job& job : layout.jobs) {
        if (job.way == Way::total) *job.table += static_cast<std::int64_t>(rows);
        tiled |= job.way == Way::planes || job.way == Way::histogram;
        if (job.way != Way::alone) continue;
        lone_families.push_back(*job.family);
        lone_tables.push_back(job.table);
    }
    if (tiled) count_tiles(columns, rows, layout, threads);
    count_each_alone(columns, rows, lone_families, lone_tables, one_each, threads);
}

void count_families_weighted(const std::vector<CodeColumn>& columns, std::size_t rows,
                             const std::vector<Family>& families, const std::int64_t* weights,
                             const std::vector<std::int64_t*>& tables, int threads) {
    // Unsigned sums wrap like numpy's, where signed ones would be undefined.
    std::vector<std::uint64_t*> unsigned_tables;
    for (std::int64_t* table : tables) unsigned_tables.push_back(reinterpret_cast<std::uint64_t*>(table));
    const auto weight = [weights](std::size_t row) { return static_cast<std::uint64_t>(weights[row]); };
    count_each_alone(columns, rows, families, unsigned_tables, weight, threads);
}

void count_families_weighted(const std::vector<CodeColumn>& columns, std::size_t rows,
                             const std::vector<Family>& families, const double* weights,
                             const std::vector<double*>& tables, int threads) {
    count_each_alone(columns, rows, families, tables, [weights](std::size_t row) { return weights[row]; },
                     threads);
}

}  // namespace bayou
