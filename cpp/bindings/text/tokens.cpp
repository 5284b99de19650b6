#include "text/tokens.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "bayou/base/portable.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace nb = nanobind;

namespace bayou::bindings {
namespace {

enum CharacterClass : std::uint32_t { space = 0, letter = 1, other = 2 };

constexpr Py_UCS4 kBasic = 0x10000;
// Python lower-cases one of these by the characters beside it, the other into two characters; all others one by one.
constexpr Py_UCS4 kCapitalSigma = 0x3A3, kCapitalDottedI = 0x130;

CharacterClass class_of(Py_UCS4 character) {
    if (Py_UNICODE_ISALNUM(character) || character == '_') return letter;
    return Py_UNICODE_ISSPACE(character) ? space : other;
}

// A character of a text, lower-cased if asked, and its class.
struct Character {
    Py_UCS4 value;
    CharacterClass kind;
};

// The characters of the basic plane, looked up once: value << 2 | class.
class CharacterTable {
  public:
    explicit CharacterTable(bool lowercase) : lowercase_(lowercase), entries_(kBasic) {
        for (Py_UCS4 character = 0; character < kBasic; ++character) {
            const Character made = make(character);
            entries_[character] = made.value << 2 | made.kind;
        }
    }
    Character operator[](Py_UCS4 character) const {
        if (character >= kBasic) return make(character);
        return {entries_[character] >> 2, static_cast<CharacterClass>(entries_[character] & 3)};
    }

  private:
    Character make(Py_UCS4 character) const {
        const Py_UCS4 value = lowercase_ ? Py_UNICODE_TOLOWER(character) : character;
        return {value, class_of(value)};
    }
    bool lowercase_;
    std::vector<std::uint32_t> entries_;
};

const CharacterTable& characters(bool lowercase) {
    static const CharacterTable as_they_are(false), lower(true);
    return lowercase ? lower : as_they_are;
}

// Lone surrogates, which Python strings may hold, are written like any other character.
char* write_utf8(char* to, Py_UCS4 character) {
    if (character < 0x80) {
        *to++ = static_cast<char>(character);
    } else if (character < 0x800) {
        *to++ = static_cast<char>(0xC0 | character >> 6);
        *to++ = static_cast<char>(0x80 | (character & 0x3F));
    } else if (character < kBasic) {
        *to++ = static_cast<char>(0xE0 | character >> 12);
        *to++ = static_cast<char>(0x80 | (character >> 6 & 0x3F));
        *to++ = static_cast<char>(0x80 | (character & 0x3F));
    } else {
        *to++ = static_cast<char>(0xF0 | character >> 18);
        *to++ = static_cast<char>(0x80 | (character >> 12 & 0x3F));
        *to++ = static_cast<char>(0x80 | (character >> 6 & 0x3F));
        *to++ = static_cast<char>(0x80 | (character & 0x3F));
    }
    return to;
}

void make_room(WordBuffer& buffer, std::size_t bytes) {
    if (buffer.bytes.size() < bytes + kWordPadding) buffer.bytes.resize(bytes + kWordPadding);
}

template <typename Unit>
void find_words(const Unit* text, std::size_t length, bool lowercase, const TokenRules& rules, WordBuffer& buffer) {
    const CharacterTable& table = characters(lowercase);
    make_room(buffer, length * (sizeof(Unit) == 1 ? 2 : sizeof(Unit) == 2 ? 3 : 4));
    char* to = buffer.bytes.data();
    const char* start = to;
    CharacterClass run = space;
    std::size_t run_length = 0;
    const auto close = [&] {
        if (run == letter ? run_length >= rules.min_length : run == other && rules.punctuation) {
            buffer.words.push_back({static_cast<std::size_t>(start - buffer.bytes.data()),
                                    static_cast<std::size_t>(to - start)});
        }
        start = to;
        run_length = 0;
    };
    for (std::size_t at = 0; at < length; ++at) {
        const Character character = table[text[at]];
        if (character.kind != run) {
            close();
            run = character.kind;
        }
        if (character.kind == space) continue;
        to = write_utf8(to, character.value);
        ++run_length;
    }
    close();
}

// One bit for each of 64 ASCII characters: is it a word character?
std::uint64_t word_bits(const char* text) {
    std::uint64_t bits = 0;
#if defined(__SSE2__)
    for (int part = 0; part < 4; ++part) {
        const __m128i raw = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + 16 * part));
        const __m128i lower = _mm_or_si128(raw, _mm_set1_epi8(0x20));
        const auto within = [](__m128i value, char low, char high) {
            return _mm_and_si128(_mm_cmpgt_epi8(value, _mm_set1_epi8(static_cast<char>(low - 1))),
                                 _mm_cmplt_epi8(value, _mm_set1_epi8(static_cast<char>(high + 1))));
        };
        const __m128i word = _mm_or_si128(_mm_or_si128(within(lower, 'a', 'z'), within(raw, '0', '9')),
                                          _mm_cmpeq_epi8(raw, _mm_set1_epi8('_')));
        bits |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(word))) << (16 * part);
    }
