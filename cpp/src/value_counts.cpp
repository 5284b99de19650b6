#include "bayou/value_counts.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "bayou/codes.hpp"
#include "bayou/radix_sort.hpp"

namespace bayou {

namespace {

// Rows of one value, gathered by class.
class Group {
  public:
    explicit Group(std::size_t n_classes) : weight_(n_classes, 0.0) {}

    void add(std::uint32_t of_class, double weight) {
        if (weight_[of_class] == 0) seen_.push_back(of_class);
        weight_[of_class] += weight;
    }

    void move_to(ValueCounts& result, double value) {
        std::sort(seen_.begin(), seen_.end());
        for (const std::uint32_t of_class : seen_) {
            result.values.push_back(value);
            result.classes.push_back(of_class);
            result.weights.push_back(weight_[of_class]);
            weight_[of_class] = 0;
        }
        seen_.clear();
    }

  private:
    std::vector<double> weight_;
    std::vector<std::uint32_t> seen_;
};

std::uint32_t class_of(const ClassedColumn& column, std::size_t row) {
    return column.classes ? column.classes[row] : 0;
}

bool counts(const ClassedColumn& column, std::size_t row) {
    return column.values[row] == column.values[row] && class_of(column, row) != missing_index &&
           !(column.weights && column.weights[row] == 0);
}

// Payload: the class where every row weighs 1, the row where not.
template <typename Payload>
ValueCounts gathered(const ClassedColumn& column) {
    KeyedRows<Payload> rows(column.rows);
    for (std::size_t row = 0; row < column.rows; ++row) {
        if (!counts(column, row)) continue;
        rows.push(sortable_key(column.values[row]),
                  static_cast<Payload>(column.weights ? row : class_of(column, row)));
    }
    rows.sort();
    std::size_t distinct = 0;
    for (std::size_t at = 0; at < rows.size(); ++at) distinct += at == 0 || rows.key(at) != rows.key(at - 1);
    ValueCounts result;
    result.values.reserve(distinct);
    result.classes.reserve(distinct);
    result.weights.reserve(distinct);
    Group group(column.n_classes);
    for (std::size_t at = 0; at < rows.size(); ++at) {
        const std::size_t payload = rows.payload(at);
        if (column.weights) {
            group.add(class_of(column, payload), column.weights[payload]);
        } else {
            group.add(static_cast<std::uint32_t>(payload), 1.0);
        }
        if (at + 1 == rows.size() || rows.key(at + 1) != rows.key(at)) group.move_to(result, value_of_key(rows.key(at)));
    }
    return result;
}

}  // namespace

ValueCounts value_counts(const ClassedColumn& column) {
    if (column.weights) return gathered<std::uint64_t>(column);
    if (column.n_classes <= 256) return gathered<std::uint8_t>(column);
    return gathered<std::uint32_t>(column);
}

void check_classes_and_weights(const ClassedColumn& column) {
    for (std::size_t row = 0; column.classes && row < column.rows; ++row) {
        if (column.classes[row] < column.n_classes || column.classes[row] == missing_index) continue;
        throw std::invalid_argument("classes, row " + std::to_string(row) + ": class " +
                                    std::to_string(column.classes[row]) + " is not below the number of classes, " +
                                    std::to_string(column.n_classes));
    }
    double total = 0;
    for (std::size_t row = 0; column.weights && row < column.rows; ++row) {
        total += column.weights[row];
        if (column.weights[row] >= 0 && !std::isinf(column.weights[row])) continue;
        throw std::invalid_argument("weights, row " + std::to_string(row) + ": " +
                                    std::to_string(column.weights[row]) + " is not a finite number of at least 0");
    }
    // Entropies multiply a weight by its logarithm.
    if (total > 1e300) throw std::invalid_argument("the weights sum to more than 1e300: divide them all");
}

}  // namespace bayou
