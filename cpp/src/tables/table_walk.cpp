#include "bayou/tables/table_walk.hpp"

#include "bayou/base/cpu.hpp"

#define BAYOU_LOOPS portable
#include "table_walk_loops.inc"

namespace bayou {

#if BAYOU_X86
namespace with_avx2 {
void run_walk(const Walk& walk);
double scale_message(std::span<double> values);
double divide_message(const double* belief, const double* received, std::span<double> message);
}  // namespace with_avx2
#endif

namespace {

constexpr std::size_t most_block_entries = 1024;  // a block stays in the first-level cache while it is processed

// The offsets of the small table for every combination of these axes, in the order of the large one.
void write_offsets(std::span<const WalkAxis> axes, std::vector<std::uint32_t>& pool) {
    const std::size_t start = pool.size();
    pool.push_back(0);
    for (std::size_t axis = axes.size(); axis-- > 0;) {
        const std::size_t done = pool.size() - start;
        const std::size_t stride = axes[axis].stride;
        pool.resize(start + done * axes[axis].size);
        for (std::size_t value = 1; value < axes[axis].size; ++value) {
            const std::uint32_t* from = pool.data() + start;
            std::uint32_t* to = pool.data() + start + value * done;
            for (std::size_t i = 0; i < done; ++i) to[i] = from[i] + static_cast<std::uint32_t>(value * stride);
        }
    }
}

}  // namespace

BlockShape block_shape(std::span<const WalkAxis> axes) {
    BlockShape shape;
    for (std::size_t axis = axes.size(); axis-- > 0; ++shape.axes) {
        if (shape.axes > 0 && shape.entries * axes[axis].size > most_block_entries) break;
        shape.entries *= axes[axis].size;
    }
    return shape;
}

TableMap map_table(std::span<WalkAxis> axes, std::vector<std::uint32_t>& pool) {
    std::size_t stride = 1;
    for (std::size_t axis = axes.size(); axis-- > 0;) {
        axes[axis].stride = axes[axis].shared ? stride : 0;
        if (axes[axis].shared) stride *= axes[axis].size;
    }
    const BlockShape shape = block_shape(axes);
    const std::size_t outside = axes.size() - shape.axes;
    TableMap map;
    // Neighbouring axes that the small table has, or neighbouring axes that it does not have, make one run.
    std::size_t run_from = axes.size();
    bool known = false;
    for (; run_from > outside; --run_from) {
        const WalkAxis& axis = axes[run_from - 1];
        if (axis.size == 1) continue;
        if (!known) map.moves = axis.shared;
        if (known && axis.shared != map.moves) break;
        known = true;
        map.length *= static_cast<std::uint32_t>(axis.size);
    }
    map.count = static_cast<std::uint32_t>(shape.entries / map.length);
    map.blocks = static_cast<std::uint32_t>(pool.size());
    write_offsets(axes.first(outside), pool);
    map.runs = static_cast<std::uint32_t>(pool.size());
    write_offsets(axes.subspan(outside, run_from - outside), pool);
    return map;
}

namespace {

struct Loops {
    decltype(&portable::run_walk) walk = portable::run_walk;
    decltype(&portable::scale_message) scale = portable::scale_message;
    decltype(&portable::divide_message) divide = portable::divide_message;

    Loops() {
#if BAYOU_X86
        if (cpu_has_avx2()) {
            walk = with_avx2::run_walk;
            scale = with_avx2::scale_message;
            divide = with_avx2::divide_message;
        }
#endif
    }
};

const Loops loops;

}  // namespace

void run_walk(const Walk& walk) { loops.walk(walk); }

double scale_message(std::span<double> values) { return loops.scale(values); }

double divide_message(const double* belief, const double* received, std::span<double> message) {
    return loops.divide(belief, received, message);
}

}  // namespace bayou
