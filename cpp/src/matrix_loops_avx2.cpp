// The same loops for processors with AVX2; CMake compiles this file for them, cpu_has_avx2() guards its use.
#include "bayou/cpu.hpp"

#if BAYOU_X86
#define BAYOU_LOOPS with_avx2
#define BAYOU_LOOPS_TABLE avx2_matrix_loops
#include "matrix_loops.inc"
#endif
