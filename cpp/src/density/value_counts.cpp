#include "bayou/density/value_counts.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "bayou/base/threads.hpp"
#include "sorted_values.hpp"

namespace bayou {

ValueCounts value_counts(const ClassedColumn& column) {
    ValueCounts result;
    visit_values(column, [&](double value, const ClassesAtValue& here) {
        for (const std::uint32_t of_class : here.classes()) {
            result.values.push_back(value);
            result.classes.push_back(of_class);
            result.weights.push_back(here.weight(of_class));
        }
    });
    return result;
}

std::vector<std::int64_t> values_by_class(const std::vector<ClassedColumn>& columns, ValueCounts& all, int threads) {
    std::vector<std::int64_t> starts{0};
    if (columns.empty()) return starts;
    check_classes_and_weights(columns[0]);
    std::vector<ValueCounts> own(columns.size());
    parallel_for(columns.size(), threads, [&](std::size_t at, int) { own[at] = value_counts(columns[at]); });
    for (const ValueCounts& counts : own) starts.push_back(starts.back() + static_cast<std::int64_t>(counts.values.size()));
    all.values.reserve(starts.back());
    all.classes.reserve(starts.back());
    all.weights.reserve(starts.back());
    for (const ValueCounts& counts : own) {
        all.values.insert(all.values.end(), counts.values.begin(), counts.values.end());
        all.classes.insert(all.classes.end(), counts.classes.begin(), counts.classes.end());
        all.weights.insert(all.weights.end(), counts.weights.begin(), counts.weights.end());
    }
    return starts;
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
