// Operands that do not change in the inner loops are multiplied once, outside; where such a product is zero,
// the inner loops are skipped. The innermost loop runs over contiguous memory.
#include "bayou/tables/sum_product.hpp"

#include <algorithm>
#include <stdexcept>

#include "bayou/base/cpu.hpp"

#define BAYOU_LOOPS portable
#include "sum_product_loops.inc"

namespace bayou {

#if BAYOU_X86
namespace with_avx2 {
void run_loops(const LoopNest& nest, const double* const* values, double* out, Combine how, int threads);
}
#endif

namespace {

constexpr double least_parallel_entries = 1 << 15, least_entries_of_many_parts = 1 << 18;
constexpr std::size_t few_parts = 4, many_parts = 16;
constexpr double least_entries_to_ask = 1 << 18;
constexpr std::size_t inner_block = 512;
constexpr std::size_t most_added = 4096;  // sums of each part

}  // namespace

void LoopNest::finish() {
    if (operands.size() > most_operands) throw std::logic_error("a product of more tables than loops can take");
    const std::size_t loops = sizes.size();
    moving.assign(loops, {});
    settled.assign(loops, {});
    inner.clear();
    for (std::uint32_t k = 0; k < operands.size(); ++k) {
        std::size_t last = 0;
        bool moves = false;
        for (std::size_t depth = 0; depth < loops; ++depth) {
            if (operands[k].strides[depth] == 0) continue;
            last = depth;
            moves = true;
            if (depth + 1 < loops) moving[depth].push_back(k);
        }
        if (moves && last + 1 == loops) {
            inner.push_back(k);
        } else {
            settled[moves ? last + 1 : 0].push_back(k);
        }
    }
    entries = 1;
    for (const std::size_t size : sizes) entries *= static_cast<double>(size);
    double inside = entries;
    for (std::size_t depth = 0; depth < loops && inside > least_entries_to_ask; ++depth) {
        asks_at = depth;
        inside /= static_cast<double>(sizes[depth]);
    }
    choose_split();
}

// One of the outermost loops, with enough steps: over a kept variable, or over any if the result is small.
void LoopNest::choose_split() {
    split = SIZE_MAX;
    split_is_summed = false;
    if (entries < least_parallel_entries) return;
    parts = entries < least_entries_of_many_parts ? few_parts : many_parts;
    for (std::size_t depth = 0; depth < sizes.size(); ++depth) {
        if (out_strides[depth] != 0 && sizes[depth] > 1 && (split == SIZE_MAX || sizes[split] < 4)) split = depth;
    }
    const bool is_good = split != SIZE_MAX && split < 2 && sizes[split] >= 4;
    if (is_good || out_size > most_added) return;
    const std::size_t outermost = sizes.front() < 4 && sizes.size() > 2 && sizes[1] > sizes.front() ? 1 : 0;
    if (sizes[outermost] < 2) return;
    split = outermost;
    split_is_summed = out_strides[split] == 0;
}

LoopNest make_nest(const Axes& all, const std::vector<Axes>& operands, const std::vector<std::uint32_t>& slots,
                   const Axes& kept) {
    const auto has = [](const Axes& axes, std::uint32_t variable) {
        return std::any_of(axes.begin(), axes.end(), [&](const Axis& axis) { return axis.variable == variable; });
    };
    // Outermost the kept variables, then the summed ones, then a block of variables in memory order that fits
    // into the first-level cache.
    std::size_t inner_from = all.size(), block = 1;
    while (inner_from > 0 && (inner_from == all.size() || block * all[inner_from - 1].size <= inner_block)) {
        block *= all[--inner_from].size;
    }
    Axes loops;
    for (const bool keep : {true, false}) {
        for (std::size_t at = 0; at < inner_from; ++at) {
            if (has(kept, all[at].variable) == keep) loops.push_back(all[at]);
        }
    }
    loops.insert(loops.end(), all.begin() + inner_from, all.end());
    const auto strides_of = [&](const Axes& axes) {
        std::vector<std::ptrdiff_t> strides(loops.size(), 0);
        std::ptrdiff_t stride = 1;
        for (std::size_t at = axes.size(); at-- > 0;) {
            for (std::size_t loop = 0; loop < loops.size(); ++loop) {
                if (loops[loop].variable == axes[at].variable) strides[loop] = stride;
            }
            stride *= static_cast<std::ptrdiff_t>(axes[at].size);
        }
        return strides;
    };
    LoopNest nest;
    for (const Axis& loop : loops) nest.sizes.push_back(loop.size);
    for (std::size_t k = 0; k < operands.size(); ++k) nest.operands.push_back({slots[k], strides_of(operands[k])});
    nest.out_strides = strides_of(kept);
    for (const Axis& axis : kept) nest.out_size *= axis.size;
    // Neighbouring loops are merged where they are contiguous in every table.
    for (std::size_t depth = nest.sizes.size(); depth-- > 1;) {
        const auto joins = [&](const std::vector<std::ptrdiff_t>& strides) {
            return strides[depth - 1] == strides[depth] * static_cast<std::ptrdiff_t>(nest.sizes[depth]);
        };
        bool all_join = joins(nest.out_strides);
        for (const LoopOperand& operand : nest.operands) all_join = all_join && joins(operand.strides);
        if (!all_join) continue;
        nest.sizes[depth - 1] *= nest.sizes[depth];
        nest.sizes.erase(nest.sizes.begin() + depth);
        const auto drop = [&](std::vector<std::ptrdiff_t>& strides) {
            strides[depth - 1] = strides[depth];
            strides.erase(strides.begin() + depth);
        };
        drop(nest.out_strides);
        for (LoopOperand& operand : nest.operands) drop(operand.strides);
    }
    if (nest.sizes.empty()) {
        nest.sizes.push_back(1);
        nest.out_strides.push_back(0);
        for (LoopOperand& operand : nest.operands) operand.strides.push_back(0);
    }
    nest.finish();
    return nest;
}

void run_nest(const LoopNest& nest, const double* const* values, double* out, Combine how, int threads) {
#if BAYOU_X86
    static const bool fast = cpu_has_avx2();
    if (fast) return with_avx2::run_loops(nest, values, out, how, threads);
#endif
    portable::run_loops(nest, values, out, how, threads);
}

}  // namespace bayou
