// Slices with numbers and states as Python hands them over: whole numbers for places and parameters as arrays.
#pragma once

#include <string>

#include "bayou/switching/mixed_template.hpp"
#include "matrices.hpp"

namespace bayou::bindings {

// Rows of whole numbers from 0 to 2**32 - 2.
class MixedNumbers {
  public:
    MixedNumbers(nb::handle item, const char* name, std::size_t columns)
        : rows_(array_from<Matrix<std::int64_t>>(item, name, "a contiguous two-dimensional int64 array")), name_(name) {
        check_length(name, rows_.shape(1), columns);
    }
    std::size_t size() const { return rows_.shape(0); }
    std::uint32_t at(std::size_t row, std::size_t column) const {
        return static_cast<std::uint32_t>(natural(rows_.data()[row * rows_.shape(1) + column], name_, unknown_state - 1));
    }

  private:
    Matrix<std::int64_t> rows_;
    const char* name_;
};

// A slice is a tuple: copies and cell copies (to, from); nodes (cell, table) and their parents (node, old, cell,
// stride); lines (place, block), their parents (line, old, place) and groups (line, old, cell, stride).
inline MixedSlice mixed_slice(nb::handle item) {
    const auto parts = nb::cast<nb::tuple>(item);
    if (parts.size() != 7) throw std::invalid_argument("slices: expected seven arrays for each");
    const MixedNumbers copies(parts[0], "copies", 2), cell_copies(parts[1], "cell copies", 2);
    const MixedNumbers nodes(parts[2], "nodes", 2), node_parents(parts[3], "parents of nodes", 4);
    const MixedNumbers lines(parts[4], "lines", 2), parents(parts[5], "parents", 3), groups(parts[6], "groups", 4);
    MixedSlice slice;
    for (std::size_t k = 0; k < copies.size(); ++k) slice.copies.push_back({copies.at(k, 0), copies.at(k, 1)});
    for (std::size_t k = 0; k < cell_copies.size(); ++k) {
        slice.cell_copies.push_back({cell_copies.at(k, 0), cell_copies.at(k, 1)});
    }
    for (std::size_t k = 0; k < nodes.size(); ++k) slice.nodes.push_back({nodes.at(k, 0), nodes.at(k, 1), {}});
    for (std::size_t k = 0; k < lines.size(); ++k) slice.lines.push_back({lines.at(k, 0), lines.at(k, 1), {}, {}});
    const auto group = [](const MixedNumbers& rows, std::size_t k) {
        return GroupCell{{rows.at(k, 1) > 0, rows.at(k, 2)}, rows.at(k, 3)};
    };
    for (std::size_t k = 0; k < node_parents.size(); ++k) {
        slice.nodes.at(node_parents.at(k, 0)).parents.push_back(group(node_parents, k));
    }
    for (std::size_t k = 0; k < parents.size(); ++k) {
        slice.lines.at(parents.at(k, 0)).parents.push_back({parents.at(k, 1) > 0, parents.at(k, 2)});
    }
    for (std::size_t k = 0; k < groups.size(); ++k) {
        slice.lines.at(groups.at(k, 0)).groups.push_back(group(groups, k));
    }
    return slice;
}

inline std::vector<double> mixed_copy(const Tensor<double>& array) {
    return {array.data(), array.data() + array.size()};
}

// The parameters of lines: (intercepts [group], coefficients [group, parent], variances [group]).
inline LineBlock line_block(nb::handle item) {
    const auto parts = nb::cast<nb::tuple>(item);
    if (parts.size() != 3) throw std::invalid_argument("lines: expected three arrays for each");
    const auto slopes = array_from<Matrix<double>>(parts[1], "coefficients", "a contiguous two-dimensional float64 array");
    const std::size_t groups = slopes.shape(0);
    LineBlock block{groups, slopes.shape(1), {}, {}, {}};
    block.intercept = mixed_copy(table_from(parts[0], "intercepts", {groups}));
    block.coefficients.assign(slopes.data(), slopes.data() + slopes.size());
    block.variance = mixed_copy(table_from(parts[2], "variances", {groups}));
    for (const double variance : block.variance) {
        if (!(variance >= 0)) throw std::invalid_argument("variances: expected numbers from 0");
    }
    return block;
}

// Holds the arrays of sequences while the kernels read them.
class MixedRowArrays {
  public:
    MixedRowArrays(const MixedTemplate& model, const Vector<std::int64_t>& starts, const Vector<std::uint32_t>& slices,
                   const Matrix<double>& values, const Matrix<std::uint8_t>& are_set, const Matrix<std::uint32_t>& codes,
                   const Matrix<std::uint8_t>& codes_are_set, bool all_known) {
        if (starts.shape(0) == 0 || starts.data()[0] != 0) {
            throw std::invalid_argument("starts: expected the first rows of the sequences, from 0, and the end");
        }
        view.count = starts.shape(0) - 1;
        for (std::size_t at = 0; at < view.count; ++at) {
            if (starts.data()[at] > starts.data()[at + 1]) throw std::invalid_argument("starts must not fall");
        }
        const std::size_t rows = view.rows = static_cast<std::size_t>(starts.data()[view.count]);
        check_length("slices", slices.shape(0), rows);
        check_length("values", values.shape(0), rows);
        check_length("are_set", are_set.shape(0), rows);
        check_length("codes", codes.shape(0), rows);
        check_length("codes_are_set", codes_are_set.shape(0), rows);
        check_length("a row of values", values.shape(1), model.variables);
        check_length("a row of are_set", are_set.shape(1), model.variables);
        check_length("a row of codes", codes.shape(1), model.codes);
        check_length("a row of codes_are_set", codes_are_set.shape(1), model.codes);
        for (std::size_t row = 0; row < rows; ++row) {
            if (slices.data()[row] >= model.slices.size()) throw std::invalid_argument("slices: there are fewer slices");
            for (const DiscreteNode& node : model.slices[slices.data()[row]].nodes) {
                const std::uint32_t code = codes.data()[row * model.codes + node.cell];
                if (code == unknown_state ? all_known : code >= model.states[node.cell]) {
                    throw std::invalid_argument("codes: there are fewer states, or one is not known");
                }
            }
        }
        view.starts = starts.data();
        view.slices = slices.data();
        view.values = values.data();
        view.are_set = are_set.data();
        view.codes = codes.data();
        view.codes_are_set = codes_are_set.data();
    }
    void weigh(const Object<Array<double>>& weights) {
        if (weights.is_none()) return;
        weights_ = array_from<Vector<double>>(weights, "weights", "a contiguous one-dimensional float64 array");
        check_length("weights", weights_.shape(0), view.count);
        view.weights = weights_.data();
    }
    MixedRows view;

  private:
    Vector<double> weights_;
};

}  // namespace bayou::bindings
