#include "bayou/base/word_map.hpp"

#include <algorithm>
#include <utility>

#include "bayou/base/portable.hpp"

namespace bayou {

namespace {

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
    return bytes_reversed(bytes);
}

}  // namespace

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
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
    for (const Slot& slot : old) {
        if (slot.number == kUnknownWord) continue;
        std::size_t at = word_bits::hash_of(slot.low, slot.high, slot.length) & (slots_.size() - 1);
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
