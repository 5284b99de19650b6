#include "bayou/trees/tree_state.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "bayou/base/threads.hpp"

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

// Reads the trees of a state.
class StateReader {
  public:
    StateReader(const TreeArrays& state, const ClassTrees& like) : state_(state), like_(like) {
        const std::size_t ranks = like.columns().first.back();
        require(state.sizes.size() == like.settings().trees, "the number of trees is another one");
        require(state.ranks.size() == state.sizes.size() * ranks, "the number of ranks is another one");
        require(state.columns.size() == state.thresholds.size(), "columns and thresholds differ in number");
        require(!has_counts() || state.columns.size() == state.lengths.size(), "columns and lengths differ in number");
        require(state.classes.size() == state.counts.size(), "classes and counts differ in number");
        find_trees();
    }

    ClassTree tree(std::size_t number) const {
        ClassTree tree;
        const std::size_t ranks = like_.columns().first.back();
        tree.ranks.assign(state_.ranks.begin() + number * ranks, state_.ranks.begin() + (number + 1) * ranks);
        for (std::size_t node = nodes_[number]; node < nodes_[number + 1]; ++node) {
            const std::int16_t threshold = state_.thresholds[node];
            require(state_.columns[node] < like_.columns().size() && threshold >= -1 && threshold < kNeverSeen, "a split is impossible");
            tree.nodes.push_back({state_.columns[node], threshold, 0});
        }
        tree.nodes.shrink_to_fit();
        link_nodes(tree.nodes);
        if (has_counts()) read_counts(tree.own, number);
        return tree;
    }

  private:
    bool has_counts() const { return !state_.lengths.empty(); }

    // Where the nodes and the counts of each tree begin.
    void find_trees() {
        for (const std::int64_t size : state_.sizes) {
            require(size > 0 && static_cast<std::size_t>(size) <= state_.columns.size() - nodes_.back(), "too few nodes");
            std::size_t counts = counts_.back();
            for (std::size_t node = nodes_.back(); has_counts() && node < nodes_.back() + size; ++node) {
                require(state_.lengths[node] <= state_.counts.size() - counts, "too few counts");
                counts += state_.lengths[node];
            }
            nodes_.push_back(nodes_.back() + static_cast<std::size_t>(size));
            counts_.push_back(counts);
        }
        require(nodes_.back() == state_.columns.size() && counts_.back() == state_.counts.size(), "nodes or counts are left over");
    }

    void read_counts(NodeCounts& own, std::size_t number) const {
        const std::size_t begin = counts_[number], end = counts_[number + 1];
        own.classes.assign(state_.classes.begin() + begin, state_.classes.begin() + end);
        own.counts.assign(state_.counts.begin() + begin, state_.counts.begin() + end);
        own.length.assign(state_.lengths.begin() + nodes_[number], state_.lengths.begin() + nodes_[number + 1]);
        own.first.reserve(own.length.size());
        std::uint32_t at = 0;
        for (const std::uint32_t length : own.length) {
            own.first.push_back(at);
            for (const std::uint32_t first = at; at < first + length; ++at) {
                require(own.classes[at] < like_.settings().classes && (at == first || own.classes[at - 1] < own.classes[at]),
                        "classes are unknown or not ascending");
                require(own.counts[at] > 0 && std::isfinite(own.counts[at]), "a count is not positive");
            }
        }
    }

    const TreeArrays& state_;
    const ClassTrees& like_;
    std::vector<std::size_t> nodes_{0}, counts_{0};
};

void add_counts(TreeState& state, const NodeCounts& own) {
    state.lengths.insert(state.lengths.end(), own.length.begin(), own.length.end());
    state.classes.insert(state.classes.end(), own.classes.begin(), own.classes.end());
    state.counts.insert(state.counts.end(), own.counts.begin(), own.counts.end());
}

}  // namespace

TreeState state_of(const ClassTrees& trees, TreeParts parts) {
    TreeState state;
    for (const ClassTree& tree : trees.trees()) {
        state.ranks.insert(state.ranks.end(), tree.ranks.begin(), tree.ranks.end());
        state.sizes.push_back(static_cast<std::int64_t>(tree.nodes.size()));
        for (const TreeNode& node : tree.nodes) {
            state.columns.push_back(node.is_leaf() ? 0 : node.column);
            state.thresholds.push_back(node.threshold);
        }
        if (parts == TreeParts::all) add_counts(state, tree.own);
    }
    return state;
}

std::vector<ClassTree> trees_of(const TreeArrays& state, const ClassTrees& like) {
    require(state.lengths.size() == state.columns.size(), "columns and lengths differ in number");
    const StateReader reader(state, like);
    std::vector<ClassTree> trees;
    for (std::size_t number = 0; number < state.sizes.size(); ++number) trees.push_back(reader.tree(number));
    return trees;
}

TreeState counts_of_rows(const TreeArrays& splits, const ClassTrees& like, const TrainingRows& rows, double unit, int threads) {
    const StateReader reader(splits, like);
    const std::vector<double> weights = rounded_weights(rows, unit);
    std::vector<NodeCounts> counted(splits.sizes.size());
    parallel_for(counted.size(), threads, [&](std::size_t number, int) {
        ClassTree tree = reader.tree(number);
        count_rows(tree, like, rows, weights);
        counted[number] = std::move(tree.own);
        counted[number].first = std::vector<std::uint32_t>();
    });
    TreeState state;
    std::size_t nodes = 0, counts = 0;
    for (const NodeCounts& own : counted) {
        nodes += own.length.size();
        counts += own.counts.size();
    }
    state.lengths.reserve(nodes);
    state.classes.reserve(counts);
    state.counts.reserve(counts);
    for (NodeCounts& own : counted) {
        add_counts(state, own);
        own = {};
    }
    return state;
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
