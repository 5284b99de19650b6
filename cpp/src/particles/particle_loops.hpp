// The arithmetic that every step of a particle filter repeats for every particle, four numbers at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bayou {

// x' = F x + f + G e and the log of its weight, c - (H s + h)^2 / 2 with s = x' or s = x.
struct LineStep {
    double F, f, G, H, h, c;
    bool weighs_old;
};

struct ParticleLoops {
    // Two independent standard normal numbers from each word (Box and Muller): 40 of its bits make the radius, which is
    // at most 7.4, and 24 the angle.
    void (*normals)(const std::uint64_t* words, std::size_t n, double* cosines, double* sines);
    // Particles of one component: `noise` becomes the new particles.
    void (*line)(const LineStep& step, const double* old, std::size_t n, double* noise, double* logs);
    // logs = before + change, without `before` logs = change; returns the largest, or NaN if one is NaN or +infinity.
    double (*add)(const double* before, const double* change, std::size_t n, double* logs);
    // weights = exp(logs - reference), where no log is above the reference; their sum and sum of squares.
    void (*weights)(const double* logs, double reference, std::size_t n, double* weights, double* sum, double* squares);
    // The sum of the weights, and weighted sums of (x - centre) and of its square.
    void (*moments)(const double* x, const double* weights, double centre, std::size_t n, double* sum, double* first,
                    double* second);
    // exp(x) with x limited to -700 … 700.
    void (*exponentials)(const double* x, std::size_t n, double* out);
};

const ParticleLoops& particle_loops();

namespace portable {
const ParticleLoops& loops_of_particles();
}
namespace with_avx2 {
const ParticleLoops& loops_of_particles();
}

}  // namespace bayou
