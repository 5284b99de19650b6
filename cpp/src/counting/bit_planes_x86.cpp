// Bit-plane kernels for x86-64 with AVX2 (carry-save adders, then a nibble look-up) and with AVX-512's
// vector popcount. No alignment is assumed: unaligned loads cost nothing where the data is aligned.
#include "bayou/base/cpu.hpp"
#include "bayou/counting/bit_planes.hpp"

#if BAYOU_X86
#include <immintrin.h>

#include <cstring>

namespace bayou {

namespace {

using Word = std::uint64_t;

BAYOU_TARGET_AVX2 inline __m256i load(const Word* at) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
}

BAYOU_TARGET_AVX2 inline __m256i load_and(const Word* x, const Word* y) {
    return _mm256_and_si256(load(x), load(y));
}

// Full adder of three bit vectors: `low` takes the sum, the carry is returned.
BAYOU_TARGET_AVX2 inline __m256i carry_save(__m256i& low, __m256i x, __m256i y) {
    const __m256i half = _mm256_xor_si256(x, y);  // without `low`, so that calls wait less for each other
    const __m256i carry = _mm256_or_si256(_mm256_and_si256(x, y), _mm256_and_si256(half, low));
    low = _mm256_xor_si256(half, low);
    return carry;
}

// The number of set bits in each byte.
BAYOU_TARGET_AVX2 inline __m256i byte_popcount(__m256i bits) {
    const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
                                           0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i nibble = _mm256_set1_epi8(15);
    const __m256i low = _mm256_shuffle_epi8(table, _mm256_and_si256(bits, nibble));
    const __m256i high =
        _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(bits, 4), nibble));
    return _mm256_add_epi8(low, high);
}

BAYOU_TARGET_AVX2 inline std::int64_t lane_sum(__m256i lanes) {
    const __m128i two = _mm_add_epi64(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
    return _mm_cvtsi128_si64(two) + _mm_extract_epi64(two, 1);
}

// popcount(x AND y): Harley and Seal's tree of carry-save adders over groups of eight vectors.
BAYOU_TARGET_AVX2 inline std::int64_t count_and(const Word* x, const Word* y, std::size_t words) {
    const __m256i zero = _mm256_setzero_si256();
    __m256i ones = zero, twos = zero, fours = zero, eights_total = zero;
    std::size_t word = 0;
    while (word < words) {
        // Each group adds at most 8 to a byte: 31 groups before the bytes must be widened.
        const std::size_t stop = words - word > 31 * 32 ? word + 31 * 32 : words;
        __m256i eights_bytes = zero;
        for (; word < stop; word += 32) {
            const Word *p = x + word, *q = y + word;
            const __m256i two_a = carry_save(ones, load_and(p, q), load_and(p + 4, q + 4));
            const __m256i two_b = carry_save(ones, load_and(p + 8, q + 8), load_and(p + 12, q + 12));
            const __m256i four_a = carry_save(twos, two_a, two_b);
            const __m256i two_c = carry_save(ones, load_and(p + 16, q + 16), load_and(p + 20, q + 20));
            const __m256i two_d = carry_save(ones, load_and(p + 24, q + 24), load_and(p + 28, q + 28));
            const __m256i four_b = carry_save(twos, two_c, two_d);
            eights_bytes = _mm256_add_epi8(eights_bytes, byte_popcount(carry_save(fours, four_a, four_b)));
        }
        eights_total = _mm256_add_epi64(eights_total, _mm256_sad_epu8(eights_bytes, zero));
    }
    __m256i rest = byte_popcount(fours);
    rest = _mm256_add_epi8(_mm256_add_epi8(rest, rest), byte_popcount(twos));
    rest = _mm256_add_epi8(_mm256_add_epi8(rest, rest), byte_popcount(ones));
    const __m256i total =
        _mm256_add_epi64(_mm256_slli_epi64(eights_total, 3), _mm256_sad_epu8(rest, zero));
    return lane_sum(total);
}

BAYOU_TARGET_AVX2 void count_grid_avx2(const Word* a, std::size_t na, const Word* b, std::size_t nb,
                                       std::size_t words, std::int64_t* counts, std::size_t row_stride) {
    for (std::size_t i = 0; i < na; ++i) {
        for (std::size_t j = 0; j < nb; ++j) {
            counts[i * row_stride + j] += count_and(a + i * words, b + j * words, words);
        }
    }
}

BAYOU_TARGET_AVX2 bool intersect_avx2(const Word* a, const Word* b, std::size_t words, Word* out) {
    __m256i any = _mm256_setzero_si256();
    for (std::size_t word = 0; word < words; word += 4) {
        const __m256i both = load_and(a + word, b + word);
        any = _mm256_or_si256(any, both);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + word), both);
    }
    return !_mm256_testz_si256(any, any);
}

