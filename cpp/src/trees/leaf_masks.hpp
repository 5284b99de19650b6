// Leaves of a boosted tree by bits instead of walks: each code of each column rules leaves out, and the leaf that none
// of the codes of a row rules out is the one in which the row ends (Lucchese and others, QuickScorer, SIGIR 2015). No
// branch depends on a row, and the masks of a tree stay in the nearest cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayou/trees/boosted_trees.hpp"

namespace bayou {

class LeafMasks {
  public:
    static constexpr std::size_t kMostLeaves = 32;
    static constexpr std::size_t kRowsAtOnce = 256;

    // A tree with more leaves has no masks: its rows walk.
    LeafMasks(const BoostedTree& tree, const TreeColumns& columns);

    // The same as add_leaf_values of the tree, to the last bit.
    void add_values(const BoostedTree& tree, const CodeTable& table, std::size_t begin, std::size_t count, double* scores,
                    std::size_t stride) const;

  private:
    struct UsedColumn {
        std::uint32_t column, first;  // where its masks begin: one for each code, also the unknown one
    };

    // The leaves at and below a node; what the nodes rule out is entered on the way.
    std::uint32_t enter(const BoostedTree& tree, std::uint32_t at);
    void rule_out(const BoostedNode& node, std::uint32_t left, std::uint32_t right);
    void left_of(const CodeTable& table, std::size_t begin, std::size_t count, std::uint32_t* left) const;

    std::vector<UsedColumn> used_;
    std::vector<std::uint32_t> place_;  // of each column among the used ones
    std::vector<std::uint32_t> masks_;  // the leaves that remain
    std::vector<double> values_;        // of the leaves
};

}  // namespace bayou
