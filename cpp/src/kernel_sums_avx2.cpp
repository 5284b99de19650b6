// The same loops for processors with AVX2; CMake compiles this file for them, kernel_loops() guards its use.
#include "bayou/cpu.hpp"

#if BAYOU_X86
#define BAYOU_LOOPS with_avx2
#include "kernel_sums_loops.inc"
#endif
