#include <algorithm>
#include <stdexcept>

#include "bayou/text_counts.hpp"

namespace bayou {

namespace {

constexpr std::size_t kShort = 16;

std::uint64_t load(const char* from) {
    std::uint64_t word;
    std::memcpy(&word, from, sizeof word);
    return word;
}

// The bytes of a machine word that belong to a text of this length.
std::uint64_t kept(std::size_t length) {
    return length >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * length)) - 1;
}

std::uint64_t folded(std::uint64_t a, std::uint64_t b) {
    const auto product = static_cast<unsigned __int128>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t hash_of(std::uint64_t low, std::uint64_t high, std::uint64_t length) {
    return folded(folded(low ^ 0x9E3779B97F4A7C15ull, high ^ 0xC2B2AE3D27D4EB4Full) + length,
                  0xD6E8FEB86659FD93ull);
}

// A copy of a word that can be read in whole machine words.
class Padded {
  public:
    explicit Padded(std::string_view word) {
        if (word.size() + kWordPadding > near_.size()) far_.resize(word.size() + kWordPadding);
        if (!word.empty()) std::memcpy(far_.empty() ? near_.data() : far_.data(), word.data(), word.size());
    }
    const char* data() const { return far_.empty() ? near_.data() : far_.data(); }

  private:
    std::array<char, 64> near_{};
    std::string far_;
};

// Eight bytes of a word as a number that orders as the bytes do.
std::uint64_t ordered_bytes(std::string_view word, std::size_t from) {
    std::uint64_t bytes = 0;
    if (word.size() > from) std::memcpy(&bytes, word.data() + from, std::min<std::size_t>(8, word.size() - from));
    return __builtin_bswap64(bytes);
}

}  // namespace

WordKey WordMap::key(const char* data, std::size_t length) {
    if (length > UINT32_MAX) throw std::length_error("a word has more than 2**32 bytes");
    WordKey key;
    key.length = static_cast<std::uint32_t>(length);
    if (length <= kShort) {
        key.low = load(data) & kept(length);
        key.high = load(data + 8) & kept(length > 8 ? length - 8 : 0);
    } else {
        key.low = load(data);
        key.high = load(data + length - 8);
        for (std::size_t at = 8; at + 8 < length; at += 8) {
            key.high = folded(key.high ^ 0x9E3779B97F4A7C15ull, load(data + at) ^ 0xC2B2AE3D27D4EB4Full);
        }
    }
    key.hash = hash_of(key.low, key.high, length);
    return key;
}

std::size_t WordMap::place(const WordKey& key, const char* data) const {
    std::size_t at = key.hash & (slots_.size() - 1);
    for (;; at = (at + 1) & (slots_.size() - 1)) {
        const Slot& slot = slots_[at];
        if (slot.number == kUnknownWord) return at;
        if (slot.low != key.low || slot.high != key.high || slot.length != key.length) continue;
        if (key.length <= kShort || std::memcmp(word(slot.number).data(), data, key.length) == 0) return at;
    }
}

std::uint32_t WordMap::number(const WordKey& key, const char* data) {
    Slot& slot = slots_[place(key, data)];
    if (slot.number != kUnknownWord) return slot.number;
    if (spans_.size() >= kUnknownWord) throw std::length_error("there are more than 2**32 - 1 distinct words");
    const auto number = static_cast<std::uint32_t>(spans_.size());
    slot = {key.low, key.high, key.length, number};
    spans_.push_back({arena_.size(), key.length});
    arena_.append(data, key.length);
    if (2 * spans_.size() > slots_.size()) grow();
    return number;
}

void WordMap::grow() {
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(4 * slots_.size()));
    for (const Slot& slot : old) {
        if (slot.number == kUnknownWord) continue;
        std::size_t at = hash_of(slot.low, slot.high, slot.length) & (slots_.size() - 1);
        while (slots_[at].number != kUnknownWord) at = (at + 1) & (slots_.size() - 1);
        slots_[at] = slot;
    }
}

std::uint32_t WordMap::find(std::string_view word) const {
    const Padded padded(word);
    return find(key(padded.data(), word.size()), padded.data());
}

std::uint32_t WordMap::number(std::string_view word) {
    const Padded padded(word);
    return number(key(padded.data(), word.size()), padded.data());
}

std::vector<std::uint32_t> WordMap::sorted() const {
    struct Entry {
        std::uint64_t first, second;
        std::uint32_t number;
    };
    std::vector<Entry> entries(size());
    for (std::uint32_t number = 0; number < entries.size(); ++number) {
        entries[number] = {ordered_bytes(word(number), 0), ordered_bytes(word(number), 8), number};
    }
    std::sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) {
        if (a.first != b.first) return a.first < b.first;
        if (a.second != b.second) return a.second < b.second;
        return word(a.number) < word(b.number);
    });
    std::vector<std::uint32_t> numbers;
    numbers.reserve(entries.size());
    for (const Entry& entry : entries) numbers.push_back(entry.number);
    return numbers;
}

}  // namespace bayou
