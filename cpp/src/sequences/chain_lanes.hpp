// How messages lie in memory: arrays [state, lane], the states padded to a multiple of four with states that nothing
// reaches.
#pragma once

#include <cstddef>

namespace bayou {

constexpr std::size_t chain_lanes = 8;
constexpr std::size_t chain_tile = 4;

}  // namespace bayou
