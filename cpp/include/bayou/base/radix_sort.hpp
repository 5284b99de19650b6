// Sorting doubles together with their payloads, in linear time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

namespace bayou {

// Keys in the order of the doubles; -0.0 and 0.0 have one key. Not for NaN.
inline std::uint64_t sortable_key(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
    return bits ^ (bits >> 63 ? ~std::uint64_t{0} : std::uint64_t{1} << 63);
}

inline double value_of_key(std::uint64_t key) {
    return std::bit_cast<double>(key ^ (key >> 63 ? std::uint64_t{1} << 63 : ~std::uint64_t{0}));
}

// Keys with their payloads, and room for as many more while they are sorted; the room is not cleared first.
template <typename Payload>
class KeyedRows {
  public:
    explicit KeyedRows(std::size_t most)
        : keys_(new std::uint64_t[most]), payloads_(new Payload[most]) {}

    void push(std::uint64_t key, Payload payload) {
        keys_[size_] = key;
        payloads_[size_++] = payload;
    }
    std::size_t size() const { return size_; }
    std::uint64_t key(std::size_t at) const { return keys_[at]; }
    Payload payload(std::size_t at) const { return payloads_[at]; }

    // Rows with equal keys stay in their order.
    void sort() {
        if (std::is_sorted(keys_.get(), keys_.get() + size_)) return;
        if (size_ < few) return sort_run(0, size_);
        sort_by_prefix();
        // Few doubles share sign, exponent and the first bits of the fraction, unless they are equal.
        for (std::size_t begin = 0, end = 0; begin < size_; begin = end) {
            bool ordered = true;
            for (end = begin + 1; end < size_ && keys_[end] >> rest == keys_[begin] >> rest; ++end) {
                ordered = ordered && keys_[end - 1] <= keys_[end];
            }
            if (!ordered) sort_run(begin, end);
        }
    }

  private:
    static constexpr int bits = 11, passes = 3, rest = 64 - bits * passes;
    static constexpr std::size_t digits = std::size_t{1} << bits, few = 1024, very_few = 24;

    static std::size_t digit(std::uint64_t key, int pass) { return key >> (rest + bits * pass) & (digits - 1); }

    void sort_by_prefix() {
        std::vector<std::array<std::size_t, digits>> starts(passes);
        for (std::size_t at = 0; at < size_; ++at) {
            for (int pass = 0; pass < passes; ++pass) ++starts[pass][digit(keys_[at], pass)];
        }
        std::unique_ptr<std::uint64_t[]> keys(new std::uint64_t[size_]);
        std::unique_ptr<Payload[]> payloads(new Payload[size_]);
        for (int pass = 0; pass < passes; ++pass) {
            auto& start = starts[pass];
            if (start[digit(keys_[0], pass)] == size_) continue;
            std::size_t before = 0;
            for (auto& count : start) before += std::exchange(count, before);
            for (std::size_t at = 0; at < size_; ++at) {
                const std::size_t place = start[digit(keys_[at], pass)]++;
                keys[place] = keys_[at];
                payloads[place] = payloads_[at];
            }
            std::swap(keys, keys_);
            std::swap(payloads, payloads_);
        }
    }

    void sort_run(std::size_t begin, std::size_t end) {
        if (end - begin > very_few) return sort_long_run(begin, end);
        for (std::size_t at = begin + 1; at < end; ++at) {
            const std::uint64_t key = keys_[at];
            const Payload payload = payloads_[at];
            std::size_t place = at;
            for (; place > begin && keys_[place - 1] > key; --place) {
                keys_[place] = keys_[place - 1];
                payloads_[place] = payloads_[place - 1];
            }
            keys_[place] = key;
            payloads_[place] = payload;
        }
    }

    void sort_long_run(std::size_t begin, std::size_t end) {
        std::vector<std::pair<std::uint64_t, Payload>> rows(end - begin);
        for (std::size_t at = begin; at < end; ++at) rows[at - begin] = {keys_[at], payloads_[at]};
        std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        for (std::size_t at = begin; at < end; ++at) std::tie(keys_[at], payloads_[at]) = rows[at - begin];
    }

    std::unique_ptr<std::uint64_t[]> keys_;
    std::unique_ptr<Payload[]> payloads_;
    std::size_t size_ = 0;
};

}  // namespace bayou
