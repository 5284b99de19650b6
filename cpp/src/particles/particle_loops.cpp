#include "particle_loops.hpp"

#include "bayou/base/cpu.hpp"

#define BAYOU_LOOPS portable
#include "particle_loops.inc"
#undef BAYOU_LOOPS

namespace bayou {

const ParticleLoops& particle_loops() {
#if BAYOU_X86
    if (cpu_has_avx2()) return with_avx2::loops_of_particles();
#endif
    return portable::loops_of_particles();
}

}  // namespace bayou
