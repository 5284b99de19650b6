#include "bayou/trees/boosted_trees.hpp"
#include "side_by_side.hpp"

namespace bayou {
namespace {

// The value of a row from a node on; recursive where it goes both ways.
double value_below(const BoostedTree& tree, const CodeTable& table, std::size_t row, std::uint32_t at) {
    const BoostedNode* node = &tree[at];
    while (!node->is_leaf()) {
        const std::uint8_t code = table.column(node->column)[row];
        if (node->goes_left(code)) {
            node = &tree[node->left];
        } else if (node->goes_right(code)) {
            node = &tree[node->left + 1];
        } else {
            return node->left_share * value_below(tree, table, row, node->left) +
                   node->right_share() * value_below(tree, table, row, node->left + 1);
        }
    }
    return node->value;
}

class ColumnParts {
  public:
    ColumnParts(const BoostedTree& tree, const CodeTable& table, std::size_t row, double* columns, std::size_t stride)
        : tree_(tree), table_(table), row_(row), columns_(columns), stride_(stride) {}

    // `share` of the row reaches the node.
    void add(std::uint32_t at, double share) {
        const BoostedNode& node = tree_[at];
        if (node.is_leaf()) return;
        const std::uint8_t code = table_.column(node.column)[row_];
        const bool left = node.goes_left(code), right = node.goes_right(code);
        const double left_part = left ? 1.0 : right ? 0.0 : node.left_share, right_part = 1.0 - left_part;
        const double below = left_part * tree_[node.left].value + right_part * tree_[node.left + 1].value;
        columns_[node.column * stride_] += share * (below - node.value);
        if (!right) add(node.left, share * left_part);
        if (!left) add(node.left + 1, share * right_part);
    }

  private:
    const BoostedTree& tree_;
    const CodeTable& table_;
    std::size_t row_;
    double* columns_;
    std::size_t stride_;
};

// Calls take(at, value) for each place from `begin` to `end`; row_of(at) is the row there.
template <typename RowOf, typename Take>
BAYOU_INLINE void walk_leaves(const BoostedTree& tree, const CodeTable& table, std::size_t begin, std::size_t end, const RowOf& row_of,
                              const Take& take) {
    const BoostedNode* nodes = tree.data();
    const auto next = [&](std::size_t place, std::uint32_t at) {
        const BoostedNode& node = nodes[at];
        const std::uint8_t code = table.codes[(node.is_leaf() ? 0 : node.column) * table.rows + row_of(place)];
        const bool left = node.goes_left(code);
        return left | node.goes_right(code) ? node.left + !left : at;  // a leaf has no codes
    };
    walk_side_by_side(begin, end, next, [&](std::size_t place, std::uint32_t last) {
        take(place, nodes[last].is_leaf() ? nodes[last].value : value_below(tree, table, row_of(place), last));
    });
}

}  // namespace

void add_leaf_values(const BoostedTree& tree, const CodeTable& table, std::size_t begin, std::size_t count, double* scores,
                     std::size_t stride) {
    walk_leaves(tree, table, begin, begin + count, [](std::size_t row) { return row; },
                [&](std::size_t row, double value) { scores[(row - begin) * stride] += value; });
}

void add_leaf_values(const BoostedTree& tree, const CodeTable& table, const std::vector<std::uint32_t>& rows, double* scores,
                     std::size_t stride) {
    walk_leaves(tree, table, 0, rows.size(), [&](std::size_t at) { return rows[at]; },
                [&](std::size_t at, double value) { scores[rows[at] * stride] += value; });
}

void add_column_parts(const BoostedTree& tree, const CodeTable& table, std::size_t row, double* columns, std::size_t stride) {
    ColumnParts(tree, table, row, columns, stride).add(0, 1.0);
}

}  // namespace bayou
