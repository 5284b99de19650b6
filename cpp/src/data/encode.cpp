#include "bayou/data/encode.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace bayou {
namespace {

int width_for(std::size_t labels) {
    if (labels <= 0xFFu) return 1;
    if (labels <= 0xFFFFu) return 2;
    if (labels <= 0xFFFFFFFFu) return 4;
    throw std::length_error("a column cannot have more than 4294967295 distinct values");
}

template <typename To, typename From>
void convert(const std::uint8_t* from, std::size_t count, std::uint8_t* to) {
    for (std::size_t row = 0; row < count; ++row) {
        From code;
        std::memcpy(&code, from + row * sizeof(From), sizeof(From));
        const To wide = code == static_cast<From>(~From{0}) ? static_cast<To>(~To{0}) : static_cast<To>(code);
        std::memcpy(to + row * sizeof(To), &wide, sizeof(To));
    }
}

std::uint64_t hash_bytes(const char* data, std::size_t length) {
    std::uint64_t hash = length;
    std::size_t at = 0;
    for (; at + 8 <= length; at += 8) hash = mix(hash ^ load_word(data + at), hash);
    return at == length ? hash : mix(hash ^ load_word(data + length - 8), hash);
}

}  // namespace

void CodeBuffer::append(const std::uint32_t* codes, std::size_t count, std::size_t labels) {
    if (width_for(labels) > width_) widen(width_for(labels));
    const std::size_t before = bytes_.size();
    bytes_.resize(before + count * width_);
    const auto* from = reinterpret_cast<const std::uint8_t*>(codes);
    std::uint8_t* to = bytes_.data() + before;
    if (width_ == 1) {
        convert<std::uint8_t, std::uint32_t>(from, count, to);
    } else if (width_ == 2) {
        convert<std::uint16_t, std::uint32_t>(from, count, to);
    } else {
        std::memcpy(to, codes, count * sizeof(std::uint32_t));
    }
}

void CodeBuffer::append_recoded(CodeBuffer& other, const std::vector<std::uint32_t>& meaning, std::size_t labels) {
    if (rows() == 0 && other.width_ >= width_for(labels)) {  // the first part: its codes mean themselves
        width_ = other.width_;
        bytes_ = other.take();
        return;
    }
    if (width_for(labels) > width_) widen(width_for(labels));
    const std::vector<std::uint8_t> from = other.take();
    const std::size_t before = bytes_.size(), count = from.size() / other.width_;
    if (other.width_ == 1 && width_ == 1) {
        std::array<std::uint8_t, 256> table;
        table.fill(0xFF);
        for (std::size_t code = 0; code < meaning.size(); ++code) table[code] = static_cast<std::uint8_t>(meaning[code]);
        bytes_.resize(before + count);
        for (std::size_t row = 0; row < count; ++row) bytes_[before + row] = table[from[row]];
        return;
    }
    std::vector<std::uint32_t> wide(count);
    auto* out = reinterpret_cast<std::uint8_t*>(wide.data());
    if (other.width_ == 1) convert<std::uint32_t, std::uint8_t>(from.data(), count, out);
    if (other.width_ == 2) convert<std::uint32_t, std::uint16_t>(from.data(), count, out);
    if (other.width_ == 4) std::memcpy(out, from.data(), from.size());
    for (std::uint32_t& code : wide) code = code == kMissingCode ? code : meaning[code];
    append(wide.data(), count, labels);
}

std::vector<std::uint8_t> CodeBuffer::take() { return std::exchange(bytes_, {}); }

void CodeBuffer::widen(int width) {
    const std::size_t count = rows();
    std::vector<std::uint8_t> wide;
    wide.reserve(bytes_.capacity() / width_ * width);
    wide.resize(count * width);
    if (width_ == 1 && width == 2) convert<std::uint16_t, std::uint8_t>(bytes_.data(), count, wide.data());
    if (width_ == 1 && width == 4) convert<std::uint32_t, std::uint8_t>(bytes_.data(), count, wide.data());
    if (width_ == 2 && width == 4) convert<std::uint32_t, std::uint16_t>(bytes_.data(), count, wide.data());
    bytes_ = std::move(wide);
    width_ = width;
}

std::uint32_t TextEncoder::long_code(const char* data, std::size_t length) {
    Slot wanted;
    wanted.low = hash_bytes(data, length);
    wanted.high = load_word(data);
    wanted.length = static_cast<std::uint32_t>(length);
    std::size_t at = home(wanted);
    while (slots_[at].code != kMissingCode) {
        const Slot& slot = slots_[at];
        if (slot.low == wanted.low && slot.high == wanted.high && slot.length == wanted.length &&
            label(slot.code) == std::string_view(data, length))
            return slot.code;
        at = (at + 1) & (slots_.size() - 1);
    }
    return insert(wanted, data, length);
}

std::uint32_t TextEncoder::insert(Slot wanted, const char* data, std::size_t length) {
    if (length > 0xFFFFFFFFu) throw std::length_error("a text of more than 4 GB cannot be a state");
    if (2 * (spans_.size() + 1) > slots_.size()) grow();
    wanted.code = static_cast<std::uint32_t>(spans_.size());
    std::size_t at = home(wanted);
    while (slots_[at].code != kMissingCode) at = (at + 1) & (slots_.size() - 1);
    spans_.emplace_back(arena_.size(), length);
    arena_.append(data, length);
    slots_[at] = wanted;
    return wanted.code;
}

void TextEncoder::grow() {
    std::vector<Slot> old(slots_.size() * 4);
    old.swap(slots_);
    for (const Slot& slot : old) {
        if (slot.code == kMissingCode) continue;
        std::size_t at = home(slot);
        while (slots_[at].code != kMissingCode) at = (at + 1) & (slots_.size() - 1);
        slots_[at] = slot;
    }
}

std::uint32_t WordEncoder::insert(std::uint64_t word) {
    if (2 * (words_.size() + 1) > slots_.size()) {
        std::vector<std::pair<std::uint64_t, std::uint32_t>> wide(slots_.size() * 4, {0, kMissingCode});
        for (const auto& slot : slots_) {
            if (slot.second == kMissingCode) continue;
            std::size_t at = mix(slot.first, 0) & (wide.size() - 1);
            while (wide[at].second != kMissingCode) at = (at + 1) & (wide.size() - 1);
            wide[at] = slot;
        }
        slots_ = std::move(wide);
    }
    std::size_t at = mix(word, 0) & (slots_.size() - 1);
    while (slots_[at].second != kMissingCode) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = {word, static_cast<std::uint32_t>(words_.size())};
    words_.push_back(word);
    return slots_[at].second;
}

}  // namespace bayou
