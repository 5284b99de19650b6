// What this processor can do, asked at run time: the binary itself is built for the oldest one.
//
// Loops that gain from newer processors are compiled more than once, in one of two ways.
//
// 1. A function body marked BAYOU_INLINE is called from one function for any processor and from others marked
//    BAYOU_TARGET_AVX2 or BAYOU_TARGET_AVX512, into which the compiler inlines it.
// 2. Where there is more code, the loops are in a file X_loops.inc that is included twice, inside a namespace that the
//    includer names: X.cpp defines BAYOU_LOOPS as `portable`, X_avx2.cpp as `with_avx2`. CMake compiles every *_avx2.cpp
//    with -mavx2 -mfma, and X.cpp chooses one of the two by cpu_has_avx2(). An .inc file must not call functions of
//    headers that the compiler might keep out of line: the linker keeps one copy of such a function, and if that is the
//    copy compiled for AVX2, the portable half calls it, too.
//
// Whole numbers come out the same everywhere. Floats are summed in a fixed order, whatever the number of threads; but a
// fused multiply-add rounds once where two operations round twice, so that the last bits may depend on the processor.
#pragma once

#include "bayou/base/portable.hpp"

namespace bayou {

bool cpu_has_avx2();
bool cpu_has_avx512_popcount();

}  // namespace bayou