#else
    for (int at = 0; at < 64; ++at) {
        const char raw = text[at], lower = static_cast<char>(raw | 0x20);
        const bool word = (lower >= 'a' && lower <= 'z') || (raw >= '0' && raw <= '9') || raw == '_';
        bits |= static_cast<std::uint64_t>(word) << at;
    }
#endif
    return bits;
}

// ASCII text without punctuation: lower-cased in one sweep, then words between the edges of the word bits.
void find_ascii_words(const char* text, std::size_t length, const TokenRules& rules, WordBuffer& buffer) {
    const std::size_t blocks = length / 64 + 1;  // one more character than the text: the last word ends in it
    make_room(buffer, 64 * blocks);
    char* copy = buffer.bytes.data();
    if (rules.lowercase) {
        for (std::size_t at = 0; at < length; ++at) {
            const char raw = text[at];
            copy[at] = static_cast<char>(raw + (raw >= 'A' && raw <= 'Z' ? 0x20 : 0));
        }
    } else if (length > 0) {
        std::copy_n(text, length, copy);
    }
    std::fill(copy + length, copy + 64 * blocks, ' ');
    std::uint64_t before = 0;
    std::size_t start = 0;
    bool inside = false;
    for (std::size_t block = 0; block < blocks; ++block) {
        const std::uint64_t bits = word_bits(copy + 64 * block);
        for (std::uint64_t edges = bits ^ (bits << 1 | before); edges != 0; edges &= edges - 1) {
            const std::size_t at = 64 * block + static_cast<std::size_t>(lowest_bit(edges));
            if (inside && at - start >= rules.min_length) buffer.words.push_back({start, at - start});
            inside = !inside;
            start = at;
        }
        before = bits >> 63;
    }
}

bool holds_special_capitals(const void* data, std::size_t length, int width) {
    const auto special = [](Py_UCS4 character) {
        return character == kCapitalSigma || character == kCapitalDottedI;
    };
    if (width == 2) return std::any_of((const Py_UCS2*)data, (const Py_UCS2*)data + length, special);
    if (width == 4) return std::any_of((const Py_UCS4*)data, (const Py_UCS4*)data + length, special);
    return false;
}

void drop_stop_words(const WordMap& stop_words, WordBuffer& buffer) {
    const auto is_stop_word = [&](const WordSpan& word) {
        const char* data = buffer.at(word);
        return stop_words.find(WordMap::key(data, word.length), data) != kUnknownWord;
    };
    buffer.words.erase(std::remove_if(buffer.words.begin(), buffer.words.end(), is_stop_word), buffer.words.end());
}

// All words are written once with single blanks between them; each n-gram is then a piece of that text.
void join_words(const TokenRules& rules, WordBuffer& buffer) {
    std::vector<char> joined;
    std::vector<WordSpan> places;
    for (const WordSpan& word : buffer.words) {
        if (!places.empty()) joined.push_back(' ');
        places.push_back({joined.size(), word.length});
        joined.insert(joined.end(), buffer.at(word), buffer.at(word) + word.length);
    }
    joined.insert(joined.end(), kWordPadding, '\0');
    buffer.bytes.swap(joined);
    buffer.words.clear();
    for (std::size_t first = 0; first < places.size(); ++first) {
        const std::size_t room = places.size() - first;
        for (std::size_t size = rules.fewest; size <= std::min(rules.most, room); ++size) {
            const WordSpan& last = places[first + size - 1];
            buffer.words.push_back({places[first].start, last.start + last.length - places[first].start});
        }
    }
}

}  // namespace

