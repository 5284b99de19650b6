// out[kept] = sum over the rest (or maximum) of the product of several tables, without ever making the
// product: the inner loop of exact inference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bayou {

constexpr std::size_t most_operands = 64;  // of one nest

// A table as a loop sees it: where its values lie is told at run time, its strides here.
struct LoopOperand {
    std::uint32_t slot = 0;               // whose values: a number that the caller gives a meaning
    std::vector<std::ptrdiff_t> strides;  // one a loop, 0 where the table lacks the variable
};

// A nest of loops, outermost first. The innermost stride of every operand is 0 or 1.
struct LoopNest {
    std::vector<std::size_t> sizes;
    std::vector<LoopOperand> operands;
    std::vector<std::ptrdiff_t> out_strides;
    std::size_t out_size = 1;
    double entries = 1;

    // Made by finish(): which operands move at a loop, and which are plain numbers inside it.
    std::vector<std::vector<std::uint32_t>> moving, settled;
    std::vector<std::uint32_t> inner;
    std::size_t split = SIZE_MAX;         // the loop to share among threads, if any
    void finish();
};

// A table's variables, each with its size, in the order in which they lie in memory (last is contiguous).
struct Axis {
    std::uint32_t variable;
    std::size_t size;
};
using Axes = std::vector<Axis>;

// The loops that sum the product of `operands` (axes of each in ascending order of rank) down to `kept`.
// `all` are the variables of the clique in ascending order of rank.
LoopNest make_nest(const Axes& all, const std::vector<Axes>& operands, const std::vector<std::uint32_t>& slots,
                   const Axes& kept);

enum class Combine { sum, maximum };

// `values[slot]` are the operands' values. `out` is overwritten.
void run_nest(const LoopNest& nest, const double* const* values, double* out, Combine how, int threads);

}  // namespace bayou
