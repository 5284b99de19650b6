// The portable kernels, and the choice between them and those for one processor.
#include "bayou/counting/bit_planes.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "bayou/base/cpu.hpp"

namespace bayou {

namespace {

// Bit i is set where byte i of the 64 is `state`: eight bytes at a time, an exact search for zero bytes,
// then one multiplication gathers the eight flags.
std::uint64_t equal_bits(const std::uint8_t* bytes, std::uint8_t state) {
    std::uint64_t bits = 0;
    if constexpr (std::endian::native == std::endian::little) {
        constexpr std::uint64_t low7 = 0x7F7F7F7F7F7F7F7Full;
        const std::uint64_t wanted = 0x0101010101010101ull * state;
        for (int part = 0; part < 8; ++part) {
            std::uint64_t word;
            std::memcpy(&word, bytes + 8 * part, 8);
            word ^= wanted;
            const std::uint64_t zero = ~(((word & low7) + low7) | word | low7);
            bits |= (((zero >> 7) * 0x0102040810204080ull) >> 56) << (8 * part);
        }
    } else {
        for (int row = 0; row < 64; ++row) bits |= std::uint64_t{bytes[row] == state} << row;
    }
    return bits;
}

bool one_hot(const std::uint8_t* codes, std::size_t rows, unsigned card, std::size_t words,
             std::uint64_t* planes) {
    bool bad = false;
    for (std::size_t row = 0; row < rows; ++row) bad |= (codes[row] >= card) & (codes[row] != 255);
    for (std::size_t word = 0; word < words; ++word) {
        std::uint8_t padded[64];
        const std::uint8_t* bytes = codes + 64 * word;
        if (64 * word + 64 > rows) {
            const std::size_t left = rows > 64 * word ? rows - 64 * word : 0;
            std::memset(padded, 255, sizeof padded);
            if (left) std::memcpy(padded, bytes, left);
            bytes = padded;
        }
        for (unsigned state = 0; state < card; ++state) {
            planes[state * words + word] = equal_bits(bytes, static_cast<std::uint8_t>(state));
        }
    }
    return !bad;
}

void count_grid(const std::uint64_t* a, std::size_t na, const std::uint64_t* b, std::size_t nb,
                std::size_t words, std::int64_t* counts, std::size_t row_stride) {
    for (std::size_t i = 0; i < na; ++i) {
        for (std::size_t j = 0; j < nb; ++j) {
            const std::uint64_t* x = a + i * words;
            const std::uint64_t* y = b + j * words;
            std::int64_t total = 0;
            for (std::size_t word = 0; word < words; ++word) total += std::popcount(x[word] & y[word]);
            counts[i * row_stride + j] += total;
        }
    }
}

bool intersect(const std::uint64_t* a, const std::uint64_t* b, std::size_t words, std::uint64_t* out) {
    std::uint64_t any = 0;
    for (std::size_t word = 0; word < words; ++word) any |= out[word] = a[word] & b[word];
    return any != 0;
}

const PlaneKernels& choose() {
    // For tests: run the kernels of older processors on this one.
    const char* wish = std::getenv("BAYOU_PLANE_KERNELS");
    if (wish && std::string_view(wish) == "portable") return portable_plane_kernels();
    if (wish && std::string_view(wish) == "avx2" && cpu_has_avx2()) return avx2_plane_kernels();
    if (cpu_has_avx512_popcount()) return avx512_plane_kernels();
    return cpu_has_avx2() ? avx2_plane_kernels() : portable_plane_kernels();
}

}  // namespace

const PlaneKernels& portable_plane_kernels() {
    static const PlaneKernels kernels{"portable", one_hot, count_grid, intersect};
    return kernels;
}

const PlaneKernels& plane_kernels() {
    static const PlaneKernels& chosen = choose();
    return chosen;
}

#if !BAYOU_X86
const PlaneKernels& avx2_plane_kernels() { return portable_plane_kernels(); }
const PlaneKernels& avx512_plane_kernels() { return portable_plane_kernels(); }
#endif

}  // namespace bayou