// The planes of 64 rows; `bad` gathers the codes out of range.
BAYOU_TARGET_AVX2 inline void one_hot_word(const std::uint8_t* codes, unsigned card, std::size_t words,
                                           Word* planes, __m256i& bad) {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes + 32));
    const __m256i limit = _mm256_set1_epi8(static_cast<char>(card));
    const __m256i missing = _mm256_set1_epi8(-1);
    const __m256i low_over = _mm256_cmpeq_epi8(_mm256_max_epu8(low, limit), low);
    const __m256i high_over = _mm256_cmpeq_epi8(_mm256_max_epu8(high, limit), high);
    bad = _mm256_or_si256(bad, _mm256_andnot_si256(_mm256_cmpeq_epi8(low, missing), low_over));
    bad = _mm256_or_si256(bad, _mm256_andnot_si256(_mm256_cmpeq_epi8(high, missing), high_over));
    for (unsigned state = 0; state < card; ++state) {
        const __m256i wanted = _mm256_set1_epi8(static_cast<char>(state));
        const auto first = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, wanted)));
        const auto second = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, wanted)));
        planes[state * words] = Word{first} | Word{second} << 32;
    }
}

BAYOU_TARGET_AVX2 bool one_hot_avx2(const std::uint8_t* codes, std::size_t rows, unsigned card,
                                    std::size_t words, Word* planes) {
    __m256i bad = _mm256_setzero_si256();
    const std::size_t whole = rows / 64;
    for (std::size_t word = 0; word < whole; ++word) {
        one_hot_word(codes + 64 * word, card, words, planes + word, bad);
    }
    if (whole < words) {
        std::uint8_t padded[64];
        std::memset(padded, 255, sizeof padded);
        if (rows % 64) std::memcpy(padded, codes + 64 * whole, rows % 64);
        one_hot_word(padded, card, words, planes + whole, bad);
        for (unsigned state = 0; state < card; ++state) {
            std::memset(planes + state * words + whole + 1, 0, (words - whole - 1) * sizeof(Word));
        }
    }
    return _mm256_testz_si256(bad, bad);
}

// A block of NA x NB cells kept in registers: NA + NB loads for NA * NB counts.
template <int NA, int NB>
BAYOU_TARGET_AVX512 void count_block_avx512(const Word* a, const Word* b, std::size_t words,
                                            std::int64_t* counts, std::size_t row_stride) {
    __m512i total[NA][NB];
    for (auto& row : total) {
        for (auto& cell : row) cell = _mm512_setzero_si512();
    }
    for (std::size_t word = 0; word < words; word += 8) {
        __m512i y[NB];
        for (int j = 0; j < NB; ++j) y[j] = _mm512_loadu_si512(b + j * words + word);
        for (int i = 0; i < NA; ++i) {
            const __m512i x = _mm512_loadu_si512(a + i * words + word);
            for (int j = 0; j < NB; ++j) {
                total[i][j] = _mm512_add_epi64(total[i][j], _mm512_popcnt_epi64(_mm512_and_si512(x, y[j])));
            }
        }
    }
    for (int i = 0; i < NA; ++i) {
        for (int j = 0; j < NB; ++j) {
            std::int64_t lanes[8];
            _mm512_storeu_si512(lanes, total[i][j]);
            for (const std::int64_t lane : lanes) counts[i * row_stride + j] += lane;
        }
    }
}

template <int NA>
BAYOU_TARGET_AVX512 void count_rows_avx512(const Word* a, const Word* b, std::size_t nb, std::size_t words,
                                           std::int64_t* counts, std::size_t row_stride) {
    std::size_t j = 0;
    for (; j + 3 <= nb; j += 3) count_block_avx512<NA, 3>(a, b + j * words, words, counts + j, row_stride);
    if (nb - j == 2) count_block_avx512<NA, 2>(a, b + j * words, words, counts + j, row_stride);
    if (nb - j == 1) count_block_avx512<NA, 1>(a, b + j * words, words, counts + j, row_stride);
}

BAYOU_TARGET_AVX512 void count_grid_avx512(const Word* a, std::size_t na, const Word* b, std::size_t nb,
                                           std::size_t words, std::int64_t* counts,
                                           std::size_t row_stride) {
    std::size_t i = 0;
    for (; i + 3 <= na; i += 3) {
        count_rows_avx512<3>(a + i * words, b, nb, words, counts + i * row_stride, row_stride);
    }
    if (na - i == 2) count_rows_avx512<2>(a + i * words, b, nb, words, counts + i * row_stride, row_stride);
    if (na - i == 1) count_rows_avx512<1>(a + i * words, b, nb, words, counts + i * row_stride, row_stride);
}

}  // namespace

const PlaneKernels& avx2_plane_kernels() {
    static const PlaneKernels kernels{"avx2", one_hot_avx2, count_grid_avx2, intersect_avx2};
    return kernels;
}

const PlaneKernels& avx512_plane_kernels() {
    static const PlaneKernels kernels{"avx512", one_hot_avx2, count_grid_avx512, intersect_avx2};
    return kernels;
}

}  // namespace bayou
#endif
