// One pass over a clique's own table: entries are multiplied by smaller tables and summed into others.
// A table is processed in blocks. The cell of a smaller table that belongs to each entry is known in advance: one
// offset per block, and within a block one offset per run of entries. So binary variables need no loops of length 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bayou {

// The map from the entries of a large table to those of a small one. Offsets are in a pool that a plan shares.
struct TableMap {
    std::uint32_t blocks = 0;  // where in the pool: an offset for each block of the large table
    std::uint32_t runs = 0;    // where in the pool: an offset for each run of a block
    std::uint32_t count = 1;   // runs in a block
    std::uint32_t length = 1;  // entries in a run
    bool moves = false;        // along a run: next to each other in the small table, or all the same cell
};

struct WalkAxis {
    std::size_t size;
    bool shared;             // the small table has this axis too
    std::size_t stride = 0;  // in the small table, set by map_table; 0: it does not have this axis
};

// The number of last axes that make up a block; the product of their sizes is its length.
struct BlockShape {
    std::size_t axes = 0, entries = 1;
};
BlockShape block_shape(std::span<const WalkAxis> axes);

// The small table has the shared axes of the large one, in the same order.
TableMap map_table(std::span<WalkAxis> axes, std::vector<std::uint32_t>& pool);

// A map with its values, for one run.
struct WalkTable {
    double* values;
    const std::uint32_t *blocks, *runs;
    std::uint32_t count, length;
    bool moves;
};

struct Walk {
    std::size_t blocks, block;
    const double* from;              // the entries to start from; null: ones
    double* table;                   // takes the products (may be `from`); null: nothing is multiplied
    std::span<const WalkTable> in;   // each entry is multiplied by these
    std::span<const WalkTable> out;  // and then added to these
};

void run_walk(const Walk& walk);

// Divides a message by its largest value and returns that (0: all values are 0 and stay so).
double scale_message(std::span<double> values);

// message = belief / received with x / 0 = 0, divided by its largest value, which is returned.
double divide_message(const double* belief, const double* received, std::span<double> message);

}  // namespace bayou
