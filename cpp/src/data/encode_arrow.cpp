#include "bayou/data/encode_arrow.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>

namespace bayou {
namespace {

constexpr double kMissingNumber = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kOrderedFlag = 1;

template <typename T>
T at(const void* buffer, std::int64_t index) {
    T value;
    std::memcpy(&value, static_cast<const char*>(buffer) + index * sizeof(T), sizeof(T));
    return value;
}

bool bit(const void* bitmap, std::int64_t index) {
    return (static_cast<const std::uint8_t*>(bitmap)[index >> 3] >> (index & 7)) & 1;
}

// The validity bitmap, or null where every value is there.
const void* validity(const ArrowArray& array) {
    return array.null_count == 0 || array.n_buffers == 0 ? nullptr : array.buffers[0];
}

double half_to_double(std::uint16_t half) {
    const int exponent = (half >> 10) & 31, fraction = half & 1023;
    double value = exponent == 0    ? std::ldexp(fraction, -24)
                   : exponent == 31 ? (fraction ? kMissingNumber : std::numeric_limits<double>::infinity())
                                    : std::ldexp(1024 + fraction, exponent - 25);
    return half & 0x8000 ? -value : value;
}

constexpr double kPowersOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

double decimal_to_double(const void* buffer, std::int64_t index, const ColumnType& type) {
    // Little-endian limbs of 32 bits, two's complement; 256 bits need no more than a loop either.
    const int limbs = type.bits / 32;
    const char* from = static_cast<const char*>(buffer) + index * (type.bits / 8);
    const bool negative = (from[type.bits / 8 - 1] & 0x80) != 0;
    long double value = 0;
    for (int limb = limbs - 1; limb >= 0; --limb) {
        const auto word = at<std::uint32_t>(from, limb);
        value = value * 4294967296.0L + (negative ? static_cast<std::uint32_t>(~word) : word);
    }
    if (negative) value = -(value + 1);
    // Both exact in double: the quotient is the nearest double, as Python has it.
    if (std::fabs(value) < 9007199254740992.0L && type.scale >= 0 && type.scale <= 22)
        return static_cast<double>(value) / kPowersOfTen[type.scale];
    return static_cast<double>(value / std::pow(10.0L, type.scale));
}

double number_at(const void* values, std::int64_t index, const ColumnType& type) {
    switch (type.letter) {
        case 'c': return at<std::int8_t>(values, index);
        case 'C': return at<std::uint8_t>(values, index);
        case 's': return at<std::int16_t>(values, index);
        case 'S': return at<std::uint16_t>(values, index);
        case 'i': return at<std::int32_t>(values, index);
        case 'I': return at<std::uint32_t>(values, index);
        case 'l': return static_cast<double>(at<std::int64_t>(values, index));
        case 'L': return static_cast<double>(at<std::uint64_t>(values, index));
        case 'e': return half_to_double(at<std::uint16_t>(values, index));
        case 'f': return at<float>(values, index);
        case 'g': return at<double>(values, index);
        default: return decimal_to_double(values, index, type);
    }
}

std::int64_t whole_at(const void* values, std::int64_t index, char letter) {
    switch (letter) {
        case 'c': return at<std::int8_t>(values, index);
        case 'C': return at<std::uint8_t>(values, index);
        case 's': return at<std::int16_t>(values, index);
        case 'S': return at<std::uint16_t>(values, index);
        case 'i': return at<std::int32_t>(values, index);
        case 'I': return at<std::uint32_t>(values, index);
        default: return at<std::int64_t>(values, index);
    }
}

ColumnType temporal_type(const std::string& format) {
    const bool narrow = format == "tdD" || format == "tts" || format == "ttm";
    if (format.size() < 3 || format[1] == 'i') throw std::invalid_argument("interval");
    return {ValueKind::time, narrow ? 'i' : 'l', 0, 0, format};
}

ColumnType decimal_type(const std::string& format) {
    ColumnType type{ValueKind::real, 'd', 0, 128, format};
    const std::size_t first = format.find(','), second = format.find(',', first + 1);
    if (first == std::string::npos) throw std::invalid_argument("decimal");
    type.scale = std::atoi(format.c_str() + first + 1);
    if (second != std::string::npos) type.bits = std::atoi(format.c_str() + second + 1);
    if (type.bits != 32 && type.bits != 64 && type.bits != 128 && type.bits != 256)
        throw std::invalid_argument("decimal");
    return type;
}

}  // namespace

ColumnType column_type(const char* format) {
    const std::string text(format);
    if (text == "n") return {ValueKind::null, 'n', 0, 0, text};
    if (text == "b") return {ValueKind::truth, 'b', 0, 0, text};
    if (text == "u" || text == "U") return {ValueKind::text, text[0], 0, 0, text};
    if (text == "vu") return {ValueKind::text, 'v', 0, 0, text};
    if (text == "z" || text == "Z") return {ValueKind::bytes, text == "z" ? 'u' : 'U', 0, 0, text};
    if (text == "vz") return {ValueKind::bytes, 'v', 0, 0, text};
    if (text.size() == 1 && std::strchr("csil", text[0])) return {ValueKind::whole, text[0], 0, 0, text};
    if (text.size() == 1 && std::strchr("CSIL", text[0])) return {ValueKind::natural, text[0], 0, 0, text};
    if (text.size() == 1 && std::strchr("efg", text[0])) return {ValueKind::real, text[0], 0, 0, text};
    if (text[0] == 't') return temporal_type(text);
    if (text[0] == 'd') return decimal_type(text);
    throw std::invalid_argument(text);
}

ArrowColumn::ArrowColumn(const ArrowSchema& schema, bool empty_is_missing)
    : type_(column_type(schema.dictionary != nullptr ? schema.dictionary->format : schema.format)),
      declared_(schema.dictionary != nullptr),
      ordered_(declared_ && (schema.flags & kOrderedFlag) != 0),
      empty_is_missing_(empty_is_missing) {
    numeric_ = !declared_ && (type_.kind == ValueKind::whole || type_.kind == ValueKind::natural ||
                              type_.kind == ValueKind::real);
    if (!declared_) return;
    if (schema.dictionary->dictionary != nullptr) throw std::invalid_argument("dictionary of a dictionary");
    index_letter_ = column_type(schema.format).letter;
}

void ArrowColumn::start_batch(std::size_t most_label_bytes) {
    numbers = {};
    integers.clear();
    few_ = numeric_ && type_.kind != ValueKind::real;
    codes.take();
    if (declared_ || label_bytes() <= most_label_bytes) return;
    codes = {};
    texts = {};
    words = {};
}

std::size_t ArrowColumn::labels() const {
    if (type_.kind == ValueKind::truth) return 2;
    return type_.kind == ValueKind::text || type_.kind == ValueKind::bytes ? texts.size() : words.size();
}

void ArrowColumn::append(const ArrowArray& array, std::int64_t start, std::int64_t count) {
    const std::int64_t first = start + array.offset;
    if (few_ && append_few(array, first, count)) return;
    if (numeric_) return append_numbers(array, first, count);
    if (declared_) return append_dictionary(array, first, count);
    std::array<std::uint32_t, kCodeBlock> block;
    for (std::int64_t done = 0; done < count;) {
        const std::int64_t size = std::min<std::int64_t>(kCodeBlock, count - done);
        encode_block(array, first + done, size, block.data());
        codes.append(block.data(), size, labels());
        done += size;
    }
}

// False where the range has become too wide: then the rows read so far are doubles, and later ones will be.
bool ArrowColumn::append_few(const ArrowArray& array, std::int64_t first, std::int64_t count) {
    const auto* present = static_cast<const std::uint8_t*>(validity(array));
    const auto append = [&](const auto* values) {
        const bool aligned = reinterpret_cast<std::uintptr_t>(values) % sizeof *values == 0;
        return aligned && integers.append(values + first, present, first, count);
    };
    const void* values = array.buffers[1];
    switch (type_.letter) {
        case 'c': few_ = append(static_cast<const std::int8_t*>(values)); break;
        case 'C': few_ = append(static_cast<const std::uint8_t*>(values)); break;
        case 's': few_ = append(static_cast<const std::int16_t*>(values)); break;
        case 'S': few_ = append(static_cast<const std::uint16_t*>(values)); break;
        case 'i': few_ = append(static_cast<const std::int32_t*>(values)); break;
        case 'I': few_ = append(static_cast<const std::uint32_t*>(values)); break;
        case 'l': few_ = append(static_cast<const std::int64_t*>(values)); break;
        default: few_ = append(static_cast<const std::uint64_t*>(values)); break;
    }
    if (few_) return true;
    integers.expand(numbers);
    integers.clear();
    return false;
}

void ArrowColumn::append_numbers(const ArrowArray& array, std::int64_t first, std::int64_t count) {
    const void* present = validity(array);
    const std::size_t before = numbers.size();
    numbers.resize(before + count);
    double* out = numbers.data() + before;
    bool exact = true;
    const bool real = type_.kind == ValueKind::real;
    for (std::int64_t row = 0; row < count; ++row) {
        out[row] = number_at(array.buffers[1], first + row, type_);
        if (present != nullptr && !bit(present, first + row)) {
            out[row] = kMissingNumber;
        } else if (real) {
            integral_ = integral_ && (out[row] != out[row] || (std::isfinite(out[row]) && out[row] == std::floor(out[row])));
        } else {
            exact = exact && std::fabs(out[row]) < kLargestExact;
        }
    }
    if (exact) return;
    numbers.resize(before);
    give_up_numbers();
    append(array, first - array.offset, count);
}

// Called when integers are too large to be distinct as doubles: the rows read so far become codes, and later ones too.
void ArrowColumn::give_up_numbers() {
    numeric_ = false;
    std::vector<std::uint32_t> coded(numbers.size());
    std::transform(numbers.begin(), numbers.end(), coded.begin(), [&](double number) {
        return number != number ? kMissingCode : words.code(static_cast<std::uint64_t>(static_cast<std::int64_t>(number)));
    });
    codes.append(coded.data(), coded.size(), words.size());
    numbers = {};
}

void ArrowColumn::append_dictionary(const ArrowArray& array, std::int64_t first, std::int64_t count) {
    const ArrowArray& values = *array.dictionary;
    std::vector<std::uint32_t> meaning(values.length);
    encode_block(values, values.offset, values.length, meaning.data());
    const void* present = validity(array);
    std::array<std::uint32_t, kCodeBlock> block;
    for (std::int64_t done = 0; done < count;) {
        const std::int64_t size = std::min<std::int64_t>(kCodeBlock, count - done);
        for (std::int64_t row = 0; row < size; ++row) {
            const std::int64_t from = first + done + row;
            if (present != nullptr && !bit(present, from)) {
                block[row] = kMissingCode;
                continue;
            }
            const std::int64_t index = whole_at(array.buffers[1], from, index_letter_);
            if (index < 0 || index >= values.length) throw std::out_of_range("an index outside of its dictionary");
            block[row] = meaning[index];
        }
        codes.append(block.data(), size, labels());
        done += size;
    }
}

namespace {

// Which rows of a text column have a label: missing values and, in files, empty fields have none.
struct TextRows {
    const void* present;
    bool empty_is_missing;
    bool skip(std::int64_t row, std::int64_t length) const {
        return (present != nullptr && !bit(present, row)) || (empty_is_missing && length == 0);
    }
};

template <typename Offset, bool checked>
void encode_texts(TextEncoder& texts, const ArrowArray& array, TextRows rows, std::int64_t first, std::int64_t count,
                  std::uint32_t* out) {
    const char* data = static_cast<const char*>(array.buffers[2]);
    auto begin = static_cast<std::int64_t>(at<Offset>(array.buffers[1], first));
    for (std::int64_t row = 0; row < count; ++row) {
        const auto end = static_cast<std::int64_t>(at<Offset>(array.buffers[1], first + row + 1));
        if (checked && rows.skip(first + row, end - begin)) {
            out[row] = kMissingCode;
        } else {
            out[row] = texts.code(data + begin, static_cast<std::size_t>(end - begin), begin >= 8);
        }
        begin = end;
    }
}

template <bool checked>
void encode_views(TextEncoder& texts, const ArrowArray& array, TextRows rows, std::int64_t first, std::int64_t count,
                  std::uint32_t* out) {
    const char* views = static_cast<const char*>(array.buffers[1]);
    for (std::int64_t row = 0; row < count; ++row) {
        const char* view = views + 16 * (first + row);
        const auto length = at<std::int32_t>(view, 0);
        if (checked && rows.skip(first + row, length)) {
            out[row] = kMissingCode;
        } else if (length <= 12) {
            out[row] = texts.code(view + 4, length, first + row > 0);
        } else {
            const char* data = static_cast<const char*>(array.buffers[2 + at<std::int32_t>(view, 2)]);
            out[row] = texts.code(data + at<std::int32_t>(view, 3), length, false);
        }
    }
}

template <bool checked>
void encode_any_text(TextEncoder& texts, char letter, const ArrowArray& array, TextRows rows, std::int64_t first,
                     std::int64_t count, std::uint32_t* out) {
    if (letter == 'v') return encode_views<checked>(texts, array, rows, first, count, out);
    if (letter == 'u') return encode_texts<std::int32_t, checked>(texts, array, rows, first, count, out);
    encode_texts<std::int64_t, checked>(texts, array, rows, first, count, out);
}

}  // namespace

void ArrowColumn::encode_block(const ArrowArray& array, std::int64_t first, std::int64_t count,
                               std::uint32_t* out) {
    if (count == 0) return;
    const void* present = validity(array);
    if (type_.kind == ValueKind::text || type_.kind == ValueKind::bytes) {
        const TextRows rows{present, empty_is_missing_};
        return present != nullptr || empty_is_missing_
                   ? encode_any_text<true>(texts, type_.letter, array, rows, first, count, out)
                   : encode_any_text<false>(texts, type_.letter, array, rows, first, count, out);
    }
    for (std::int64_t row = 0; row < count; ++row) {
        const std::int64_t from = first + row;
        if (type_.kind == ValueKind::null || (present != nullptr && !bit(present, from))) {
            out[row] = kMissingCode;
        } else if (type_.kind == ValueKind::truth) {
            out[row] = bit(array.buffers[1], from);
        } else if (type_.kind != ValueKind::real) {
            out[row] = words.code(static_cast<std::uint64_t>(whole_at(array.buffers[1], from, type_.letter)));
        } else {
            const double number = number_at(array.buffers[1], from, type_);
            out[row] = number != number ? kMissingCode : words.code(real_word(number));
        }
    }
}

}  // namespace bayou
