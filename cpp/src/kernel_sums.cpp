#define BAYOU_LOOPS any_processor
#include "kernel_sums_loops.inc"

namespace bayou {

namespace with_avx2 {
const KernelLoops& loops();
}

const KernelLoops& kernel_loops() {
#if BAYOU_X86
    static const bool fast = cpu_has_avx2() && __builtin_cpu_supports("fma");
    if (fast) return with_avx2::loops();
#endif
    return any_processor::loops();
}

}  // namespace bayou
