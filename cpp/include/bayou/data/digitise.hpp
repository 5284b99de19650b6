// Numbers to the codes of the intervals that contain them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bayou {

// The types of numbers that can be read; whole numbers beyond 2**53 count as the nearest double.
enum class NumberType { f64, f32, i8, i16, i32, i64, u8, u16, u32, u64 };

struct NumberView {
    const void* data = nullptr;
    NumberType type = NumberType::f64;
    std::size_t rows = 0;
    std::ptrdiff_t stride = 1;  // in elements; may be negative
};

// codes[row] = the number of cuts below the value (a value on a cut goes left); NaN: the largest Code.
// Cuts must ascend strictly and not be NaN, and their number must leave room for 'missing' in Code; otherwise
// std::invalid_argument is thrown.
template <typename Code>
void digitise(const NumberView& values, const double* cuts, std::size_t n_cuts, Code* codes, int threads);

}  // namespace bayou
