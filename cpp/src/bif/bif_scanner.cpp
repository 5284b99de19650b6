#include "bayou/bif/bif_scanner.hpp"

#include <array>
#include <charconv>
#include <system_error>

namespace bayou::bif {

namespace {

constexpr std::array<bool, 256> make_table(std::string_view members) {
    std::array<bool, 256> table{};
    for (const char member : members) table[static_cast<unsigned char>(member)] = true;
    return table;
}

constexpr auto kBlank = make_table(" \t\r\n\f\v");
constexpr auto kDelimiter = make_table(" \t\r\n\f\v{}()[],;|\"");

bool is_in(const std::array<bool, 256>& table, char c) { return table[static_cast<unsigned char>(c)]; }

// How many bytes the UTF-8 sequence at `at` has, or 0 where there is no valid one.
std::size_t sequence_length(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const unsigned lead = byte(at);
    if (lead < 0x80) return 1;
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xC0) != 0x80) return 0;
    }
    const unsigned second = byte(at + 1);
    const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
    const bool surrogate = lead == 0xED && second >= 0xA0;
    const bool beyond_unicode = lead == 0xF4 && second >= 0x90;
    return overlong || surrogate || beyond_unicode ? 0 : length;
}

// The first byte that is not UTF-8, or npos.
std::size_t first_bad_byte(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = sequence_length(text, at);
        if (length == 0) return at;
        at += length;
    }
    return std::string_view::npos;
}

char unescape(char after_backslash) {
    switch (after_backslash) {
        case 'n': return '\n';
        case 'r': return '\r';
        case 't': return '\t';
        case '"':
        case '\\': return after_backslash;
        default: return 0;
    }
}

}  // namespace

std::string quoted(std::string_view name) {
    std::string shown = "'";
    shown += name;
    return shown += "'";
}

Scanner::Scanner(std::string_view text, std::deque<std::string>& unescaped)
    : text_(text), unescaped_(unescaped) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
}

Error Scanner::error_at(std::size_t where, std::string problem) const {
    Error error;
    error.problem = std::move(problem);
    error.line = 1;
    std::size_t line_start = text_.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    for (std::size_t i = line_start; i < where && i < text_.size(); ++i) {
        const bool lone_return = text_[i] == '\r' && (i + 1 == text_.size() || text_[i + 1] != '\n');
        if (text_[i] == '\n' || lone_return) {
            ++error.line;
            line_start = i + 1;
        }
    }
    error.column = 1;
    for (std::size_t i = line_start; i < where && i < text_.size(); ++i) {
        const bool continues = (static_cast<unsigned char>(text_[i]) & 0xC0) == 0x80;
        if (!continues) ++error.column;
    }
    return error;
}

void Scanner::fail(std::size_t where, std::string problem) const { throw error_at(where, std::move(problem)); }

// The text at the current position, cut to a readable length at the end of a character.
std::string Scanner::found() {
    if (peek() == kEnd) return "the end of the file";
    std::size_t end = at_ + 1;
    if (!is_in(kDelimiter, text_[at_])) {
        while (end < text_.size() && end < at_ + 40 && !is_in(kDelimiter, text_[end])) ++end;
    }
    std::string_view shown = text_.substr(at_, end - at_);
    const std::size_t bad = first_bad_byte(shown);
    if (bad == 0) return "a byte that is not UTF-8";
    return quoted(shown.substr(0, bad));
}

void Scanner::fail_expected(std::string_view expected) {
    const std::string instead = found();
    fail(at_, std::string("expected ") + std::string(expected) + ", found " + instead);
}

void Scanner::skip_comment() {
    const std::size_t start = at_;
    if (text_[at_ + 1] == '/') {
        at_ = text_.find_first_of("\r\n", at_);
        if (at_ == std::string_view::npos) at_ = text_.size();
        return;
    }
    const std::size_t close = text_.find("*/", at_ + 2);
    if (close == std::string_view::npos) fail(start, "this comment is never closed; expected '*/'");
    at_ = close + 2;
}

void Scanner::skip_blanks() {
    while (at_ < text_.size()) {
        const char c = text_[at_];
        if (is_in(kBlank, c)) {
            ++at_;
        } else if (c == '/' && at_ + 1 < text_.size() && (text_[at_ + 1] == '/' || text_[at_ + 1] == '*')) {
            skip_comment();
        } else {
            return;
        }
    }
}

int Scanner::peek() {
    skip_blanks();
    return at_ < text_.size() ? static_cast<unsigned char>(text_[at_]) : kEnd;
}

bool Scanner::accept(char punctuation) {
    if (peek() != static_cast<unsigned char>(punctuation)) return false;
    ++at_;
    return true;
}

void Scanner::expect(char punctuation, std::string_view context) {
    if (accept(punctuation)) return;
    fail_expected(quoted(std::string_view(&punctuation, 1)) + " " + std::string(context));
}

void Scanner::expect_keyword(std::string_view keyword) {
    const std::size_t start = where();
    if (at_name() && text_[at_] != '"' && bare_word() == keyword) return;
    at_ = start;
    fail_expected(quoted(keyword));
}

bool Scanner::at_name() {
    const int next = peek();
    return next != kEnd && (next == '"' || !is_in(kDelimiter, static_cast<char>(next)));
}

