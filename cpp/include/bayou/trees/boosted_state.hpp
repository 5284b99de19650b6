// Boosted trees as flat arrays, and what each column adds to the scores of one row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayou/trees/boosted_trees.hpp"

namespace bayou {

// The trees of all models one after the other.
struct BoostedState {
    std::vector<double> base;               // of each model and output
    std::vector<std::int64_t> sizes;        // nodes of each tree
    std::vector<std::uint16_t> columns;     // of each node; a leaf has 65535
    std::vector<std::uint32_t> left;        // of each node: its left child in its tree, before the right one
    // Of each node that is no leaf: the codes that go left, then those that go right, in as many words as the most codes of
    // a column need; and the share of the rows of training that went left.
    std::vector<std::uint64_t> codes;
    std::vector<double> left_shares;
    std::vector<double> values;             // of each node
};

BoostedState state_of(const BoostedTrees& trees);

// The models of a state, checked against columns and settings: std::invalid_argument says what is wrong.
std::vector<BoostedModel> models_of(const BoostedState& state, const BoostedTrees& like, std::size_t rounds);

// Scores of the classes: without columns, then what each column adds; means over the models.
std::vector<double> contributions_of(const BoostedTrees& trees, const CodeTable& table, std::size_t row);

}  // namespace bayou
