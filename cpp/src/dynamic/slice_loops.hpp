// The three passes over two tables: forward, and backward into each of them.
#pragma once

#include "bayou/base/wide_number.hpp"
#include "bayou/dynamic/slice_program.hpp"

namespace bayou {

// out += left * right, or the maximum of the products; `out` is overwritten.
void sum_pass(const SlicePass& pass, const double* left, const double* right, double* out);
void maximum_pass(const SlicePass& pass, const double* left, const double* right, double* out);
// The derivatives of a sum by the entries of the left (right) table, given those by the entries of the result.
// The first argument is overwritten; it has `entries` entries.
void left_derivatives(const SlicePass& pass, double* left, std::size_t entries, const double* right, const double* out);
void right_derivatives(const SlicePass& pass, double* right, std::size_t entries, const double* left, const double* out);

// The same in numbers of any range.
void sum_pass(const SlicePass& pass, const WideNumber* left, const WideNumber* right, WideNumber* out);
void maximum_pass(const SlicePass& pass, const WideNumber* left, const WideNumber* right, WideNumber* out);
void left_derivatives(const SlicePass& pass, WideNumber* left, std::size_t entries, const WideNumber* right,
                      const WideNumber* out);
void right_derivatives(const SlicePass& pass, WideNumber* right, std::size_t entries, const WideNumber* left,
                       const WideNumber* out);

}  // namespace bayou
