#include "bayou/tables/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include "bayou/base/cpu.hpp"
#include "bayou/base/threads.hpp"
#include "bayou/data/codes.hpp"

#if BAYOU_X86
#include <immintrin.h>
#endif

namespace bayou {

namespace {

constexpr std::size_t task_rows = 16384;
constexpr std::size_t block_rows = 256;
constexpr double rounding = 1e-9;  // by which sums of probabilities may exceed 1

// The ten rounds for one counter.
BAYOU_INLINE void rounds(std::uint32_t& c0, std::uint32_t& c1, std::uint32_t& c2, std::uint32_t& c3,
                         std::uint32_t k0, std::uint32_t k1) {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t p0 = std::uint64_t{0xD2511F53u} * c0;
        const std::uint64_t p1 = std::uint64_t{0xCD9E8D57u} * c2;
        c0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ k0;
        c1 = static_cast<std::uint32_t>(p1);
        c2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ k1;
        c3 = static_cast<std::uint32_t>(p0);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
}

// 53 random bits as a number in [0, 1).
BAYOU_INLINE double unit(std::uint32_t low, std::uint32_t high) {
    return static_cast<double>(static_cast<std::int64_t>((std::uint64_t{high} << 32 | low) >> 11)) * 0x1p-53;
}

BAYOU_INLINE void uniforms_body(const StreamOfRows& source, std::size_t first, std::size_t rows,
                                double* first_of_two, double* second_of_two) {
    const auto k0 = static_cast<std::uint32_t>(source.seed), k1 = static_cast<std::uint32_t>(source.seed >> 32);
    const auto s0 = static_cast<std::uint32_t>(source.stream);
    const auto s1 = static_cast<std::uint32_t>(source.stream >> 32);
    for (std::size_t row = 0; row < rows; ++row) {
        const std::uint64_t counter = source.first_row + first + row;
        std::uint32_t c0 = static_cast<std::uint32_t>(counter), c1 = static_cast<std::uint32_t>(counter >> 32);
        std::uint32_t c2 = s0, c3 = s1;
        rounds(c0, c1, c2, c3, k0, k1);
        first_of_two[row] = unit(c0, c1);
        second_of_two[row] = unit(c2, c3);
    }
}

BAYOU_INLINE void first_uniforms_body(const StreamOfRows& source, std::size_t first, std::size_t rows, double* out) {
    const auto k0 = static_cast<std::uint32_t>(source.seed), k1 = static_cast<std::uint32_t>(source.seed >> 32);
    for (std::size_t row = 0; row < rows; ++row) {
        const std::uint64_t counter = source.first_row + first + row;
        std::uint32_t c0 = static_cast<std::uint32_t>(counter), c1 = static_cast<std::uint32_t>(counter >> 32);
        auto c2 = static_cast<std::uint32_t>(source.stream), c3 = static_cast<std::uint32_t>(source.stream >> 32);
        rounds(c0, c1, c2, c3, k0, k1);
        out[row] = unit(c0, c1);
    }
}

BAYOU_INLINE void words_body(const StreamOfRows& source, std::size_t first, std::size_t rows, std::uint64_t* low_words,
                             std::uint64_t* high_words) {
    const auto k0 = static_cast<std::uint32_t>(source.seed), k1 = static_cast<std::uint32_t>(source.seed >> 32);
    for (std::size_t row = 0; row < rows; ++row) {
        const std::uint64_t counter = source.first_row + first + row;
        std::uint32_t c0 = static_cast<std::uint32_t>(counter), c1 = static_cast<std::uint32_t>(counter >> 32);
        auto c2 = static_cast<std::uint32_t>(source.stream), c3 = static_cast<std::uint32_t>(source.stream >> 32);
        rounds(c0, c1, c2, c3, k0, k1);
        low_words[row] = std::uint64_t{c1} << 32 | c0;
        high_words[row] = std::uint64_t{c3} << 32 | c2;
    }
}

void words_plain(const StreamOfRows& source, std::size_t rows, std::uint64_t* first, std::uint64_t* second) {
    words_body(source, 0, rows, first, second);
}

void uniforms_plain(const StreamOfRows& source, std::size_t first, std::size_t rows, double* x, double* y) {
    uniforms_body(source, first, rows, x, y);
}

void first_uniforms_plain(const StreamOfRows& source, std::size_t rows, double* out) {
    first_uniforms_body(source, 0, rows, out);
}

#if BAYOU_X86
// Four counters at a time. A word is the low half of a 64-bit lane; the high half may hold anything, because
// the multiplication reads low halves only.
BAYOU_TARGET_AVX2 inline void rounds_avx2(__m256i c[4], std::uint64_t key) {
    const __m256i m0 = _mm256_set1_epi64x(0xD2511F53), m1 = _mm256_set1_epi64x(0xCD9E8D57);
    auto k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
    for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
        const __m256i p0 = _mm256_mul_epu32(m0, c[0]), p1 = _mm256_mul_epu32(m1, c[2]);
        c[0] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p1, 32), c[1]), _mm256_set1_epi64x(k0));
        c[1] = p1;
        c[2] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p0, 32), c[3]), _mm256_set1_epi64x(k1));
        c[3] = p0;
    }
}

