// Converts seconds from Python to a point in time at which search kernels return.
#pragma once

#include <algorithm>
#include <chrono>

namespace bayou::bindings {

constexpr double most_seconds = 1e6;

inline std::chrono::steady_clock::time_point in(double seconds) {
    using Clock = std::chrono::steady_clock;
    const std::chrono::duration<double> wait(std::clamp(seconds, 0.0, most_seconds));
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(wait);
}

}  // namespace bayou::bindings
