// What this processor can do, asked at run time: the binary itself is built for the oldest one.
#pragma once

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define BAYOU_X86 1
#define BAYOU_TARGET_AVX2 __attribute__((target("avx2,popcnt")))
#define BAYOU_TARGET_AVX512 __attribute__((target("avx512f,avx512bw,avx512vpopcntdq,popcnt")))
#else
#define BAYOU_X86 0
#define BAYOU_TARGET_AVX2
#define BAYOU_TARGET_AVX512
#endif

// A body that must be inlined into each of its per-processor versions.
#if defined(__GNUC__) || defined(__clang__)
#define BAYOU_INLINE inline __attribute__((always_inline))
#else
#define BAYOU_INLINE inline
#endif

namespace bayou {

bool cpu_has_avx2();
bool cpu_has_avx512_popcount();

}  // namespace bayou
