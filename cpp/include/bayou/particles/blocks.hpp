// Particles are worked on in blocks; sums are made block by block, in order, whatever the threads.
#pragma once

#include <algorithm>
#include <cstddef>

#include "bayou/base/thread_pool.hpp"

namespace bayou {

constexpr std::size_t particle_block = 1024;

constexpr std::size_t fewest_shared_blocks = 4;  // below, threads would wait longer than they work

inline std::size_t particle_blocks(std::size_t n) { return (n + particle_block - 1) / particle_block; }

// Calls body(block, its first particle, its number of particles) for each block.
template <typename Body>
void for_particle_blocks(std::size_t n, int threads, const Body& body) {
    const std::size_t blocks = particle_blocks(n);
    pooled_for(blocks, blocks < fewest_shared_blocks ? 1 : threads, [&](std::size_t b, int) {
        const std::size_t first = b * particle_block;
        body(b, first, std::min(particle_block, n - first));
    });
}

}  // namespace bayou
