#include "bayou/trees/tree_state.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace bayou {
namespace {

void require(bool holds, const std::string& what) {
    if (!holds) throw std::invalid_argument("these class trees are damaged: " + what);
}

// The right children follow from the order of the nodes: left first.
void link_nodes(std::vector<TreeNode>& nodes) {
    std::vector<std::uint32_t> waiting;  // nodes whose right child has not come yet
    for (std::uint32_t node = 0; node < nodes.size(); ++node) {
        if (!nodes[node].is_leaf()) {
            waiting.push_back(node);
            continue;
        }
        nodes[node].right = node;
        if (node + 1 == nodes.size()) break;
        require(!waiting.empty(), "a tree has more nodes than its splits lead to");
        nodes[waiting.back()].right = node + 1;
        waiting.pop_back();
    }
    require(waiting.empty(), "a tree ends in the middle");
}

// Reads a state from its beginning on.
class StateReader {
  public:
    StateReader(const TreeState& state, const ClassTrees& like) : state_(state), like_(like) {
        require(state.columns.size() == state.thresholds.size() && state.columns.size() == state.lengths.size(),
                "columns, thresholds and lengths differ in number");
        require(state.classes.size() == state.counts.size(), "classes and counts differ in number");
    }

    ClassTree tree(std::size_t number) {
        ClassTree tree;
        const std::size_t ranks = like_.columns().first.back();
        tree.ranks.assign(state_.ranks.begin() + number * ranks, state_.ranks.begin() + (number + 1) * ranks);
        require(state_.sizes[number] > 0 && static_cast<std::size_t>(state_.sizes[number]) <= state_.columns.size() - node_,
                "too few nodes");
        for (std::int64_t left = state_.sizes[number]; left > 0; --left) read_node(tree);
        link_nodes(tree.nodes);
        return tree;
    }

    void finish() const { require(node_ == state_.columns.size() && count_ == state_.counts.size(), "nodes or counts are left over"); }

  private:
    void read_node(ClassTree& tree) {
        const std::int16_t threshold = state_.thresholds[node_];
        require(state_.columns[node_] < like_.columns().size() && threshold >= -1 && threshold < kNeverSeen, "a split is impossible");
        tree.nodes.push_back({state_.columns[node_], threshold, 0});
        const std::size_t length = state_.lengths[node_++];
        require(length <= state_.counts.size() - count_, "too few counts");
        tree.own.first.push_back(static_cast<std::uint32_t>(tree.own.counts.size()));
        tree.own.length.push_back(static_cast<std::uint32_t>(length));
        for (std::size_t at = 0; at < length; ++at, ++count_) {
            require(state_.classes[count_] < like_.settings().classes &&
                        (at == 0 || state_.classes[count_ - 1] < state_.classes[count_]), "classes are unknown or not ascending");
            require(state_.counts[count_] > 0 && std::isfinite(state_.counts[count_]), "a count is not positive");
            tree.own.classes.push_back(state_.classes[count_]);
            tree.own.counts.push_back(state_.counts[count_]);
        }
    }

    const TreeState& state_;
    const ClassTrees& like_;
    std::size_t node_ = 0, count_ = 0;
};

}  // namespace

TreeState state_of(const ClassTrees& trees) {
    TreeState state;
    for (const ClassTree& tree : trees.trees()) {
        state.ranks.insert(state.ranks.end(), tree.ranks.begin(), tree.ranks.end());
        state.sizes.push_back(static_cast<std::int64_t>(tree.nodes.size()));
        for (const TreeNode& node : tree.nodes) {
            state.columns.push_back(node.is_leaf() ? 0 : node.column);
            state.thresholds.push_back(node.threshold);
        }
        state.lengths.insert(state.lengths.end(), tree.own.length.begin(), tree.own.length.end());
        state.classes.insert(state.classes.end(), tree.own.classes.begin(), tree.own.classes.end());
        state.counts.insert(state.counts.end(), tree.own.counts.begin(), tree.own.counts.end());
    }
    return state;
}

std::vector<ClassTree> trees_of(const TreeState& state, const ClassTrees& like) {
    require(state.sizes.size() == like.settings().trees, "the number of trees is another one");
    require(state.ranks.size() == state.sizes.size() * like.columns().first.back(), "the number of ranks is another one");
    StateReader reader(state, like);
    std::vector<ClassTree> trees;
    for (std::size_t number = 0; number < state.sizes.size(); ++number) trees.push_back(reader.tree(number));
    reader.finish();
    return trees;
}

RowPaths paths_of_row(const ClassTrees& trees, const CodeTable& table, std::size_t row) {
    RowPaths found;
    std::vector<std::uint32_t> path;
    const std::size_t classes = trees.settings().classes;
    found.first.push_back(0);
    for (const ClassTree& tree : trees.trees()) {
        path_of_row(tree, trees.columns(), table, row, path);
        std::vector<double> posterior(classes, 1.0 / static_cast<double>(classes));
        for (const std::uint32_t node : path) {
            const bool is_last = node == path.back();
            trees.step(tree, node, posterior.data());
            found.columns.push_back(is_last ? -1 : tree.nodes[node].column);
            found.thresholds.push_back(is_last ? -1 : tree.nodes[node].threshold);
            found.posteriors.insert(found.posteriors.end(), posterior.begin(), posterior.end());
        }
        found.first.push_back(static_cast<std::int64_t>(found.columns.size()));
    }
    return found;
}

}  // namespace bayou
