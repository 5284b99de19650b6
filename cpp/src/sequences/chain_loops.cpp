#ifndef BAYOU_LOOPS
#define BAYOU_LOOPS portable
#endif
#include "chain_loops.inc"

namespace bayou {

namespace with_avx2 {
const ChainLoops& loops_of_chains();
}

const ChainLoops& chain_loops() {
#if BAYOU_X86
    if (cpu_has_avx2()) return with_avx2::loops_of_chains();
#endif
    return portable::loops_of_chains();
}

}  // namespace bayou
