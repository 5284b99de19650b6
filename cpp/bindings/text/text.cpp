// Words counted, scored and listed straight from Python strings.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <numeric>

#include "arrays.hpp"
#include "coded_arrays.hpp"
#include "register.hpp"
#include "text/tokens.hpp"

namespace bayou::bindings {

namespace {

using Ngrams = std::pair<std::int64_t, std::int64_t>;
using Offsets = std::optional<Vector<std::int64_t>>;

// A word with its lone surrogates, if it has any, as Python's own UTF-8 with `surrogatepass`.
std::string utf8_of(nb::handle item, const char* what, std::size_t row) {
    if (!PyUnicode_Check(item.ptr())) {
        throw nb::type_error((std::string(what) + ", position " + std::to_string(row) + ": expected text (str)").c_str());
    }
    const nb::object bytes = nb::steal(PyUnicode_AsEncodedString(item.ptr(), "utf-8", "surrogatepass"));
    if (!bytes.is_valid()) throw nb::python_error();
    return {PyBytes_AS_STRING(bytes.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr()))};
}

nb::object word_text(std::string_view word) {
    PyObject* text = PyUnicode_DecodeUTF8(word.data(), static_cast<Py_ssize_t>(word.size()), "surrogatepass");
    if (text == nullptr) throw nb::python_error();
    return nb::steal(text);
}

// The words of a model, each with a number; made once and used for many look-ups.
class Vocabulary {
  public:
    explicit Vocabulary(const nb::list& words) {
        for (std::size_t row = 0; row < words.size(); ++row) {
            const std::string word = utf8_of(words[row], "words", row);
            if (map_.number(word) != row) {
                throw std::invalid_argument("words, position " + std::to_string(row) + ": '" + word + "' is there twice");
            }
        }
        if (map_.size() > INT32_MAX) throw std::length_error("a vocabulary has at most 2**31 - 1 words");
    }
    const WordMap& map() const { return map_; }
    List<nb::str> words() const {
        nb::list result;
        for (std::size_t number = 0; number < map_.size(); ++number) result.append(word_text(map_.word(number)));
        return result;
    }

