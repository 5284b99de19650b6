#define BAYOU_LOOPS portable
#include "kernel_sums_loops.inc"

namespace bayou {

namespace with_avx2 {
const KernelLoops& loops();
}

const KernelLoops& kernel_loops() {
#if BAYOU_X86
    if (cpu_has_avx2()) return with_avx2::loops();
#endif
    return portable::loops();
}

}  // namespace bayou
