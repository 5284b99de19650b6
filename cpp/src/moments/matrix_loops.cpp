#include "bayou/moments/matrix_loops.hpp"

#include "bayou/base/cpu.hpp"

#define BAYOU_LOOPS portable
#define BAYOU_LOOPS_TABLE portable_matrix_loops
#include "matrix_loops.inc"

namespace bayou {

const MatrixLoops& matrix_loops() {
#if BAYOU_X86
    if (cpu_has_avx2()) return avx2_matrix_loops();
#endif
    return portable_matrix_loops();
}

}  // namespace bayou
