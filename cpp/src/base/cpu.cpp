#include "bayou/base/cpu.hpp"

namespace bayou {

#if BAYOU_X86
bool cpu_has_avx2() {
    static const bool found = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                              __builtin_cpu_supports("popcnt");
    return found;
}

bool cpu_has_avx512_popcount() {
    static const bool found = cpu_has_avx2() && __builtin_cpu_supports("avx512f") &&
                              __builtin_cpu_supports("avx512bw") &&
                              __builtin_cpu_supports("avx512vpopcntdq");
    return found;
}
#else
bool cpu_has_avx2() { return false; }
bool cpu_has_avx512_popcount() { return false; }
#endif

}  // namespace bayou
