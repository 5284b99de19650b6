// Arrays about the rows of trees, checked and held while the kernels read them.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>

#include "arrays.hpp"
#include "bayou/trees/class_trees.hpp"

namespace bayou::bindings {

using TreeCodes = Array<std::uint8_t>;
using OptionalWeights = std::optional<Vector<double>>;

// Rows to learn from have codes below the number of their column's, others that number too: a value that is unknown.
enum class Codes { learned, any };

inline CodeTable table_from(const nb::handle& item, const TreeColumns& columns, Matrix<std::uint8_t>& held, Codes kind = Codes::any) {
    held = array_from<Matrix<std::uint8_t>>(item, "codes", "a contiguous uint8 array, a row for each column of the table");
    if (held.shape(0) != columns.size()) {
        throw std::invalid_argument("codes have " + std::to_string(held.shape(0)) + " columns, the trees " +
                                    std::to_string(columns.size()));
    }
    const CodeTable table{held.data(), held.shape(0), held.shape(1)};
    if (table.rows > UINT32_MAX) throw std::invalid_argument("codes have more than 2**32 rows: hand them on in parts");
    for (std::size_t column = 0; column < table.columns; ++column) {
        const std::uint8_t* codes = table.column(column);
        std::uint8_t most = 0;
        for (std::size_t row = 0; row < table.rows; ++row) most = std::max(most, codes[row]);
        const std::size_t allowed = columns.cards[column] - (kind == Codes::learned ? 1 : 0);
        if (table.rows > 0 && most > allowed) {
            throw std::invalid_argument("column " + std::to_string(column) + " has the code " + std::to_string(most) +
                                        ": expected codes up to " + std::to_string(allowed));
        }
    }
    return table;
}

inline void check_length(std::size_t found, std::size_t rows, const char* name) {
    if (found != rows) {
        throw std::invalid_argument(std::string(name) + " has " + std::to_string(found) + " entries for " +
                                    std::to_string(rows) + " rows");
    }
}

// Arrays about rows, held while the kernels read them.
struct GivenRows {
    Matrix<std::uint8_t> codes;
    Vector<std::int32_t> classes;
    OptionalWeights weights;
    std::optional<Vector<std::uint64_t>> hashes;
    TrainingRows rows;

    GivenRows(const TreeCodes& given_codes, const Array<std::int32_t>& given_classes, const OptionalWeights& given_weights,
              const TreeColumns& columns, std::size_t n_classes, Codes kind = Codes::any)
        : classes(array_from<Vector<std::int32_t>>(nb::cast(given_classes), "y", "a contiguous int32 array")),
          weights(given_weights) {
        rows.table = table_from(nb::cast(given_codes), columns, codes, kind);
        check_length(classes.shape(0), rows.table.rows, "y");
        const auto most = static_cast<std::int32_t>(n_classes);
        for (std::size_t row = 0; row < rows.table.rows; ++row) {
            if (classes.data()[row] < 0 || classes.data()[row] >= most) {
                throw std::invalid_argument("y of row " + std::to_string(row) + " is " + std::to_string(classes.data()[row]) +
                                            ": expected codes of classes from 0 to " + std::to_string(most - 1));
            }
        }
        rows.classes = classes.data();
        if (weights) check_weights();
    }

    void add_hashes(const Array<std::uint64_t>& given) {
        hashes = array_from<Vector<std::uint64_t>>(nb::cast(given), "row_hashes", "a contiguous uint64 array");
        check_length(hashes->shape(0), rows.table.rows, "row_hashes");
        rows.hashes = hashes->data();
    }

  private:
    void check_weights() {
        check_length(weights->shape(0), rows.table.rows, "weights");
        for (std::size_t row = 0; row < rows.table.rows; ++row) {
            const double weight = weights->data()[row];
            if (!(weight >= 0 && std::isfinite(weight))) {
                throw std::invalid_argument("the weight of row " + std::to_string(row) + " is " + std::to_string(weight) +
                                            ": expected a finite number of at least 0");
            }
        }
        rows.weights = weights->data();
    }
};

template <typename T>
Array<T> array_of(const std::vector<T>& values) {
    Output<T> out({values.size()});
    std::copy(values.begin(), values.end(), out.data());
    return out.release();
}

// The same, and the memory of the values is given back.
template <typename T>
Array<T> taken_array(std::vector<T>& values) {
    Array<T> array = array_of(values);
    values = std::vector<T>();
    return array;
}

inline Array<double> matrix_of(const std::vector<double>& values, std::size_t columns) {
    Output<double> out({values.size() / columns, columns});
    std::copy(values.begin(), values.end(), out.data());
    return out.release();
}

template <typename T>
std::vector<T> copied(const Vector<T>& array) {
    return {array.data(), array.data() + array.shape(0)};
}

template <typename T>
std::span<const T> spanned(const Vector<T>& array) {
    return {array.data(), array.shape(0)};
}

// What trees know of the columns, from the numbers of their codes.
inline TreeColumns columns_from(const std::vector<std::int64_t>& cards, const std::vector<bool>& ordered) {
    if (cards.empty() || cards.size() >= UINT16_MAX) throw std::invalid_argument("expected from 1 to 65534 columns");
    if (cards.size() != ordered.size()) throw std::invalid_argument("expected a kind for each column");
    std::vector<std::uint32_t> sizes;
    for (const std::int64_t card : cards) {
        if (card < 1) throw std::invalid_argument("a column has no codes: expected at least that of gaps");
        sizes.push_back(static_cast<std::uint32_t>(natural(card, "the number of codes of a column", kNeverSeen)));
    }
    return {std::move(sizes), {ordered.begin(), ordered.end()}};
}

}  // namespace bayou::bindings
