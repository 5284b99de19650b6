// What is random about trees, as functions of keys: never of positions, batches or threads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bayou/base/portable.hpp"

namespace bayou {

inline constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ull;

// The finaliser of SplitMix64 (Steele, Lea and Flood 2014).
inline std::uint64_t mixed(std::uint64_t bits) {
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9ull;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBull;
    return bits ^ (bits >> 31);
}

// The key of the n-th thing below another key.
inline std::uint64_t key_below(std::uint64_t key, std::uint64_t n) { return mixed(key + (n + 1) * kGolden); }

inline std::uint64_t tree_key(std::uint64_t seed, std::size_t tree) { return key_below(mixed(seed + kGolden), tree); }
inline std::uint64_t bag_key(std::uint64_t tree) { return key_below(tree, 0); }
inline std::uint64_t order_key(std::uint64_t tree, std::size_t column) { return key_below(key_below(tree, 1), column); }
inline std::uint64_t root_key(std::uint64_t tree) { return key_below(tree, 2); }
inline std::uint64_t left_key(std::uint64_t node) { return key_below(node, 0); }
inline std::uint64_t right_key(std::uint64_t node) { return key_below(node, 1); }
inline std::uint64_t draw_key(std::uint64_t node, std::size_t draw) { return key_below(node, 2 + draw); }

// A number below `count`.
inline std::size_t below(std::uint64_t key, std::size_t count) {
    return static_cast<std::size_t>(long_product(key, count).high);
}

}  // namespace bayou
