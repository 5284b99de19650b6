// The loops for processors with AVX2 (see cpu.hpp).
#include "bayou/base/cpu.hpp"

#if BAYOU_X86
#define BAYOU_LOOPS with_avx2
#include "climb_loops.inc"
#endif
