// One tree-shaped table of P(class | columns): its splits, and the counts of classes in every node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace bayou {

// The codes of a table, column after column.
struct CodeTable {
    const std::uint8_t* codes = nullptr;
    std::size_t columns = 0;
    std::size_t rows = 0;

    const std::uint8_t* column(std::size_t at) const { return codes + at * rows; }
};

// What trees know of the columns: how many codes each has (the last one is a gap), and whether the others are ordered. New
// rows may also have the code after these: a value that is unknown.
struct TreeColumns {
    std::vector<std::uint32_t> cards;
    std::vector<std::uint8_t> ordered;
    std::vector<std::uint32_t> first;  // where a column begins among the codes (the unknown one, too) of all; and the end

    TreeColumns() = default;
    TreeColumns(std::vector<std::uint32_t> cards, std::vector<std::uint8_t> ordered);
    std::size_t size() const { return cards.size(); }
};

inline constexpr std::uint8_t kNeverSeen = 255;  // the rank of a code that no row of training had: its rows stop

// A row goes left (to the next node) if the rank of its code is at most the threshold, otherwise right. Nodes are in
// the order of a walk that goes left first. In a leaf, every row goes right, to the leaf itself.
struct TreeNode {
    std::uint16_t column = 0;
    std::int16_t threshold = -1;
    std::uint32_t right = 0;

    bool is_leaf() const { return threshold < 0; }
};

// The classes of one node that have a count, ascending.
struct CountedClasses {
    const std::uint16_t* classes = nullptr;
    const double* counts = nullptr;
    std::uint32_t length = 0;

    double of(std::uint16_t wanted) const {
        for (std::uint32_t at = 0; at < length; ++at) {
            if (classes[at] >= wanted) return classes[at] == wanted ? counts[at] : 0.0;
        }
        return 0.0;
    }
};

// The counts of all nodes.
struct NodeCounts {
    std::vector<std::uint32_t> first, length;
    std::vector<std::uint16_t> classes;
    std::vector<double> counts;

    void shrink() {
        classes.shrink_to_fit();
        counts.shrink_to_fit();
    }

    CountedClasses of(std::uint32_t node) const {
        return {classes.data() + first[node], counts.data() + first[node], length[node]};
    }
};

struct ClassTree {
    std::vector<TreeNode> nodes;
    std::vector<std::uint8_t> ranks;  // of each code of each column: its place in this tree's order
    NodeCounts own;                   // of the rows that end in a node
    NodeCounts all;                   // of the rows that pass through it; leaves have theirs in `own` only
    std::vector<double> totals;       // of the rows that pass through it

    CountedClasses through(std::uint32_t node) const { return nodes[node].is_leaf() ? own.of(node) : all.of(node); }

    std::uint32_t next(std::uint32_t node, std::uint8_t rank) const {
        if (rank == kNeverSeen) return node;
        return static_cast<int>(rank) > nodes[node].threshold ? nodes[node].right : node + 1;
    }
};

// The nodes in which the rows from `begin` to `end` end.
void end_nodes(const ClassTree& tree, const TreeColumns& columns, const CodeTable& table, std::size_t begin,
               std::size_t end, std::uint32_t* ends);

// The nodes that a row passes, from the root on.
void path_of_row(const ClassTree& tree, const TreeColumns& columns, const CodeTable& table, std::size_t row,
                 std::vector<std::uint32_t>& path);

// Adds rows to the counts of the nodes in which they end; weights may be null (1 each).
void count_ends(ClassTree& tree, const std::vector<std::uint32_t>& ends, const std::int32_t* classes,
                const double* weights, std::size_t n_classes);

// Makes the counts of all nodes from those of the nodes in which rows end.
void gather_counts(ClassTree& tree, std::size_t n_classes);

}  // namespace bayou
