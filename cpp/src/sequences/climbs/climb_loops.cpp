#ifndef BAYOU_LOOPS
#define BAYOU_LOOPS portable
#endif
#include "climb_loops.inc"

namespace bayou {

namespace with_avx2 {
RunClimbs loops_of_climbs();
}

RunClimbs climb_loops() {
#if BAYOU_X86
    if (cpu_has_avx2()) return with_avx2::loops_of_climbs();
#endif
    return portable::loops_of_climbs();
}

}  // namespace bayou
