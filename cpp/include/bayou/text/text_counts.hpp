// Counting words by class, scoring and listing them; knows nothing of Python's strings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "bayou/base/word_map.hpp"

namespace bayou {

// Fills the buffer with the words of one document; called for each document once, from several threads.
using ReadWords = std::function<void(std::size_t document, WordBuffer& words)>;

// The documents of a call. `sizes` are upper bounds of their numbers of words, used to divide the work.
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
