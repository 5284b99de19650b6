// What the compilers spell differently, in one place. The kernels are compiled by gcc and clang (clang++ on Windows,
// too): their vectors (`vector_size`) have no counterpart in Microsoft's compiler.
#pragma once

#include <cmath>
#include <cstdint>

#if !defined(__GNUC__) && !defined(__clang__)
#error "bayou's core needs gcc or clang (on Windows: clang++)"
#endif

#if defined(__x86_64__)
#define BAYOU_X86 1
#define BAYOU_TARGET_AVX2 __attribute__((target("avx2,popcnt")))
#define BAYOU_TARGET_AVX512 __attribute__((target("avx512f,avx512bw,avx512vpopcntdq,popcnt")))
#else
#define BAYOU_X86 0
#define BAYOU_TARGET_AVX2
#define BAYOU_TARGET_AVX512
#endif

// A body that must be inlined into each of its per-processor versions; the same behind the parameters of a lambda.
#define BAYOU_INLINE inline __attribute__((always_inline))
#define BAYOU_INLINED __attribute__((always_inline))

// Numbers side by side; the loose kind may lie at any place of an array. What loops for several kinds of processors
// use is a macro: an inline function would be compiled for one of them and then run by the others.
#define BAYOU_VECTOR(bytes) __attribute__((vector_size(bytes)))
#define BAYOU_LOOSE_VECTOR(bytes) __attribute__((vector_size(bytes), aligned(8), may_alias))
#define BAYOU_INFINITY __builtin_inf()
#define BAYOU_NAN __builtin_nan("")
#define BAYOU_SQUARE_ROOT(x) __builtin_sqrt(x)
#if defined(__clang__)
#define BAYOU_PICK(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
#define BAYOU_PICK(a, b, i, j, k, l) __builtin_shuffle(a, b, FourIntegers{i, j, k, l})
#endif

// All functions of the file with vectors in their signature are inlined: no warning about how they would be passed.
#define BAYOU_VECTORS_STAY_INSIDE _Pragma("GCC diagnostic ignored \"-Wpsabi\"")

// Memory that will be read (or written, if 1 follows the address) soon.
#define BAYOU_PREFETCH(...) __builtin_prefetch(__VA_ARGS__)

// Before a loop whose turns do not depend on each other, which the compiler cannot see.
#if defined(__clang__)
#define BAYOU_INDEPENDENT_TURNS _Pragma("clang loop vectorize(assume_safety)")
#else
#define BAYOU_INDEPENDENT_TURNS _Pragma("GCC ivdep")
#endif

namespace bayou {

struct LongProduct {
    std::uint64_t high, low;
};

// All 128 bits of a product.
inline LongProduct long_product(std::uint64_t a, std::uint64_t b) {
    const auto product = static_cast<unsigned __int128>(a) * b;
    return {static_cast<std::uint64_t>(product >> 64), static_cast<std::uint64_t>(product)};
}

// A product or a sum; true where it does not fit.
template <typename A, typename B, typename T>
inline bool product_overflows(A a, B b, T* product) {
    return __builtin_mul_overflow(a, b, product);
}
template <typename A, typename B, typename T>
inline bool sum_overflows(A a, B b, T* sum) {
    return __builtin_add_overflow(a, b, sum);
}

// The place of the lowest bit that is set; x is not 0.
inline int lowest_bit(std::uint32_t x) { return __builtin_ctz(x); }
inline int lowest_bit(std::uint64_t x) { return __builtin_ctzll(x); }

inline std::uint64_t bytes_reversed(std::uint64_t x) { return __builtin_bswap64(x); }

// log Γ(x) for x > 0 without the global that std::lgamma of glibc writes.
inline double log_gamma(double x) {
#if defined(__GLIBC__)
    int sign;
    return ::lgamma_r(x, &sign);
#else
    return std::lgamma(x);
#endif
}

// Which registers the system keeps for each program; only where the processor has this instruction.
inline unsigned kept_registers() {
    unsigned low = 0, high = 0;
#if BAYOU_X86
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
#endif
    return low;
}

// The loop that calls this waits for another thread.
inline void pause_briefly() {
#if BAYOU_X86
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

}  // namespace bayou
