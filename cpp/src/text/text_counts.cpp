#include "bayou/text/text_counts.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "bayou/base/portable.hpp"
#include "bayou/base/threads.hpp"

namespace bayou {

namespace {

// Memory is prefetched this many words before it is used.
constexpr std::size_t kBlock = 64;
// Weighted documents are always counted in this many parts, so that the order of the sums is fixed.
constexpr std::size_t kWeightedParts = 4;
constexpr std::size_t kScoredTogether = 64;

// Calls use(number, word) for the words of a document, block by block; `look_up` gives a word's number.
template <typename LookUp, typename Use>
void each_number(const WordBuffer& buffer, const WordMap& map, const LookUp& look_up, const Use& use) {
    std::array<WordKey, kBlock> keys;
    std::array<std::uint32_t, kBlock> numbers;
    for (std::size_t from = 0; from < buffer.words.size(); from += kBlock) {
        const std::size_t size = std::min(kBlock, buffer.words.size() - from);
        const WordSpan* words = buffer.words.data() + from;
        for (std::size_t at = 0; at < size; ++at) {
            keys[at] = WordMap::key(buffer.at(words[at]), words[at].length);
            map.prefetch(keys[at]);
        }
        for (std::size_t at = 0; at < size; ++at) numbers[at] = look_up(keys[at], buffer.at(words[at]));
        use(numbers.data(), size);
    }
}

// Where each part of the documents begins, with about equally many words in each.
std::vector<std::size_t> parts_of(const Documents& documents, std::size_t parts) {
    const std::size_t total = std::accumulate(documents.sizes.begin(), documents.sizes.end(), std::size_t{0});
    std::vector<std::size_t> starts{0};
    std::size_t seen = 0;
    for (std::size_t document = 0; document < documents.count; ++document) {
        if (starts.size() < parts && seen >= total / parts * starts.size() && document > starts.back()) {
            starts.push_back(document);
        }
        seen += documents.sizes[document];
    }
    starts.push_back(documents.count);
    return starts;
}

// The counts of one part of the documents.
template <typename Number>
class Counter {
  public:
    Counter(std::size_t n_classes, const WordMap* vocabulary) : n_classes_(n_classes), vocabulary_(vocabulary) {
        if (vocabulary) grow_to(vocabulary->size());
    }

    void add(const WordBuffer& buffer, std::uint32_t document, std::uint32_t of_class, Number weight) {
        const auto use = [&](const std::uint32_t* numbers, std::size_t size) {
            if (!vocabulary_) grow_to(counts.words.size());
            count(numbers, size, document + 1, of_class, weight);
        };
        if (vocabulary_) {
            const auto look_up = [&](const WordKey& key, const char* data) { return vocabulary_->find(key, data); };
            each_number(buffer, *vocabulary_, look_up, use);
        } else {
            const auto look_up = [&](const WordKey& key, const char* data) { return counts.words.number(key, data); };
            each_number(buffer, counts.words, look_up, use);
        }
    }

    WordCounts<Number> counts;

  private:
    void grow_to(std::size_t words) {
        if (words <= last_.size()) return;
        last_.resize(words, 0);
        counts.cells.resize(words * n_classes_);
    }

    void count(const std::uint32_t* numbers, std::size_t size, std::uint32_t mark, std::uint32_t of_class,
               Number weight) {
        WordCell<Number>* cells = counts.cells.data() + of_class;
        for (std::size_t at = 0; at < size; ++at) {
            if (numbers[at] != kUnknownWord) BAYOU_PREFETCH(cells + numbers[at] * n_classes_, 1);
        }
        for (std::size_t at = 0; at < size; ++at) {
            if (numbers[at] == kUnknownWord) continue;
            WordCell<Number>& cell = cells[numbers[at] * n_classes_];
            cell.occurrences += weight;
            if (last_[numbers[at]] != mark) cell.documents += weight;
            last_[numbers[at]] = mark;
        }
    }

