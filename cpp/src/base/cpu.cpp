#include "bayou/base/cpu.hpp"

#if BAYOU_X86
#include <cpuid.h>
#endif

namespace bayou {

#if BAYOU_X86
namespace {

// What the processor has and the system keeps for each thread, from the processor itself: not every compiler's runtime
// library has __builtin_cpu_supports.
struct Processor {
    bool avx2 = false, avx512_popcount = false;

    Processor() {
        unsigned a, b, c, d;
        if (__get_cpuid(1, &a, &b, &c, &d) == 0) return;
        const bool keeps_registers = has(c, 27) && has(c, 28), fma = has(c, 12), popcount = has(c, 23);
        if (!keeps_registers || !fma || !popcount || __get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return;
        const unsigned kept = kept_registers();
        avx2 = (kept & 0x06) == 0x06 && has(b, 5);
        avx512_popcount = avx2 && (kept & 0xE6) == 0xE6 && has(b, 16) && has(b, 30) && has(c, 14);
    }

    static bool has(unsigned bits, int bit) { return ((bits >> bit) & 1) != 0; }
};

const Processor& processor() {
    static const Processor found;
    return found;
}

}  // namespace

bool cpu_has_avx2() { return processor().avx2; }
bool cpu_has_avx512_popcount() { return processor().avx512_popcount; }
#else
bool cpu_has_avx2() { return false; }
bool cpu_has_avx512_popcount() { return false; }
#endif

}  // namespace bayou
