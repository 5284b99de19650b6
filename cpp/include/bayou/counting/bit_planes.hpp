// One-hot bit planes: plane s of a column has bit i set where row i is in state s. A missing cell is in no
// plane, so an AND of planes excludes such rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace bayou {

// Planes are whole groups of this many 64-bit words (2048 rows), zero beyond the last row.
constexpr std::size_t plane_group_words = 32;
constexpr std::size_t plane_group_rows = 64 * plane_group_words;

inline std::size_t plane_words(std::size_t rows) {
    return (rows + plane_group_rows - 1) / plane_group_rows * plane_group_words;
}

struct PlaneKernels {
    const char* name;
    // Writes `card` planes of `words` words each. False if a code is neither below card nor 255.
    bool (*one_hot)(const std::uint8_t* codes, std::size_t rows, unsigned card, std::size_t words,
                    std::uint64_t* planes);
    // counts[i * row_stride + j] += popcount(a_i AND b_j) for every i < na, j < nb.
    void (*count_grid)(const std::uint64_t* a, std::size_t na, const std::uint64_t* b, std::size_t nb,
                       std::size_t words, std::int64_t* counts, std::size_t row_stride);
    // out = a AND b; true if any bit is set.
    bool (*intersect)(const std::uint64_t* a, const std::uint64_t* b, std::size_t words, std::uint64_t* out);
};

// The fastest kernels that this processor runs; all give the same numbers.
const PlaneKernels& plane_kernels();

const PlaneKernels& portable_plane_kernels();
const PlaneKernels& avx2_plane_kernels();
const PlaneKernels& avx512_plane_kernels();

// 64-byte aligned words, not initialised.
class PlaneBuffer {
  public:
    explicit PlaneBuffer(std::size_t words = 0)
        : words_(words ? static_cast<std::uint64_t*>(::operator new(words * 8, std::align_val_t{64})) : nullptr) {}
    std::uint64_t* data() { return words_.get(); }
    const std::uint64_t* data() const { return words_.get(); }

  private:
    struct Free {
        void operator()(std::uint64_t* words) const { ::operator delete(words, std::align_val_t{64}); }
    };
    std::unique_ptr<std::uint64_t[], Free> words_;
};

}  // namespace bayou