// The 53 bits of `low` and `high` as numbers in [0, 1).
BAYOU_TARGET_AVX2 inline void units_avx2(__m256i low, __m256i high, double* out) {
    const __m256i both = _mm256_blend_epi32(low, _mm256_slli_epi64(high, 32), 0xAA);
    const __m256i bits = _mm256_srli_epi64(both, 11);
    // The low 32 bits become a number 2^52 + low, the others 2^84 + high · 2^32: both sums below are exact.
    const __m256i low_part = _mm256_blend_epi32(bits, _mm256_set1_epi64x(0x4330000000000000), 0xAA);
    const __m256i high_part = _mm256_or_si256(_mm256_srli_epi64(bits, 32), _mm256_set1_epi64x(0x4530000000000000));
    const __m256d above = _mm256_sub_pd(_mm256_castsi256_pd(high_part), _mm256_set1_pd(0x1p84 + 0x1p52));
    const __m256d sum = _mm256_add_pd(above, _mm256_castsi256_pd(low_part));
    _mm256_storeu_pd(out, _mm256_mul_pd(sum, _mm256_set1_pd(0x1p-53)));
}

BAYOU_TARGET_AVX2 void uniforms_avx2(const StreamOfRows& source, std::size_t first, std::size_t rows,
                                     double* x, double* y) {
    std::size_t row = 0;
    for (; row + 4 <= rows; row += 4) {
        const __m256i counter =
            _mm256_add_epi64(_mm256_set1_epi64x(static_cast<std::int64_t>(source.first_row + first + row)),
                             _mm256_setr_epi64x(0, 1, 2, 3));
        const auto stream = static_cast<std::int64_t>(source.stream);
        __m256i c[4] = {counter, _mm256_srli_epi64(counter, 32), _mm256_set1_epi64x(stream),
                        _mm256_srli_epi64(_mm256_set1_epi64x(stream), 32)};
        rounds_avx2(c, source.seed);
        units_avx2(c[0], c[1], x + row);
        units_avx2(c[2], c[3], y + row);
    }
    uniforms_body(source, first + row, rows - row, x + row, y + row);
}

