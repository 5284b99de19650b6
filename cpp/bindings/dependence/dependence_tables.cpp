#include "bayou/dependence/dependence_tables.hpp"

#include "arrays.hpp"
#include "bayou/base/portable.hpp"
#include "register.hpp"
#include "unlocked.hpp"

namespace bayou::bindings {

namespace {

using Cards = Vector<std::uint32_t>;
using Parents = Matrix<std::int32_t>;
using Codes = Matrix<std::uint8_t>;

constexpr std::size_t kMostCells = std::size_t{1} << 33;

std::size_t times(std::size_t one, std::size_t other) {
    std::size_t product = 0;
    if (product_overflows(one, other, &product) || product > kMostCells) {
        throw std::invalid_argument("the tables would be too large");
    }
    return product;
}

// The layout of the tables; parents must be earlier in no order, but other columns that exist.
DependenceLayout layout_of(const Cards& cards, const Parents& parents, std::int64_t classes) {
    const std::size_t columns = cards.shape(0), many = natural(classes, "classes", 1 << 20);
    if (parents.shape(0) != columns || parents.shape(1) != 2) {
        throw std::invalid_argument("parents: expected two for each of the " + std::to_string(columns) + " columns");
    }
    std::size_t all = 0;
    for (std::size_t column = 0; column < columns; ++column) {
        const std::int32_t *own = parents.data() + 2 * column;
        std::size_t cells = times(natural(cards.data()[column], "a card", 255), many);
        for (int place = 0; place < 2; ++place) {
            const bool is_none = own[place] == -1;
            if (!is_none && (own[place] < 0 || static_cast<std::size_t>(own[place]) >= columns ||
                             static_cast<std::size_t>(own[place]) == column)) {
                throw std::invalid_argument("column " + std::to_string(column) + " has the parent " +
                                            std::to_string(own[place]) + ", which is no other column");
            }
            if (!is_none) cells = times(cells, cards.data()[own[place]]);
        }
        if (own[0] == -1 && own[1] != -1) throw std::invalid_argument("a column has a second parent without a first");
        all += cells;
        times(all, 1);
    }
    return DependenceLayout(cards.data(), parents.data(), columns, many);
}

CodedRows rows_of(const Codes& codes, std::size_t columns) {
    if (codes.shape(0) != columns) {
        throw std::invalid_argument("codes has " + std::to_string(codes.shape(0)) + " columns instead of " +
                                    std::to_string(columns));
    }
    return {codes.data(), codes.shape(1)};
}

// Rows that were counted: known codes, and a class each.
void require_counted(const CodedRows& rows, const Cards& cards, const Vector<std::uint32_t>& own, std::size_t classes) {
    if (own.shape(0) != rows.rows) throw std::invalid_argument("own must have one class for each row");
    for (std::size_t row = 0; row < rows.rows; ++row) {
        if (own.data()[row] >= classes) throw std::invalid_argument("row " + std::to_string(row) + " has no class");
    }
    for (std::size_t column = 0; column < cards.shape(0); ++column) {
        for (std::size_t row = 0; row < rows.rows; ++row) {
            if (rows.at(column, row) >= cards.data()[column]) {
                throw std::invalid_argument("row " + std::to_string(row) + " has no known value of column " +
                                            std::to_string(column));
            }
        }
    }
}

void require_length(const Vector<double>& numbers, std::size_t length, const char* name) {
    if (numbers.shape(0) != length) {
        throw std::invalid_argument(std::string(name) + " has " + std::to_string(numbers.shape(0)) +
                                    " entries instead of " + std::to_string(length));
    }
}

const double* weights_of(const std::optional<Vector<double>>& weights, std::size_t rows) {
    if (weights) require_length(*weights, rows, "weights");
    return weights ? weights->data() : nullptr;
}

Array<double> count_py(const Codes& codes, const Cards& cards, const Parents& parents, const Vector<std::uint32_t>& own,
                       std::int64_t classes, const std::optional<Vector<double>>& weights, int threads) {
    const DependenceLayout layout = layout_of(cards, parents, classes);
    const CodedRows rows = rows_of(codes, layout.columns());
    require_counted(rows, cards, own, layout.classes);
    const double* given = weights_of(weights, rows.rows);
    Output<double> counts({layout.cells()});
    {
        const Unlocked unlocked;
        count_dependences(layout, rows, own.data(), given, counts.data(), threads);
    }
    return counts.release();
}

Array<double> strengths_py(const Vector<double>& counts, const Cards& cards, const Parents& parents,
                           std::int64_t classes, const std::vector<double>& grid, int threads) {
    const DependenceLayout layout = layout_of(cards, parents, classes);
    require_length(counts, layout.cells(), "counts");
    if (grid.empty()) throw std::invalid_argument("grid is empty");
    Output<double> strengths({layout.columns(), 3});
    {
        const Unlocked unlocked;
        backoff_strengths(layout, counts.data(), grid, strengths.data(), threads);
    }
    return strengths.release();
}

Array<double> logs_py(const Vector<double>& counts, const Cards& cards, const Parents& parents, std::int64_t classes,
                      const Matrix<double>& strengths, int threads) {
    const DependenceLayout layout = layout_of(cards, parents, classes);
    require_length(counts, layout.cells(), "counts");
    if (strengths.shape(0) != layout.columns() || strengths.shape(1) != 3) {
        throw std::invalid_argument("strengths: expected three for each column");
    }
    Output<double> logs({layout.log_starts().back()});
    {
        const Unlocked unlocked;
        backoff_logs(layout, counts.data(), strengths.data(), logs.data(), threads);
    }
    return logs.release();
}

Array<double> left_out_py(const Vector<double>& counts, const Cards& cards, const Parents& parents,
                          std::int64_t classes, const Matrix<double>& strengths, const Codes& codes,
                          const Vector<std::uint32_t>& own, const Vector<double>& part, int threads) {
    const DependenceLayout layout = layout_of(cards, parents, classes);
    const CodedRows rows = rows_of(codes, layout.columns());
    require_length(counts, layout.cells(), "counts");
    require_length(part, rows.rows, "part");
    require_counted(rows, cards, own, layout.classes);
    if (strengths.shape(0) != layout.columns() || strengths.shape(1) != 3) {
        throw std::invalid_argument("strengths: expected three for each column");
    }
    Output<double> terms({rows.rows, layout.classes, layout.columns()});
    {
        const Unlocked unlocked;
        left_out_dependences(layout, counts.data(), strengths.data(), rows, own.data(), part.data(), terms.data(),
                             threads);
    }
    return terms.release();
}

Array<double> terms_py(const Vector<double>& logs, const Cards& cards, const Parents& parents, std::int64_t classes,
                       const Codes& codes, int threads) {
    const DependenceLayout layout = layout_of(cards, parents, classes);
    const CodedRows rows = rows_of(codes, layout.columns());
    require_length(logs, layout.log_starts().back(), "logs");
    Output<double> terms({rows.rows, layout.classes, layout.columns()});
    {
        const Unlocked unlocked;
        dependence_terms(layout, logs.data(), rows, terms.data(), threads);
    }
    return terms.release();
}

Array<double> scores_py(const Vector<double>& logs, const Cards& cards, const Parents& parents, std::int64_t classes,
                        const Codes& codes, const Vector<double>& weights, int threads) {
    const DependenceLayout layout = layout_of(cards, parents, classes);
    const CodedRows rows = rows_of(codes, layout.columns());
    require_length(logs, layout.log_starts().back(), "logs");
    require_length(weights, layout.columns(), "weights");
    Output<double> scores({rows.rows, layout.classes});
    {
        const Unlocked unlocked;
        dependence_scores(layout, logs.data(), rows, weights.data(), scores.data(), threads);
    }
    return scores.release();
}

Array<double> informations_py(const Codes& codes, const Cards& cards, const Vector<std::uint32_t>& own,
                              std::int64_t classes, const std::optional<Vector<double>>& weights, int threads) {
    const std::size_t columns = cards.shape(0), many = natural(classes, "classes", 1 << 20);
    const CodedRows rows = rows_of(codes, columns);
    for (std::size_t column = 0; column < columns; ++column) natural(cards.data()[column], "a card", 255);
    require_counted(rows, cards, own, many);
    const double* given = weights_of(weights, rows.rows);
    Output<double> information({columns, columns});
    {
        const Unlocked unlocked;
        class_informations(cards.data(), columns, many, rows, own.data(), given, information.data(), threads);
    }
    return information.release();
}

}  // namespace

void register_dependence(nb::module_& m) {
    using namespace nb::literals;
    m.def("count_dependences", &count_py, "codes"_a, "cards"_a, "parents"_a, "own"_a, "classes"_a,
          "weights"_a = nb::none(), "threads"_a = 0,
          "Counts of (second parent, first parent, column, class) of all columns, flat; no parent is -1.");
    m.def("backoff_strengths", &strengths_py, "counts"_a, "cards"_a, "parents"_a, "classes"_a, "grid"_a,
          "threads"_a = 0, "For each column and number of parents the strength with the best left-out likelihood.");
    m.def("backoff_logs", &logs_py, "counts"_a, "cards"_a, "parents"_a, "classes"_a, "strengths"_a, "threads"_a = 0,
          "log P(column | 0, 1 and 2 parents, class) of all columns, flat.");
    m.def("left_out_dependences", &left_out_py, "counts"_a, "cards"_a, "parents"_a, "classes"_a, "strengths"_a,
          "codes"_a, "own"_a, "part"_a, "threads"_a = 0,
          "log P(column | parents, class) [row, class, column], each row without `part` of its own weight.");
    m.def("dependence_terms", &terms_py, "logs"_a, "cards"_a, "parents"_a, "classes"_a, "codes"_a, "threads"_a = 0,
          "log P(column | parents, class) [row, class, column]; 0 where the column's code is no state.");
    m.def("dependence_scores", &scores_py, "logs"_a, "cards"_a, "parents"_a, "classes"_a, "codes"_a, "weights"_a,
          "threads"_a = 0, "The weighted sums over the columns of log P(column | parents, class), [row, class].");
    m.def("class_informations", &informations_py, "codes"_a, "cards"_a, "own"_a, "classes"_a,
          "weights"_a = nb::none(), "threads"_a = 0,
          "I(column; column | class) less its chance level; on the diagonal I(column; class).");
}

}  // namespace bayou::bindings
