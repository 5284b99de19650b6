// Class trees as flat arrays, and the paths of one row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
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

// The same where it lies, without a copy. Trees without counts have no lengths.
struct TreeArrays {
    std::span<const std::uint8_t> ranks;
    std::span<const std::int64_t> sizes;
    std::span<const std::uint16_t> columns;
    std::span<const std::int16_t> thresholds;
    std::span<const std::uint32_t> lengths;
    std::span<const std::uint16_t> classes;
    std::span<const double> counts;
};

// What is wanted of trees: all, or only where they split.
enum class TreeParts { all, splits };

TreeState state_of(const ClassTrees& trees, TreeParts parts = TreeParts::all);

// The trees of a state, checked against columns and settings: std::invalid_argument says what is wrong.
std::vector<ClassTree> trees_of(const TreeArrays& state, const ClassTrees& like);

// The counts of rows in all nodes of trees, which are given by where they split: one tree after the other is made, so
// that the trees are never there all at once. What it returns has lengths, classes and counts only.
TreeState counts_of_rows(const TreeArrays& splits, const ClassTrees& like, const TrainingRows& rows, double unit, int threads);

// The nodes of each tree that a row passes: those of tree t from first[t] to first[t + 1]. The column by which the row
// goes on (-1 in the last node) and the threshold of its ranks; P(class) in each node.
struct RowPaths {
    std::vector<std::int64_t> first, columns, thresholds;
    std::vector<double> posteriors;
};

RowPaths paths_of_row(const ClassTrees& trees, const CodeTable& table, std::size_t row);

}  // namespace bayou
