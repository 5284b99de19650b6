// Words of Python strings, found with CPython's own Unicode tables; reads strings without the interpreter lock.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bayou/text/text_counts.hpp"

namespace bayou::bindings {

// What a word is. Without `punctuation` words are runs of \w, with it runs of [^\w\s] are words too.
struct TokenRules {
    bool lowercase = true;
    bool punctuation = false;
    std::size_t min_length = 1;  // of runs of \w, in characters
    std::size_t fewest = 1, most = 1;  // how many words in a row make one n-gram
    WordMap stop_words;
};

// A list of strings that stays readable while the interpreter lock is released. None is an empty document.
class Texts {
  public:
    // With `offsets` the strings are words, and document d has those from offsets[d] to offsets[d + 1].
    Texts(const nanobind::list& strings, TokenRules rules, std::optional<std::vector<std::size_t>> offsets);

    Documents documents() const;

  private:
    struct Text {
        const void* data = nullptr;
        std::size_t length = 0;
        int width = 1;            // bytes a character
        bool ascii = true;
        bool is_lower = false;    // lower-cased by Python, where the rule needs the characters around
    };
    Text text_of(nanobind::handle item, std::size_t row);
    void read(std::size_t document, WordBuffer& words) const;
    void append_whole(const Text& text, WordBuffer& words) const;

    TokenRules rules_;
    std::optional<std::vector<std::size_t>> offsets_;
    std::vector<nanobind::object> held_;
    std::vector<Text> texts_;
};

}  // namespace bayou::bindings
