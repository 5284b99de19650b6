// Whether a product or quotient of this thread was too small for a double and lost digits. The processor notes that by
// itself (IEEE 754, the underflow flag): to ask costs a few nanoseconds, and no loop has to look at its numbers.
#pragma once

#include <cfenv>

#include "bayou/base/cpu.hpp"

#if BAYOU_X86
#include <xmmintrin.h>
#endif

namespace bayou {

// A product of numbers up to 1 in which something underflowed has lost less than about e^-745. While the whole stays
// above e^safe_log that loss is below the precision of a double, however many terms were lost.
constexpr double safe_log = -600;

#if BAYOU_X86

constexpr unsigned underflow_bit = 0x10;  // of the register MXCSR; doubles are computed in SSE or AVX

BAYOU_INLINE bool has_underflowed() { return (_mm_getcsr() & underflow_bit) != 0; }
BAYOU_INLINE void forget_underflow() {
    if (has_underflowed()) _mm_setcsr(_mm_getcsr() & ~underflow_bit);
}
BAYOU_INLINE void note_underflow() { _mm_setcsr(_mm_getcsr() | underflow_bit); }

#else

BAYOU_INLINE bool has_underflowed() { return std::fetestexcept(FE_UNDERFLOW) != 0; }
BAYOU_INLINE void forget_underflow() { std::feclearexcept(FE_UNDERFLOW); }
BAYOU_INLINE void note_underflow() { std::feraiseexcept(FE_UNDERFLOW); }

#endif

}  // namespace bayou