Texts::Texts(const nb::list& strings, TokenRules rules, std::optional<std::vector<std::size_t>> offsets)
    : rules_(std::move(rules)), offsets_(std::move(offsets)) {
    characters(rules_.lowercase);
    held_.reserve(strings.size());
    texts_.reserve(strings.size());
    for (std::size_t row = 0; row < strings.size(); ++row) texts_.push_back(text_of(strings[row], row));
}

Texts::Text Texts::text_of(nb::handle item, std::size_t row) {
    Text text;
    if (item.is_none()) return text;
    if (!PyUnicode_Check(item.ptr())) {
        throw nb::type_error(("document " + std::to_string(row) + " is of type " + Py_TYPE(item.ptr())->tp_name +
                              ": expected text (str), or None where there is none").c_str());
    }
#if PY_VERSION_HEX < 0x030C0000
    if (PyUnicode_READY(item.ptr()) != 0) throw nb::python_error();
#endif
    held_.push_back(nb::borrow(item));
    const auto look = [&] {
        PyObject* string = held_.back().ptr();
        text.data = PyUnicode_DATA(string);
        text.length = static_cast<std::size_t>(PyUnicode_GET_LENGTH(string));
        text.width = static_cast<int>(PyUnicode_KIND(string));
        text.ascii = PyUnicode_IS_ASCII(string);
    };
    look();
    if (!offsets_ && rules_.lowercase && holds_special_capitals(text.data, text.length, text.width)) {
        // Calls the method of str itself: a subclass may override it and return anything.
        held_.back() = nb::borrow(reinterpret_cast<PyObject*>(&PyUnicode_Type)).attr("lower")(held_.back());
        look();
        text.is_lower = true;
    }
    return text;
}

Documents Texts::documents() const {
    Documents documents;
    documents.count = offsets_ ? offsets_->size() - 1 : texts_.size();
    const std::size_t sizes = rules_.most - rules_.fewest + 1;
    for (std::size_t row = 0; row < documents.count; ++row) {
        const std::size_t units = offsets_ ? (*offsets_)[row + 1] - (*offsets_)[row] : texts_[row].length;
        documents.sizes.push_back(units * std::min(sizes, units));
    }
    documents.read = [this](std::size_t document, WordBuffer& words) { read(document, words); };
    return documents;
}

void Texts::read(std::size_t document, WordBuffer& words) const {
    words.words.clear();
    if (offsets_) {
        words.bytes.clear();
        for (std::size_t at = (*offsets_)[document]; at < (*offsets_)[document + 1]; ++at) {
            append_whole(texts_[at], words);
        }
        words.bytes.insert(words.bytes.end(), kWordPadding, '\0');
    } else {
        const Text& text = texts_[document];
        const bool lowercase = rules_.lowercase && !text.is_lower;
        if (text.ascii && !rules_.punctuation) {
            find_ascii_words(static_cast<const char*>(text.data), text.length, rules_, words);
        } else if (text.width == 1) {
            find_words(static_cast<const Py_UCS1*>(text.data), text.length, lowercase, rules_, words);
        } else if (text.width == 2) {
            find_words(static_cast<const Py_UCS2*>(text.data), text.length, lowercase, rules_, words);
        } else {
            find_words(static_cast<const Py_UCS4*>(text.data), text.length, lowercase, rules_, words);
        }
    }
    if (rules_.stop_words.size() > 0) drop_stop_words(rules_.stop_words, words);
    if (rules_.most > 1) join_words(rules_, words);
}

void Texts::append_whole(const Text& text, WordBuffer& words) const {
    const std::size_t start = words.bytes.size();
    words.bytes.resize(start + 4 * text.length);
    char* to = words.bytes.data() + start;
    for (std::size_t at = 0; at < text.length; ++at) {
        to = write_utf8(to, PyUnicode_READ(text.width, text.data, at));
    }
    const auto length = static_cast<std::size_t>(to - words.bytes.data()) - start;
    words.bytes.resize(start + length);
    words.words.push_back({start, length});
}

}  // namespace bayou::bindings
