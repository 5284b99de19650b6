// Growing one class tree on the rows in its bag: what all trees share, and the call for one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayou/trees/class_trees.hpp"
#include "whole_entropy.hpp"

namespace bayou {

struct Growth {
    const TreeColumns& columns;
    const TreeSettings& settings;
    TrainingRows rows;
    std::vector<double> units;        // the weights of the rows as whole numbers, or nothing
    std::vector<std::uint8_t> seen;   // of each code of each column: whether a row of training had it
    std::uint64_t bag_limit = 0;
    WholeEntropy entropy;
};

// Fills the ranks and the nodes of a tree.
void grow_tree(const Growth& growth, std::size_t number, ClassTree& tree);

// The place of each code in the order of one tree: ordered codes keep theirs, with the gap at the lower or the upper end;
// the order of others is drawn.
std::vector<std::uint8_t> drawn_ranks(const Growth& growth, std::uint64_t tree_key);

}  // namespace bayou
