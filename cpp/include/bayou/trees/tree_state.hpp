// Class trees as flat arrays, and the paths of one row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayou/trees/class_trees.hpp"

namespace bayou {

// The trees one after the other: what cannot be made from the rest.
struct TreeState {
    std::vector<std::uint8_t> ranks;
    std::vector<std::int64_t> sizes;       // nodes of each tree
    std::vector<std::uint16_t> columns;    // of each node; a leaf has 0
    std::vector<std::int16_t> thresholds;  // a leaf has -1
    std::vector<std::uint32_t> lengths;    // classes with rows that end in each node
    std::vector<std::uint16_t> classes;
    std::vector<double> counts;
};

TreeState state_of(const ClassTrees& trees);

// The trees of a state, checked against columns and settings: std::invalid_argument says what is wrong.
std::vector<ClassTree> trees_of(const TreeState& state, const ClassTrees& like);

// The nodes of each tree that a row passes: those of tree t from first[t] to first[t + 1]. The column by which the row
// goes on (-1 in the last node) and the threshold of its ranks; P(class) in each node.
struct RowPaths {
    std::vector<std::int64_t> first, columns, thresholds;
    std::vector<double> posteriors;
};

RowPaths paths_of_row(const ClassTrees& trees, const CodeTable& table, std::size_t row);

}  // namespace bayou
