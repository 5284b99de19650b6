#include <algorithm>

#include "bayou/trees/class_tree.hpp"
#include "side_by_side.hpp"

namespace bayou {

TreeColumns::TreeColumns(std::vector<std::uint32_t> given, std::vector<std::uint8_t> kinds)
    : cards(std::move(given)), ordered(std::move(kinds)), first(1, 0) {
    for (const std::uint32_t card : cards) first.push_back(first.back() + card + 1);
}

void end_nodes(const ClassTree& tree, const TreeColumns& columns, const CodeTable& table, std::size_t begin,
               std::size_t end, std::uint32_t* ends) {
    if (tree.nodes.size() == 1) {
        std::fill_n(ends, end - begin, 0);
        return;
    }
    const TreeNode* nodes = tree.nodes.data();
    const std::uint8_t* ranks = tree.ranks.data();
    const std::uint32_t* first = columns.first.data();
    const auto next = [&](std::size_t row, std::uint32_t at) {
        const TreeNode node = nodes[at];
        const std::uint8_t rank = ranks[first[node.column] + table.codes[node.column * table.rows + row]];
        const std::uint32_t child = static_cast<int>(rank) > node.threshold ? node.right : at + 1;
        return rank == kNeverSeen ? at : child;
    };
    walk_side_by_side(begin, end, next, [&](std::size_t row, std::uint32_t node) { ends[row - begin] = node; });
}

void path_of_row(const ClassTree& tree, const TreeColumns& columns, const CodeTable& table, std::size_t row,
                 std::vector<std::uint32_t>& path) {
    path.assign(1, 0);
    while (!tree.nodes[path.back()].is_leaf()) {
        const std::size_t column = tree.nodes[path.back()].column;
        const std::uint32_t next = tree.next(path.back(), tree.ranks[columns.first[column] + table.column(column)[row]]);
        if (next == path.back()) return;
        path.push_back(next);
    }
}

}  // namespace bayou