    std::size_t n_classes_;
    const WordMap* vocabulary_;
    std::vector<std::uint32_t> last_;  // the last document that had the word, plus one
};

template <typename Number>
void merge(WordCounts<Number>& into, WordCounts<Number>& from, std::size_t n_classes, bool numbered_alike) {
    const std::size_t words = n_classes ? from.cells.size() / n_classes : 0;
    for (std::size_t word = 0; word < words; ++word) {
        const std::size_t place = numbered_alike ? word : into.words.number(from.words.word(word));
        if (into.cells.size() < (place + 1) * n_classes) into.cells.resize((place + 1) * n_classes);
        for (std::size_t k = 0; k < n_classes; ++k) {
            into.cells[place * n_classes + k].occurrences += from.cells[word * n_classes + k].occurrences;
            into.cells[place * n_classes + k].documents += from.cells[word * n_classes + k].documents;
        }
    }
    from = WordCounts<Number>();
}

}  // namespace

template <typename Number>
WordCounts<Number> count_words(const Documents& documents, const std::uint32_t* classes, std::size_t n_classes,
                               const double* weights, const WordMap* vocabulary, int threads) {
    if (documents.count >= UINT32_MAX) throw std::length_error("there are more than 2**32 - 2 documents");
    for (std::size_t row = 0; row < documents.count; ++row) {
        if (classes[row] >= n_classes) {
            throw std::invalid_argument("classes, row " + std::to_string(row) + ": class " +
                                        std::to_string(classes[row]) + " is not below " + std::to_string(n_classes));
        }
    }
    const std::size_t parts = weights ? kWeightedParts : static_cast<std::size_t>(usable_threads(threads));
    const std::vector<std::size_t> starts = parts_of(documents, parts);
    std::vector<Counter<Number>> counters(starts.size() - 1, Counter<Number>(n_classes, vocabulary));
    parallel_for(counters.size(), threads, [&](std::size_t part, int) {
        WordBuffer buffer;
        for (std::size_t row = starts[part]; row < starts[part + 1]; ++row) {
            documents.read(row, buffer);
            const Number weight = weights ? static_cast<Number>(weights[row]) : Number{1};
            counters[part].add(buffer, static_cast<std::uint32_t>(row), classes[row], weight);
        }
    });
    for (std::size_t part = 1; part < counters.size(); ++part) {
        merge(counters[0].counts, counters[part].counts, n_classes, vocabulary != nullptr);
    }
    return std::move(counters[0].counts);
}

template WordCounts<std::uint32_t> count_words(const Documents&, const std::uint32_t*, std::size_t, const double*,
                                               const WordMap*, int);
template WordCounts<double> count_words(const Documents&, const std::uint32_t*, std::size_t, const double*,
                                        const WordMap*, int);

void score_words(const Documents& documents, const WordMap& vocabulary, const double* weights,
                 std::size_t n_classes, bool distinct, double* scores, int threads) {
    const auto look_up = [&](const WordKey& key, const char* data) { return vocabulary.find(key, data); };
    threads = usable_threads(threads);  // once: the default may change meanwhile
    const std::size_t workers = static_cast<std::size_t>(threads);
    std::vector<WordBuffer> buffers(workers);
    std::vector<std::vector<std::size_t>> last(workers, std::vector<std::size_t>(distinct ? vocabulary.size() : 0));
    const std::size_t tasks = (documents.count + kScoredTogether - 1) / kScoredTogether;
    parallel_for(tasks, threads, [&](std::size_t task, int worker) {
        const std::size_t end = std::min(documents.count, (task + 1) * kScoredTogether);
        for (std::size_t row = task * kScoredTogether; row < end; ++row) {
            documents.read(row, buffers[worker]);
            double* score = scores + row * n_classes;
            each_number(buffers[worker], vocabulary, look_up, [&](const std::uint32_t* numbers, std::size_t size) {
                for (std::size_t at = 0; at < size; ++at) {
                    if (numbers[at] == kUnknownWord) continue;
                    const char* row_of_word = reinterpret_cast<const char*>(weights + numbers[at] * n_classes);
                    for (std::size_t byte = 0; byte < n_classes * sizeof(double) && byte < 256; byte += 64) {
                        BAYOU_PREFETCH(row_of_word + byte);
                    }
                }
                for (std::size_t at = 0; at < size; ++at) {
                    if (numbers[at] == kUnknownWord) continue;
                    if (distinct && std::exchange(last[worker][numbers[at]], row + 1) == row + 1) continue;
                    const double* weight = weights + numbers[at] * n_classes;
                    for (std::size_t k = 0; k < n_classes; ++k) score[k] += weight[k];
                }
            });
        }
    });
}

WordMatrix word_matrix(const Documents& documents, const WordMap& vocabulary, int threads) {
    const auto look_up = [&](const WordKey& key, const char* data) { return vocabulary.find(key, data); };
    const std::vector<std::size_t> starts = parts_of(documents, static_cast<std::size_t>(usable_threads(threads)));
    std::vector<WordMatrix> parts(starts.size() - 1);
    parallel_for(parts.size(), threads, [&](std::size_t part, int) {
        WordBuffer buffer;
        std::vector<std::uint32_t> known;
        WordMatrix& matrix = parts[part];
        for (std::size_t row = starts[part]; row < starts[part + 1]; ++row) {
            documents.read(row, buffer);
            known.clear();
            each_number(buffer, vocabulary, look_up, [&](const std::uint32_t* numbers, std::size_t size) {
                std::copy_if(numbers, numbers + size, std::back_inserter(known),
                             [](std::uint32_t number) { return number != kUnknownWord; });
            });
            std::sort(known.begin(), known.end());
            for (std::size_t at = 0; at < known.size(); ++at) {
                if (at > 0 && known[at] == known[at - 1]) {
                    ++matrix.counts.back();
                } else {
                    matrix.words.push_back(static_cast<std::int32_t>(known[at]));
                    matrix.counts.push_back(1);
                }
            }
            matrix.starts.push_back(static_cast<std::int64_t>(matrix.words.size()));
        }
    });
    WordMatrix whole;
    whole.starts.reserve(documents.count + 1);
    whole.starts.push_back(0);
    for (const WordMatrix& part : parts) {
        const auto before = static_cast<std::int64_t>(whole.words.size());
        for (const std::int64_t end : part.starts) whole.starts.push_back(before + end);
        whole.words.insert(whole.words.end(), part.words.begin(), part.words.end());
        whole.counts.insert(whole.counts.end(), part.counts.begin(), part.counts.end());
    }
    return whole;
}

}  // namespace bayou
