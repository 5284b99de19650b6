// out[kept] = sum (or maximum) over the other variables of the product of several tables, computed without storing
// the product: the inner loop of exact inference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bayou {

constexpr std::size_t most_operands = 64;  // of one nest

// A table as an operand of a loop nest: its strides; the address of its values is given at run time.
struct LoopOperand {
    std::uint32_t slot = 0;               // which values: an index into the `values` of a run
    std::vector<std::ptrdiff_t> strides;  // one per loop, 0 if the table does not have the variable
};

// A nest of loops, outermost first. The innermost stride of every operand is 0 or 1.
struct LoopNest {
    std::vector<std::size_t> sizes;
    std::vector<LoopOperand> operands;
    std::vector<std::ptrdiff_t> out_strides;
    std::size_t out_size = 1;
    double entries = 1;

    // Set by finish(): the operands that move in each loop, and those that are constant inside it.
    std::vector<std::vector<std::uint32_t>> moving, settled;
    std::vector<std::uint32_t> inner;
    std::size_t split = SIZE_MAX;         // the loop to share among threads, if any
    std::size_t parts = 1;                // of the split loop, each a task
    bool split_is_summed = false;         // then every part has its own sums, which are added at the end
    std::size_t asks_at = SIZE_MAX;       // the loop in which long sums ask whether the user wants to stop them
    void finish();

  private:
    void choose_split();
};

// A table's variables, each with its size, in memory order (the last is contiguous).
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