  private:
    WordMap map_;
};

TokenRules rules_of(bool lowercase, bool punctuation, std::int64_t min_length, const Ngrams& ngrams,
                    const List<nb::str>& stop_words) {
    TokenRules rules;
    rules.lowercase = lowercase;
    rules.punctuation = punctuation;
    rules.min_length = natural(min_length, "min_length");
    rules.fewest = natural(ngrams.first, "ngrams");
    rules.most = natural(ngrams.second, "ngrams");
    if (rules.fewest < 1 || rules.most < rules.fewest) {
        throw std::invalid_argument("ngrams: expected (fewest, most) with 1 <= fewest <= most");
    }
    for (std::size_t row = 0; row < stop_words.size(); ++row) {
        rules.stop_words.number(utf8_of(stop_words[row], "stop_words", row));
    }
    return rules;
}

Texts texts_of(const nb::list& documents, TokenRules rules, const Offsets& offsets) {
    if (!offsets) return Texts(documents, std::move(rules), std::nullopt);
    std::vector<std::size_t> starts;
    for (std::size_t at = 0; at < offsets->shape(0); ++at) {
        starts.push_back(natural((*offsets)(at), "offsets", documents.size()));
        if (at > 0 && starts[at] < starts[at - 1]) throw std::invalid_argument("offsets: expected ascending numbers");
    }
    if (starts.empty() || starts.front() != 0 || starts.back() != documents.size()) {
        throw std::invalid_argument("offsets: expected to begin with 0 and to end with the number of words");
    }
    return Texts(documents, std::move(rules), std::move(starts));
}

template <typename Number, typename Cell>
nb::tuple counts_out(const WordCounts<Number>& counts, std::size_t words, std::size_t n_classes, bool learned) {
    Output<Cell> occurrences({words, n_classes}), documents({words, n_classes});
    std::vector<std::uint32_t> order;
    {
        nb::gil_scoped_release unlocked;
        if (learned) order = counts.words.sorted();
        for (std::size_t word = 0; word < words; ++word) {
            const WordCell<Number>* cells = counts.cells.data() + (learned ? order[word] : word) * n_classes;
            for (std::size_t k = 0; k < n_classes; ++k) {
                occurrences.data()[word * n_classes + k] = static_cast<Cell>(cells[k].occurrences);
                documents.data()[word * n_classes + k] = static_cast<Cell>(cells[k].documents);
            }
        }
    }
    nb::list names;
    for (const std::uint32_t number : order) names.append(word_text(counts.words.word(number)));
    return nb::make_tuple(names, occurrences.release(), documents.release());
}

template <typename Number, typename Cell>
nb::tuple counted(const Documents& documents, const Vector<std::uint32_t>& classes, std::size_t n_classes,
                  const double* weights, const Vocabulary* vocabulary, int threads) {
    const WordMap* map = vocabulary ? &vocabulary->map() : nullptr;
    WordCounts<Number> counts;
    {
        nb::gil_scoped_release unlocked;
        counts = count_words<Number>(documents, classes.data(), n_classes, weights, map, threads);
    }
    return counts_out<Number, Cell>(counts, map ? map->size() : counts.words.size(), n_classes, !map);
}

Tuple<List<nb::str>, CountArray, CountArray> count_words_py(
    const List<std::optional<nb::str>>& documents, const Vector<std::uint32_t>& classes, std::int64_t n_classes,
    const std::optional<Vector<double>>& weights, const Vocabulary* vocabulary, bool lowercase, bool punctuation,
    std::int64_t min_length, const Ngrams& ngrams, const List<nb::str>& stop_words, const Offsets& offsets,
    int threads) {
    const Texts texts =
        texts_of(documents, rules_of(lowercase, punctuation, min_length, ngrams, stop_words), offsets);
    const Documents read = texts.documents();
    const std::size_t card = natural(n_classes, "n_classes", UINT32_MAX);
    if (classes.shape(0) != read.count || (weights && weights->shape(0) != read.count)) {
        throw std::invalid_argument("there are " + std::to_string(read.count) + " documents: expected as many classes " +
                                    "and weights");
    }
    if (weights) return counted<double, double>(read, classes, card, weights->data(), vocabulary, threads);
    const std::size_t most = std::accumulate(read.sizes.begin(), read.sizes.end(), std::size_t{0});
    if (most < UINT32_MAX) return counted<std::uint32_t, std::int64_t>(read, classes, card, nullptr, vocabulary, threads);
    return counted<double, std::int64_t>(read, classes, card, nullptr, vocabulary, threads);
}

Array<double> score_words_py(const List<std::optional<nb::str>>& documents, const Vocabulary& vocabulary,
                             const Tensor<double>& weights, bool distinct, bool lowercase, bool punctuation,
                             std::int64_t min_length, const Ngrams& ngrams, const List<nb::str>& stop_words,
                             const Offsets& offsets, int threads) {
    if (weights.ndim() != 2 || weights.shape(0) != vocabulary.map().size()) {
        throw std::invalid_argument("weights: expected a row for each of the " +
                                    std::to_string(vocabulary.map().size()) + " words");
    }
    const Texts texts =
        texts_of(documents, rules_of(lowercase, punctuation, min_length, ngrams, stop_words), offsets);
    const Documents read = texts.documents();
    Output<double> scores({read.count, weights.shape(1)});
    {
        nb::gil_scoped_release unlocked;
        score_words(read, vocabulary.map(), weights.data(), weights.shape(1), distinct, scores.data(), threads);
    }
    return scores.release();
}

Tuple<Array<std::int64_t>, Array<std::int32_t>, Array<std::int64_t>> word_matrix_py(
    const List<std::optional<nb::str>>& documents, const Vocabulary& vocabulary, bool lowercase, bool punctuation,
    std::int64_t min_length, const Ngrams& ngrams, const List<nb::str>& stop_words, const Offsets& offsets,
    int threads) {
    const Texts texts =
        texts_of(documents, rules_of(lowercase, punctuation, min_length, ngrams, stop_words), offsets);
    const Documents read = texts.documents();
    WordMatrix matrix;
    {
        nb::gil_scoped_release unlocked;
        matrix = word_matrix(read, vocabulary.map(), threads);
    }
    nb::object starts = own_array<std::int64_t>(std::move(matrix.starts));
    nb::object words = own_array<std::int32_t>(std::move(matrix.words));
    nb::object counts = own_array<std::int64_t>(std::move(matrix.counts));
    return nb::make_tuple(starts, words, counts);
}

}  // namespace

void register_text(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<Vocabulary>(m, "Vocabulary")
        .def(nb::init<const List<nb::str>&>(), "words"_a)
        .def_prop_ro("words", &Vocabulary::words)
        .def("__len__", [](const Vocabulary& self) { return self.map().size(); })
        .def("__getstate__", &Vocabulary::words)
        .def("__setstate__", [](Vocabulary& self, const List<nb::str>& words) { new (&self) Vocabulary(words); });
    const Ngrams single(1, 1);
    m.def("count_words", &count_words_py, "documents"_a, "classes"_a, "n_classes"_a, "weights"_a = nb::none(),
          "vocabulary"_a = nb::none(), "lowercase"_a = true, "punctuation"_a = false, "min_length"_a = 1,
          "ngrams"_a = single, "stop_words"_a = nb::list(), "offsets"_a = nb::none(), "threads"_a = 0,
          "(words in order, occurrences, documents): how often each word occurs by class, in one pass.");
    m.def("score_words", &score_words_py, "documents"_a, "vocabulary"_a, "weights"_a, "distinct"_a = false,
          "lowercase"_a = true, "punctuation"_a = false, "min_length"_a = 1, "ngrams"_a = single,
          "stop_words"_a = nb::list(), "offsets"_a = nb::none(), "threads"_a = 0,
          "For each document the sum of its words' rows of weights; unknown words are skipped.");
    m.def("word_matrix", &word_matrix_py, "documents"_a, "vocabulary"_a, "lowercase"_a = true,
          "punctuation"_a = false, "min_length"_a = 1, "ngrams"_a = single, "stop_words"_a = nb::list(),
          "offsets"_a = nb::none(), "threads"_a = 0,
          "The words of each document by number, compressed by rows: (starts, words, counts).");
}

}  // namespace bayou::bindings
