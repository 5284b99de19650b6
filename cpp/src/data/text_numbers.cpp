// Numbers as text files spell them.
#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string>
#include <string_view>

#include "bayou/data/encode_text_file.hpp"

namespace bayou {
namespace {

bool is_blank(char byte) { return byte == ' ' || byte == '\t'; }
bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

bool is_gap_word(const char* begin, const char* end) {
    std::string word(begin, end);
    for (char& byte : word)
        if (byte >= 'A' && byte <= 'Z') byte = static_cast<char>(byte - 'A' + 'a');
    constexpr std::array<std::string_view, 9> words = {"na",   "nan",  "n/a",  "null", "none",
                                                       "<na>", "-nan", "#n/a", "?"};
    return std::find(words.begin(), words.end(), word) != words.end();
}

// Whether a word means infinity: "inf" or "infinity" in any case.
bool is_infinity(const char* begin, const char* end) {
    constexpr std::string_view word = "infinity";
    const auto length = static_cast<std::size_t>(end - begin);
    if (length != 3 && length != word.size()) return false;
    return std::equal(begin, end, word.begin(), [](char byte, char letter) { return (byte | 0x20) == letter; });
}

}  // namespace

bool read_number(const char* begin, const char* end, double& number) {
    while (begin != end && is_blank(*begin)) ++begin;
    while (begin != end && is_blank(end[-1])) --end;
    const char* digits = begin != end && (*begin == '+' || *begin == '-') ? begin + 1 : begin;
    const bool starts = digits != end && (is_digit(*digits) || *digits == '.');
    if (!starts && is_infinity(digits, end)) {
        number = *begin == '-' ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
        return true;
    }
    if (!starts) {
        number = std::numeric_limits<double>::quiet_NaN();
        return is_gap_word(begin, end);
    }
    if (*digits == '0' && end - digits > 1 && is_digit(digits[1])) return false;
    const auto [stop, problem] = std::from_chars(digits, end, number);
    if (problem != std::errc() || stop != end) return false;
    if (number >= kLargestExact && std::all_of(digits, end, is_digit)) return false;
    if (*begin == '-') number = -number;
    return true;
}

}  // namespace bayou