// The first of the two numbers only, eight counters at a time.
BAYOU_TARGET_AVX2 void first_uniforms_avx2(const StreamOfRows& source, std::size_t rows, double* out) {
    std::size_t row = 0;
    const auto stream = static_cast<std::int64_t>(source.stream);
    const __m256i low = _mm256_set1_epi64x(stream), high = _mm256_srli_epi64(low, 32);
    for (; row + 8 <= rows; row += 8) {
        const __m256i start = _mm256_set1_epi64x(static_cast<std::int64_t>(source.first_row + row));
        const __m256i one = _mm256_add_epi64(start, _mm256_setr_epi64x(0, 1, 2, 3));
        const __m256i two = _mm256_add_epi64(start, _mm256_setr_epi64x(4, 5, 6, 7));
        __m256i c[4] = {one, _mm256_srli_epi64(one, 32), low, high};
        __m256i d[4] = {two, _mm256_srli_epi64(two, 32), low, high};
        rounds_avx2(c, source.seed);
        rounds_avx2(d, source.seed);
        units_avx2(c[0], c[1], out + row);
        units_avx2(d[0], d[1], out + row + 4);
    }
    first_uniforms_body(source, row, rows - row, out + row);
}

BAYOU_TARGET_AVX2 inline void words_to(__m256i low, __m256i high, std::uint64_t* out) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_blend_epi32(low, _mm256_slli_epi64(high, 32), 0xAA));
}

// Both words, eight counters at a time.
BAYOU_TARGET_AVX2 void words_avx2(const StreamOfRows& source, std::size_t rows, std::uint64_t* first,
                                  std::uint64_t* second) {
    std::size_t row = 0;
    const auto stream = static_cast<std::int64_t>(source.stream);
    const __m256i low = _mm256_set1_epi64x(stream), high = _mm256_srli_epi64(low, 32);
    for (; row + 8 <= rows; row += 8) {
        const __m256i start = _mm256_set1_epi64x(static_cast<std::int64_t>(source.first_row + row));
        const __m256i one = _mm256_add_epi64(start, _mm256_setr_epi64x(0, 1, 2, 3));
        const __m256i two = _mm256_add_epi64(start, _mm256_setr_epi64x(4, 5, 6, 7));
        __m256i c[4] = {one, _mm256_srli_epi64(one, 32), low, high};
        __m256i d[4] = {two, _mm256_srli_epi64(two, 32), low, high};
        rounds_avx2(c, source.seed);
        rounds_avx2(d, source.seed);
        words_to(c[0], c[1], first + row);
        words_to(c[2], c[3], second + row);
        words_to(d[0], d[1], first + row + 4);
        words_to(d[2], d[3], second + row + 4);
    }
    words_body(source, row, rows - row, first + row, second + row);
}
#else
constexpr auto words_avx2 = words_plain;
constexpr auto uniforms_avx2 = uniforms_plain;
constexpr auto first_uniforms_avx2 = first_uniforms_plain;
#endif

// Calls body(first row, rows, uniforms, further uniforms) for blocks of rows.
template <typename Body>
void for_uniforms(const StreamOfRows& source, std::size_t n, int threads, const Body& body) {
    const auto fill = cpu_has_avx2() ? uniforms_avx2 : uniforms_plain;
    parallel_for((n + task_rows - 1) / task_rows, threads, [&](std::size_t task, int) {
        double x[block_rows], y[block_rows];
        const std::size_t end = std::min(n, (task + 1) * task_rows);
        for (std::size_t first = task * task_rows; first < end; first += block_rows) {
            const std::size_t rows = std::min(block_rows, end - first);
            fill(source, first, rows, x, y);
            body(first, rows, x, y);
        }
    });
}

// The last state of each row with a positive probability: it gets the remainder that rounding leaves below 1.
std::vector<std::size_t> last_states(const CumulativeTable& table) {
    std::vector<std::size_t> last(table.groups);
    for (std::size_t group = 0; group < table.groups; ++group) {
        const double* row = table.values + group * table.states;
        std::size_t state = table.states - 1;
        while (state > 0 && row[state] == row[state - 1]) --state;
        last[group] = state;
    }
    return last;
}

// The first state whose cumulative probability is above u. A state of probability 0 has the same cumulative
// value as the one before it (or 0), so it is never the first.
std::size_t find_state(const double* row, std::size_t last, double u) {
    if (last > 16) return static_cast<std::size_t>(std::upper_bound(row, row + last, u) - row);
    std::size_t state = 0;  // counted without a branch, which random numbers would mispredict
    for (std::size_t before = 0; before < last; ++before) state += u >= row[before];
    return state;
}

