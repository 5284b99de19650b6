#ifndef BAYOU_LOOPS
#define BAYOU_LOOPS portable
#endif
#include "emission_loops.inc"

namespace bayou {

namespace with_avx2 {
const EmissionLoops& loops_of_emissions();
}

const EmissionLoops& emission_loops() {
#if BAYOU_X86
    if (cpu_has_avx2()) return with_avx2::loops_of_emissions();
#endif
    return portable::loops_of_emissions();
}

}  // namespace bayou