Named Scanner::name(std::string_view expected) {
    if (!at_name()) fail_expected(expected);
    const std::size_t start = at_;
    return {text_[at_] == '"' ? quoted_word() : bare_word(), start};
}

std::string_view Scanner::bare_word() {
    const std::size_t start = at_;
    bool ascii = true;
    for (; at_ < text_.size() && !is_in(kDelimiter, text_[at_]); ++at_) {
        const char c = text_[at_];
        if (c == '/' && at_ + 1 < text_.size() && (text_[at_ + 1] == '/' || text_[at_ + 1] == '*')) break;
        ascii = ascii && static_cast<unsigned char>(c) < 0x80;
    }
    const std::string_view word = text_.substr(start, at_ - start);
    if (!ascii) check_utf8(word);
    return word;
}

// Where the quote that opens here is closed on the same line, or npos.
std::size_t Scanner::closing_quote(std::size_t opening) const {
    for (std::size_t i = opening + 1; i < text_.size(); ++i) {
        const char c = text_[i];
        if (c == '"') return i;
        if (c == '\n' || c == '\r') break;
        if (c == '\\' && i + 1 < text_.size() && unescape(text_[i + 1]) != 0) ++i;
    }
    return std::string_view::npos;
}

std::string_view Scanner::quoted_word() {
    const std::size_t opening = at_;
    const std::size_t closing = closing_quote(opening);
    if (closing == std::string_view::npos) {
        fail(opening, "this quoted name is not closed on its line; expected '\"' (a line break in a name is \\n)");
    }
    at_ = closing + 1;
    const std::string_view inside = text_.substr(opening + 1, closing - opening - 1);
    check_utf8(inside);
    if (inside.find('\\') == std::string_view::npos) return inside;
    std::string& plain = unescaped_.emplace_back();
    for (std::size_t i = 0; i < inside.size(); ++i) {
        const char escaped = inside[i] == '\\' && i + 1 < inside.size() ? unescape(inside[i + 1]) : 0;
        plain += escaped != 0 ? escaped : inside[i];
        i += escaped != 0;
    }
    return plain;
}

double Scanner::number() {
    const int first = peek();
    const bool minus = first == '-';
    if (first != '.' && !minus && (first < '0' || first > '9')) fail_expected("a number");
    const std::size_t start = at_;
    double value = 0;
    const auto [end, status] = std::from_chars(text_.data() + start, text_.data() + text_.size(), value);
    const auto stop = static_cast<std::size_t>(end - text_.data());
    const bool ends = stop == text_.size() || is_in(kDelimiter, text_[stop]) || text_[stop] == '/';
    if (status == std::errc::invalid_argument || !ends) fail_expected("a number");
    if (status == std::errc::result_out_of_range) value = number_out_of_range(start, stop);
    if (value < 0 || (minus && !(value <= 0))) fail_expected("a probability, which is never negative");
    if (!(value <= 1e300)) fail_expected("a probability, which is a finite number");
    at_ = stop;
    return minus ? 0.0 : value;
}

// A number too small for a double becomes 0; one that is too large is refused.
double Scanner::number_out_of_range(std::size_t start, std::size_t end) const {
    const std::string_view word = text_.substr(start, end - start);
    const std::size_t exponent = word.find_first_of("eE");
    const bool small = exponent == std::string_view::npos ? word.find_first_not_of("0.") > word.find('.')
                                                          : word.substr(exponent + 1).starts_with('-');
    if (small) return 0.0;
    fail(start, "expected a probability, found a number too large for a float");
}

std::string_view Scanner::property_text() {
    // No comment may start here: the text can be an address such as //host/path.
    while (at_ < text_.size() && is_in(kBlank, text_[at_])) ++at_;
    const std::size_t start = at_;
    for (std::size_t i = start; i < text_.size(); ++i) {
        const char c = text_[i];
        if (c == '\\' && i + 1 < text_.size() && text_[i + 1] == '"') {
            ++i;
        } else if (c == '"') {
            const std::size_t closing = closing_quote(i);
            if (closing != std::string_view::npos) i = closing;
        } else if (c == ';') {
            at_ = i + 1;
            while (i > start && is_in(kBlank, text_[i - 1])) --i;
            const std::string_view property = text_.substr(start, i - start);
            check_utf8(property);
            return property;
        }
    }
    fail(start, "expected ';' at the end of this property, found the end of the file");
}

void Scanner::skip_block() {
    expect('{', "to open the block");
    for (std::size_t depth = 1; depth > 0;) {
        const int next = peek();
        if (next == kEnd) fail_expected("'}' to close the block");
        if (at_name()) {
            const bool bare = next != '"';
            if (name("a name").text == "property" && bare && depth == 1) property_text();
            continue;
        }
        depth += next == '{';
        depth -= next == '}';
        ++at_;
    }
}

void Scanner::check_utf8(std::string_view token) const {
    const std::size_t bad = first_bad_byte(token);
    if (bad == std::string_view::npos) return;
    const auto where = static_cast<std::size_t>(token.data() - text_.data()) + bad;
    fail(where, "this byte is not UTF-8; save the file in that encoding");
}

}  // namespace bayou::bif
