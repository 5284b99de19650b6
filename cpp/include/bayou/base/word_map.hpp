// A map of words to numbers. Its look-up is inlined: it runs once for every word of every document.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bayou/base/portable.hpp"

namespace bayou {

inline constexpr std::uint32_t kUnknownWord = 0xFFFFFFFFu;
// Words are read in whole machine words: this many bytes after a word must be readable.
inline constexpr std::size_t kWordPadding = 16;

namespace word_bits {

inline constexpr std::size_t kShort = 16;

inline std::uint64_t load(const char* from) {
    std::uint64_t word;
    std::memcpy(&word, from, sizeof word);
    return word;
}

// The bytes of two machine words that belong to a text of this length; a table, so that nothing branches on it.
struct Masks {
    std::array<std::uint64_t, kShort + 1> low{}, high{};
    constexpr Masks() {
        for (std::size_t length = 0; length <= kShort; ++length) {
            low[length] = first_bytes(length);
            high[length] = first_bytes(length > 8 ? length - 8 : 0);
        }
    }
    static constexpr std::uint64_t first_bytes(std::size_t count) {
        return count >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * count)) - 1;
    }
};
inline constexpr Masks kMasks;

inline std::uint64_t folded(std::uint64_t a, std::uint64_t b) {
    const LongProduct product = long_product(a, b);
    return product.low ^ product.high;
}

inline std::uint64_t hash_of(std::uint64_t low, std::uint64_t high, std::uint64_t length) {
    return folded(folded(low ^ 0x9E3779B97F4A7C15ull, high ^ 0xC2B2AE3D27D4EB4Full) + length,
                  0xD6E8FEB86659FD93ull);
}

}  // namespace word_bits

struct WordSpan {
    std::size_t start, length;
};

// The words of one document: UTF-8 bytes, and where each word stands in them.
struct WordBuffer {
    std::vector<char> bytes;
    std::vector<WordSpan> words;
    const char* at(const WordSpan& word) const { return bytes.data() + word.start; }
    std::string_view view(const WordSpan& word) const { return {at(word), word.length}; }
};

// Words up to sixteen bytes are their own key; longer ones are compared byte by byte when their keys agree.
struct WordKey {
    std::uint64_t low, high, hash;
    std::uint32_t length;
};

// The number of each distinct word, in the order of first occurrence.
class WordMap {
  public:
    WordMap() : slots_(kFirstSlots) {}

    static WordKey key(const char* data, std::size_t length);
    void prefetch(const WordKey& key) const { BAYOU_PREFETCH(&slots_[key.hash & (slots_.size() - 1)]); }
    std::uint32_t find(const WordKey& key, const char* data) const { return slots_[place(key, data)].number; }
    std::uint32_t number(const WordKey& key, const char* data);

    // The same for text without readable bytes after it.
    std::uint32_t find(std::string_view word) const;
    std::uint32_t number(std::string_view word);

    std::size_t size() const { return spans_.size(); }
    std::string_view word(std::size_t number) const {
        return std::string_view(arena_).substr(spans_[number].start, spans_[number].length);
    }
    // The numbers of all words in the order of their bytes, which is the order of their code points.
    std::vector<std::uint32_t> sorted() const;

  private:
    struct Slot {
        std::uint64_t low = 0, high = 0;
        std::uint32_t length = 0, number = kUnknownWord;
    };
    static constexpr std::size_t kFirstSlots = 256;

    std::size_t place(const WordKey& key, const char* data) const;
    void grow();

    std::vector<Slot> slots_;
    std::string arena_;
    std::vector<WordSpan> spans_;
};

inline WordKey WordMap::key(const char* data, std::size_t length) {
    if (length > UINT32_MAX) throw std::length_error("a word has more than 2**32 bytes");
    WordKey key;
    key.length = static_cast<std::uint32_t>(length);
    if (length <= word_bits::kShort) {
        key.low = word_bits::load(data) & word_bits::kMasks.low[length];
        key.high = word_bits::load(data + 8) & word_bits::kMasks.high[length];
    } else {
        key.low = word_bits::load(data);
        key.high = word_bits::load(data + length - 8);
        for (std::size_t at = 8; at + 8 < length; at += 8) {
            key.high = word_bits::folded(key.high ^ 0x9E3779B97F4A7C15ull, word_bits::load(data + at) ^ 0xC2B2AE3D27D4EB4Full);
        }
    }
    key.hash = word_bits::hash_of(key.low, key.high, length);
    return key;
}

inline std::size_t WordMap::place(const WordKey& key, const char* data) const {
    std::size_t at = key.hash & (slots_.size() - 1);
    for (;; at = (at + 1) & (slots_.size() - 1)) {
        const Slot& slot = slots_[at];
        if (slot.number == kUnknownWord) return at;
        if (slot.low != key.low || slot.high != key.high || slot.length != key.length) continue;
        if (key.length <= word_bits::kShort || std::memcmp(word(slot.number).data(), data, key.length) == 0) return at;
    }
}

}  // namespace bayou
