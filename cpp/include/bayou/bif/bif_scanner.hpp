// The tokens of a BIF file: names bare and quoted, numbers, punctuation, free property text.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

#include "bayou/bif/bif.hpp"

namespace bayou::bif {

// A name and its position.
struct Named {
    std::string_view text;
    std::size_t where = 0;
};

class Scanner {
   public:
    static constexpr int kEnd = -1;

    // Unescaped copies of quoted names go to `unescaped`, which must outlive the views.
    Scanner(std::string_view text, std::deque<std::string>& unescaped);

    // The next character that is neither blank nor comment (not taken), or kEnd.
    int peek();
    std::size_t where() { return peek(), at_; }
    void jump(std::size_t where) { at_ = where; }
    std::size_t size() const { return text_.size(); }

    bool accept(char punctuation);
    void expect(char punctuation, std::string_view context);
    void expect_keyword(std::string_view keyword);
    bool at_name();
    Named name(std::string_view expected);
    double number();
    // The raw text up to the ';' that ends it; a ';' inside "quotes" closed on their line does not.
    std::string_view property_text();
    // Jumps over a {...} whose names cannot be looked up yet.
    void skip_block();

    [[noreturn]] void fail(std::size_t where, std::string problem) const;
    [[noreturn]] void fail_expected(std::string_view expected);
    Error error_at(std::size_t where, std::string problem) const;

   private:
    void skip_blanks();
    void skip_comment();
    std::string_view bare_word();
    std::string_view quoted_word();
    std::size_t closing_quote(std::size_t opening) const;
    double number_out_of_range(std::size_t start, std::size_t end) const;
    void check_utf8(std::string_view token) const;
    std::string found();

    std::string_view text_;
    std::size_t at_ = 0;
    std::deque<std::string>& unescaped_;
};

// A name as it is shown in a message.
std::string quoted(std::string_view name);

}  // namespace bayou::bif
