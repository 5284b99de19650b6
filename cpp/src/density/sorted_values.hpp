// Visits the distinct values of a column in ascending order, with the weight of each class at each value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bayou/base/radix_sort.hpp"
#include "bayou/data/codes.hpp"
#include "bayou/density/value_counts.hpp"

namespace bayou {

// The classes at one value.
class ClassesAtValue {
  public:
    explicit ClassesAtValue(std::size_t n_classes) : weight_(n_classes, 0.0) {}

    void add(std::uint32_t of_class, double weight) {
        if (weight_[of_class] == 0) seen_.push_back(of_class);
        weight_[of_class] += weight;
    }
    void finish() {
        if (seen_.size() > 1) std::sort(seen_.begin(), seen_.end());
    }
    void clear() {
        for (const std::uint32_t of_class : seen_) weight_[of_class] = 0;
        seen_.clear();
    }
    const std::vector<std::uint32_t>& classes() const { return seen_; }  // ascending
    double weight(std::uint32_t of_class) const { return weight_[of_class]; }

  private:
    std::vector<double> weight_;
    std::vector<std::uint32_t> seen_;
};

// Payload: the class if every row has weight 1, otherwise the row.
template <typename Payload, typename Visit>
void visit_rows(const ClassedColumn& column, const Visit& visit) {
    KeyedRows<Payload> rows(column.rows);
    for (std::size_t row = 0; row < column.rows; ++row) {
        const double value = column.value(row);
        const std::uint32_t of_class = column.class_of(row);
        if (value != value || of_class == missing_index || (column.weights && column.weights[row] == 0)) continue;
        rows.push(sortable_key(value), static_cast<Payload>(column.weights ? row : of_class));
    }
    rows.sort();
    ClassesAtValue here(column.n_classes);
    for (std::size_t at = 0; at < rows.size(); ++at) {
        const std::size_t payload = rows.payload(at);
        if (column.weights) {
            here.add(column.class_of(payload), column.weights[payload]);
        } else {
            here.add(static_cast<std::uint32_t>(payload), 1.0);
        }
        if (at + 1 < rows.size() && rows.key(at + 1) == rows.key(at)) continue;
        here.finish();
        visit(value_of_key(rows.key(at)), here);
        here.clear();
    }
}

// Calls visit(value, classes) for each distinct value. Rows with a NaN, without a class or without weight are left
// out; weights are added in row order.
template <typename Visit>
void visit_values(const ClassedColumn& column, const Visit& visit) {
    if (column.weights) return visit_rows<std::uint64_t>(column, visit);
    if (column.n_classes <= 256) return visit_rows<std::uint8_t>(column, visit);
    visit_rows<std::uint32_t>(column, visit);
}

}  // namespace bayou
