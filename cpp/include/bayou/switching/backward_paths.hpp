// Paths of states given all rows, drawn backwards from the particles of a filter (Lindsten, Bunch, Särkkä, Schön and
// Godsill 2016, Rao-Blackwellized particle smoothers for conditionally linear Gaussian models, IEEE JSTSP 10).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayou/switching/switching_run.hpp"

namespace bayou {

// The particles of one row, with weights that sum to 1.
struct KeptParticles {
    SwitchingParticles particles;
    std::vector<double> weights;
};

// Writes the states of each path [path, row, discrete variable]. Returns -1, or a row whose values have no density given
// the slice before it, so that nothing can be drawn.
std::int64_t draw_paths(const MixedTemplate& model, const MixedRows& rows, const std::vector<KeptParticles>& kept,
                        std::size_t paths, std::uint64_t seed, std::uint32_t* states, int threads);

}  // namespace bayou
