// Counting words: a map of words to numbers, and what is counted with it; knows nothing of Python's strings.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bayou {

inline constexpr std::uint32_t kUnknownWord = 0xFFFFFFFFu;
// Words are read in whole machine words: so many bytes behind a word must be readable.
inline constexpr std::size_t kWordPadding = 16;

struct WordSpan {
    std::size_t start, length;
};

// The words of one document: UTF-8 bytes, and where each word stands in them.
struct WordBuffer {
    std::vector<char> bytes;
    std::vector<WordSpan> words;
    const char* at(const WordSpan& word) const { return bytes.data() + word.start; }
    std::string_view view(const WordSpan& word) const { return {at(word), word.length}; }
};

// Words up to sixteen bytes are their own key; longer ones are compared byte by byte when their keys agree.
struct WordKey {
    std::uint64_t low, high, hash;
    std::uint32_t length;
};

// Each distinct word's number, in the order in which they came.
class WordMap {
  public:
    WordMap() : slots_(kFirstSlots) {}

    static WordKey key(const char* data, std::size_t length);
    void prefetch(const WordKey& key) const { __builtin_prefetch(&slots_[key.hash & (slots_.size() - 1)]); }
    std::uint32_t find(const WordKey& key, const char* data) const { return slots_[place(key, data)].number; }
    std::uint32_t number(const WordKey& key, const char* data);

    // The same for text that lies anywhere.
    std::uint32_t find(std::string_view word) const;
    std::uint32_t number(std::string_view word);

    std::size_t size() const { return spans_.size(); }
    std::string_view word(std::size_t number) const {
        return std::string_view(arena_).substr(spans_[number].start, spans_[number].length);
    }
    // The numbers of all words in the order of their bytes, which is the order of their code points.
    std::vector<std::uint32_t> sorted() const;

  private:
    struct Slot {
        std::uint64_t low = 0, high = 0;
        std::uint32_t length = 0, number = kUnknownWord;
    };
    static constexpr std::size_t kFirstSlots = 256;

    std::size_t place(const WordKey& key, const char* data) const;
    void grow();

    std::vector<Slot> slots_;
    std::string arena_;
    std::vector<WordSpan> spans_;
};

// Fills the buffer with the words of one document; called for each document once, from several threads.
using ReadWords = std::function<void(std::size_t document, WordBuffer& words)>;

// The documents of a call. `sizes` bounds how many words each has, to share the work out.
struct Documents {
    std::size_t count = 0;
    std::vector<std::size_t> sizes;
    ReadWords read;
};

// Occurrences of a word in a class, and documents of the class that have it.
template <typename Number>
struct WordCell {
    Number occurrences = 0, documents = 0;
};

template <typename Number>
struct WordCounts {
    WordMap words;                         // empty where the vocabulary was given
    std::vector<WordCell<Number>> cells;   // (word, class), classes side by side
};

// Number is double for weights, and for documents with more words than 32 bits can count.
// Counts every word by the class of its document; with a vocabulary only the words in it. The counts do not
// depend on the number of threads: whole numbers are exact, and weighted documents are shared out in a fixed way.
template <typename Number>
WordCounts<Number> count_words(const Documents& documents, const std::uint32_t* classes, std::size_t n_classes,
                               const double* weights, const WordMap* vocabulary, int threads);

// For each document the sum of its words' rows of `weights` (words × classes), written to `scores`;
// each word of a document once where `distinct`. Words that are not in the vocabulary are skipped.
void score_words(const Documents& documents, const WordMap& vocabulary, const double* weights,
                 std::size_t n_classes, bool distinct, double* scores, int threads);

// Word counts of each document, compressed by rows; words in ascending order.
struct WordMatrix {
    std::vector<std::int64_t> starts;
    std::vector<std::int32_t> words;
    std::vector<std::int64_t> counts;
};
WordMatrix word_matrix(const Documents& documents, const WordMap& vocabulary, int threads);

}  // namespace bayou
