// Sets of nodes as rows of bits: the neighbours, parents or children of every node of a graph.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bayou {

using BitSpan = std::span<std::uint64_t>;
using ConstBitSpan = std::span<const std::uint64_t>;
using Members = std::vector<std::uint32_t>;  // ascending

inline std::uint64_t bit_of(std::uint32_t node) { return std::uint64_t{1} << node % 64; }
inline bool has_bit(ConstBitSpan set, std::uint32_t node) { return set[node / 64] & bit_of(node); }
inline void set_bit(BitSpan set, std::uint32_t node) { set[node / 64] |= bit_of(node); }
inline void clear_bit(BitSpan set, std::uint32_t node) { set[node / 64] &= ~bit_of(node); }

template <typename Visit>
void for_each_in_word(std::uint64_t word, std::size_t place, const Visit& visit) {
    for (; word; word &= word - 1) {
        visit(static_cast<std::uint32_t>(place * 64 + static_cast<std::size_t>(std::countr_zero(word))));
    }
}

// Visits the members in ascending order. Changes that a visit makes to the set are not seen within a word.
template <typename Visit>
void for_each_bit(ConstBitSpan set, const Visit& visit) {
    for (std::size_t at = 0; at < set.size(); ++at) for_each_in_word(set[at], at, visit);
}

inline void unite(BitSpan set, ConstBitSpan more) {
    for (std::size_t word = 0; word < set.size(); ++word) set[word] |= more[word];
}

inline bool is_within(ConstBitSpan set, ConstBitSpan other) {
    std::uint64_t outside = 0;
    for (std::size_t word = 0; word < set.size(); ++word) outside |= set[word] & ~other[word];
    return outside == 0;
}

inline std::size_t count_bits(ConstBitSpan set) {
    std::size_t count = 0;
    for (const std::uint64_t word : set) count += static_cast<std::size_t>(std::popcount(word));
    return count;
}

inline Members members_of(ConstBitSpan set) {
    Members members;
    members.reserve(count_bits(set));
    for_each_bit(set, [&](std::uint32_t node) { members.push_back(node); });
    return members;
}

// A row for each node, with a bit for each node.
class BitRows {
  public:
    explicit BitRows(std::size_t size) : size_(size), words_((size + 63) / 64), bits_(size_ * words_) {}

    BitSpan operator[](std::size_t row) { return {bits_.data() + row * words_, words_}; }
    ConstBitSpan operator[](std::size_t row) const { return {bits_.data() + row * words_, words_}; }
    bool has(std::uint32_t row, std::uint32_t bit) const { return has_bit((*this)[row], bit); }
    void set(std::uint32_t row, std::uint32_t bit) { set_bit((*this)[row], bit); }
    void clear(std::uint32_t row, std::uint32_t bit) { clear_bit((*this)[row], bit); }

    std::size_t size() const { return size_; }
    std::size_t words() const { return words_; }

  private:
    std::size_t size_, words_;
    std::vector<std::uint64_t> bits_;
};

}  // namespace bayou
