#include "slice_loops.hpp"

#include "bayou/base/cpu.hpp"

#define BAYOU_LOOPS portable
#include "slice_loops.inc"

namespace bayou {

#if BAYOU_X86
namespace with_avx2 {
void sum_pass(const SlicePass& pass, const double* left, const double* right, double* out);
void maximum_pass(const SlicePass& pass, const double* left, const double* right, double* out);
void left_derivatives(const SlicePass& pass, double* left, std::size_t entries, const double* right, const double* out);
void right_derivatives(const SlicePass& pass, double* right, std::size_t entries, const double* left, const double* out);
}  // namespace with_avx2
#endif

namespace {

struct SliceLoops {
    decltype(&portable::sum_pass) sum = portable::sum_pass;
    decltype(&portable::maximum_pass) maximum = portable::maximum_pass;
    decltype(&portable::left_derivatives) left = portable::left_derivatives;
    decltype(&portable::right_derivatives) right = portable::right_derivatives;

    SliceLoops() {
#if BAYOU_X86
        if (cpu_has_avx2()) {
            sum = with_avx2::sum_pass;
            maximum = with_avx2::maximum_pass;
            left = with_avx2::left_derivatives;
            right = with_avx2::right_derivatives;
        }
#endif
    }
};

const SliceLoops slice_loops;

}  // namespace

void sum_pass(const SlicePass& pass, const double* left, const double* right, double* out) {
    slice_loops.sum(pass, left, right, out);
}

void maximum_pass(const SlicePass& pass, const double* left, const double* right, double* out) {
    slice_loops.maximum(pass, left, right, out);
}

void left_derivatives(const SlicePass& pass, double* left, std::size_t entries, const double* right, const double* out) {
    slice_loops.left(pass, left, entries, right, out);
}

void right_derivatives(const SlicePass& pass, double* right, std::size_t entries, const double* left, const double* out) {
    slice_loops.right(pass, right, entries, left, out);
}

}  // namespace bayou
