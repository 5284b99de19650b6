// Few cuts: every value is compared with every cut, without a branch, several values at a time. Many cuts: a
// binary search whose steps are conditional moves.
#include "bayou/data/digitise.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "bayou/base/cpu.hpp"
#include "bayou/base/threads.hpp"

namespace bayou {

namespace {

constexpr std::size_t few_cuts = 48;       // up to here comparing with all is faster
constexpr std::size_t block_rows = 1024;   // a multiple of `lanes`; fits the first cache
constexpr std::size_t task_rows = 1 << 16;
constexpr std::size_t lanes = 16;

using Count = std::int64_t;  // as wide as a double, so that the compiler adds the masks as they are

BAYOU_INLINE void compare_body(const double* values, const double* cuts, std::size_t n_cuts, Count* counts) {
    for (std::size_t at = 0; at < block_rows; at += lanes) {
        Count count[lanes] = {};
        for (std::size_t cut = 0; cut < n_cuts; ++cut) {
            for (std::size_t i = 0; i < lanes; ++i) count[i] += values[at + i] > cuts[cut];
        }
        for (std::size_t i = 0; i < lanes; ++i) counts[at + i] = count[i];
    }
}

void compare_plain(const double* values, const double* cuts, std::size_t n_cuts, Count* counts) {
    compare_body(values, cuts, n_cuts, counts);
}
BAYOU_TARGET_AVX2 void compare_avx2(const double* values, const double* cuts, std::size_t n_cuts, Count* counts) {
    compare_body(values, cuts, n_cuts, counts);
}

// Several searches side by side: none waits for the others' memory.
void search(const double* values, const double* cuts, std::size_t n_cuts, Count* counts) {
    for (std::size_t at = 0; at < block_rows; at += lanes) {
        std::size_t base[lanes] = {};
        std::size_t length = n_cuts;
        for (; length > 1; length -= length / 2) {
            const std::size_t half = length / 2;
            for (std::size_t i = 0; i < lanes; ++i) {
                base[i] += cuts[base[i] + half - 1] < values[at + i] ? half : 0;
            }
        }
        for (std::size_t i = 0; i < lanes; ++i) {
            counts[at + i] = static_cast<Count>(base[i] + (cuts[base[i]] < values[at + i]));
        }
    }
}

template <typename Number>
void load(const NumberView& view, std::size_t first, std::size_t rows, double* values) {
    const Number* start = static_cast<const Number*>(view.data) + static_cast<std::ptrdiff_t>(first) * view.stride;
    if (view.stride == 1) {
        for (std::size_t i = 0; i < rows; ++i) values[i] = static_cast<double>(start[i]);
    } else {
        for (std::size_t i = 0; i < rows; ++i) {
            values[i] = static_cast<double>(start[static_cast<std::ptrdiff_t>(i) * view.stride]);
        }
    }
}

using Load = void (*)(const NumberView&, std::size_t, std::size_t, double*);

Load loader(NumberType type) {
    switch (type) {
        case NumberType::f64: return load<double>;
        case NumberType::f32: return load<float>;
        case NumberType::i8: return load<std::int8_t>;
        case NumberType::i16: return load<std::int16_t>;
        case NumberType::i32: return load<std::int32_t>;
        case NumberType::i64: return load<std::int64_t>;
        case NumberType::u8: return load<std::uint8_t>;
        case NumberType::u16: return load<std::uint16_t>;
        case NumberType::u32: return load<std::uint32_t>;
        case NumberType::u64: return load<std::uint64_t>;
    }
    throw std::invalid_argument("unknown type of numbers");
}

template <typename Code>
void check_cuts(const double* cuts, std::size_t n_cuts) {
    for (std::size_t cut = 0; cut < n_cuts; ++cut) {
        if (cuts[cut] != cuts[cut]) throw std::invalid_argument("cut " + std::to_string(cut) + " is NaN");
        if (cut > 0 && !(cuts[cut - 1] < cuts[cut])) {
            throw std::invalid_argument("cuts must ascend: cut " + std::to_string(cut) +
                                        " is not above the one before");
        }
    }
    if (n_cuts >= std::numeric_limits<Code>::max()) {
        throw std::invalid_argument(std::to_string(n_cuts) + " cuts leave no room for 'missing' in codes of " +
                                    std::to_string(8 * sizeof(Code)) + " bits");
    }
}

}  // namespace

template <typename Code>
void digitise(const NumberView& values, const double* cuts, std::size_t n_cuts, Code* codes, int threads) {
    check_cuts<Code>(cuts, n_cuts);
    const auto count = n_cuts > few_cuts ? search : cpu_has_avx2() ? compare_avx2 : compare_plain;
    const Load load_block = loader(values.type);
    const std::size_t tasks = (values.rows + task_rows - 1) / task_rows;
    parallel_for(tasks, threads, [&](std::size_t task, int) {
        double block[block_rows] = {};
        Count counts[block_rows];
        const std::size_t end = std::min(values.rows, (task + 1) * task_rows);
        for (std::size_t first = task * task_rows; first < end; first += block_rows) {
            const std::size_t rows = std::min(block_rows, end - first);
            load_block(values, first, rows, block);
            count(block, cuts, n_cuts, counts);
            for (std::size_t i = 0; i < rows; ++i) {
                const Count code = block[i] == block[i] ? counts[i] : std::numeric_limits<Code>::max();
                codes[first + i] = static_cast<Code>(code);
            }
        }
    });
}

template void digitise(const NumberView&, const double*, std::size_t, std::uint8_t*, int);
template void digitise(const NumberView&, const double*, std::size_t, std::uint16_t*, int);
template void digitise(const NumberView&, const double*, std::size_t, std::uint32_t*, int);

}  // namespace bayou