[[noreturn]] void bad_group(std::size_t row, std::uint32_t group, std::size_t groups) {
    throw std::invalid_argument("groups, row " + std::to_string(row) + ": group " + std::to_string(group) +
                                " is not below the number of groups, " + std::to_string(groups));
}

void check_rows(const StreamOfRows& source, std::size_t n) {
    if (source.first_row + n < source.first_row) {
        throw std::invalid_argument("first_row + n is beyond 2**64: rows are counted in 64 bits");
    }
}

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
    rounds(counter[0], counter[1], counter[2], counter[3], key[0], key[1]);
    return counter;
}

void uniforms(const StreamOfRows& source, std::size_t rows, double* out) {
    static const auto fill = cpu_has_avx2() ? first_uniforms_avx2 : first_uniforms_plain;
    fill(source, rows, out);
}

void random_words(const StreamOfRows& source, std::size_t rows, std::uint64_t* first, std::uint64_t* second) {
    static const auto fill = cpu_has_avx2() ? words_avx2 : words_plain;
    fill(source, rows, first, second);
}

void check_cumulative(const CumulativeTable& table) {
    if (table.states == 0) throw std::invalid_argument("cumulative has no states: expected at least one");
    for (std::size_t group = 0; group < table.groups; ++group) {
        double before = 0.0;
        for (std::size_t state = 0; state < table.states; ++state) {
            const double value = table.values[group * table.states + state];
            if (!(value >= before && value <= 1.0 + rounding)) {
                throw std::invalid_argument("cumulative, group " + std::to_string(group) + ", state " +
                                            std::to_string(state) + ": " + std::to_string(value) +
                                            " is below the entry before it, or outside 0..1");
            }
            before = value;
        }
        if (before == 0.0) {
            throw std::invalid_argument("cumulative, group " + std::to_string(group) +
                                        ": no state has a positive probability");
        }
    }
}

template <typename Code>
void sample_categorical(const StreamOfRows& source, const std::uint32_t* groups, const CumulativeTable& table,
                        std::size_t n, Code* out, int threads) {
    check_rows(source, n);
    check_cumulative(table);
    const std::vector<std::size_t> last = last_states(table);
    const auto absent = static_cast<Code>(~Code{0});
    for_uniforms(source, n, threads, [&](std::size_t first, std::size_t rows, const double* u, const double*) {
        for (std::size_t row = 0; row < rows; ++row) {
            const std::uint32_t group = groups ? groups[first + row] : 0;
            if (group == missing_index) {
                out[first + row] = absent;
                continue;
            }
            if (group >= table.groups) bad_group(first + row, group, table.groups);
            const double* cumulative = table.values + group * table.states;
            out[first + row] = static_cast<Code>(find_state(cumulative, last[group], u[row]));
        }
    });
}

template void sample_categorical(const StreamOfRows&, const std::uint32_t*, const CumulativeTable&,
                                 std::size_t, std::uint8_t*, int);
template void sample_categorical(const StreamOfRows&, const std::uint32_t*, const CumulativeTable&,
                                 std::size_t, std::uint16_t*, int);
template void sample_categorical(const StreamOfRows&, const std::uint32_t*, const CumulativeTable&,
                                 std::size_t, std::uint32_t*, int);

void sample_normal(const StreamOfRows& source, std::size_t n, double* out, int threads) {
    check_rows(source, n);
    for_uniforms(source, n, threads, [&](std::size_t first, std::size_t rows, const double* u, const double* v) {
        for (std::size_t row = 0; row < rows; ++row) {
            const double radius = std::sqrt(-2.0 * std::log(1.0 - u[row]));  // 1 - u is exact, and above 0
            out[first + row] = radius * std::cos(2.0 * std::numbers::pi * v[row]);
        }
    });
}

}  // namespace bayou
