// Turning values into codes: growing buffers of codes, and dictionaries from values to codes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bayou {

inline constexpr std::uint32_t kMissingCode = 0xFFFFFFFFu;
// Codes are written in blocks of this many rows, narrowed to the width that the labels need.
inline constexpr std::size_t kCodeBlock = 4096;
inline constexpr double kLargestExact = 9007199254740992.0;  // 2^53: beyond it doubles skip integers

// Codes of one column, one, two or four bytes wide; all bits set means missing in every width.
class CodeBuffer {
public:
    // Appends `count` codes, all of them missing or below `labels`.
    void append(const std::uint32_t* codes, std::size_t count, std::size_t labels);

    // Appends the codes of another buffer, each as `meaning[code]`; these are below `labels`.
    void append_recoded(CodeBuffer& other, const std::vector<std::uint32_t>& meaning, std::size_t labels);

    std::size_t rows() const { return bytes_.size() / width_; }
    int width() const { return width_; }
    std::vector<std::uint8_t> take();  // leaves an empty buffer of the same width

private:
    void widen(int width);

    std::vector<std::uint8_t> bytes_;
    int width_ = 1;
};

inline std::uint64_t load_word(const char* from) {
    std::uint64_t word;
    std::memcpy(&word, from, sizeof word);
    return word;
}

inline std::uint64_t mix(std::uint64_t low, std::uint64_t high) {
    std::uint64_t hash = (low * 0x9E3779B97F4A7C15ull) ^ (std::rotl(high, 29) * 0xC2B2AE3D27D4EB4Full);
    hash ^= hash >> 32;
    hash *= 0xD6E8FEB86659FD93ull;
    return hash ^ (hash >> 29);
}

// A dictionary of byte strings. Strings of up to sixteen bytes are compared as two words.
class TextEncoder {
public:
    TextEncoder() : slots_(kFirstSlots) {}

    // The code of the text at `data`. With `room`, the eight bytes before `data` must be readable.
    std::uint32_t code(const char* data, std::size_t length, bool room) {
        Slot wanted;
        wanted.length = static_cast<std::uint32_t>(length);
        if (length <= 8) {
            wanted.low = short_word(data, length, room);
            wanted.high = 0;
        } else if (length <= 16) {
            wanted.low = load_word(data);
            wanted.high = load_word(data + length - 8);
        } else {
            return long_code(data, length);
        }
        std::size_t at = mix(wanted.low, wanted.high + length) & (slots_.size() - 1);
        while (slots_[at].code != kMissingCode) {
            const Slot& slot = slots_[at];
            if (slot.low == wanted.low && slot.high == wanted.high && slot.length == wanted.length) return slot.code;
            at = (at + 1) & (slots_.size() - 1);
        }
        return insert(wanted, data, length);
    }

    std::size_t size() const { return spans_.size(); }
    // About how many bytes the dictionary takes.
    std::size_t bytes() const { return arena_.size() + slots_.size() * sizeof(Slot) + spans_.size() * sizeof spans_[0]; }
    std::string_view label(std::size_t code) const {
        return std::string_view(arena_).substr(spans_[code].first, spans_[code].second);
    }

private:
    struct Slot {
        std::uint64_t low = 0, high = 0;
        std::uint32_t length = 0, code = kMissingCode;
    };
    static constexpr std::size_t kFirstSlots = 64;

    static std::uint64_t short_word(const char* data, std::size_t length, bool room) {
        if (room) {
            // Loads the eight bytes that end with the text and shifts out the others: no branch on the length.
            const std::uint64_t word = load_word(data + length - 8) >> ((64 - 8 * length) & 63);
            return length == 0 ? 0 : word;
        }
        std::uint64_t word = 0;
        if (length > 0) std::memcpy(&word, data, length);
        return word;
    }

    std::uint32_t long_code(const char* data, std::size_t length);
    std::uint32_t insert(Slot wanted, const char* data, std::size_t length);
    void grow();
    std::size_t home(const Slot& slot) const {
        return mix(slot.low, slot.high + slot.length) & (slots_.size() - 1);
    }

    std::vector<Slot> slots_;
    std::string arena_;
    std::vector<std::pair<std::size_t, std::size_t>> spans_;
};

// A dictionary of 64-bit words (integers, time stamps, the bits of floats).
class WordEncoder {
public:
    WordEncoder() : slots_(kFirstSlots, {0, kMissingCode}) {}

    std::uint32_t code(std::uint64_t word) {
        std::size_t at = mix(word, 0) & (slots_.size() - 1);
        while (slots_[at].second != kMissingCode) {
            if (slots_[at].first == word) return slots_[at].second;
            at = (at + 1) & (slots_.size() - 1);
        }
        return insert(word);
    }

    std::size_t size() const { return words_.size(); }
    std::size_t bytes() const { return slots_.size() * sizeof slots_[0] + words_.size() * sizeof words_[0]; }
    std::uint64_t label(std::size_t code) const { return words_[code]; }

private:
    static constexpr std::size_t kFirstSlots = 64;

    std::uint32_t insert(std::uint64_t word);

    std::vector<std::pair<std::uint64_t, std::uint32_t>> slots_;
    std::vector<std::uint64_t> words_;
};

// The 64-bit word of a real number; zeros of both signs are one value.
inline std::uint64_t real_word(double value) { return std::bit_cast<std::uint64_t>(value == 0.0 ? 0.0 : value); }

}  // namespace bayou
