#include "bayou/trees/boosted_state.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace bayou {
namespace {

void require_boosted(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(std::string("these boosted trees are damaged: ") + what);
}

std::size_t words_of(const TreeColumns& columns) {
    return (*std::max_element(columns.cards.begin(), columns.cards.end()) + 63) / 64;
}

// Reads the nodes of a state from its beginning on.
class NodeReader {
  public:
    NodeReader(const BoostedState& state, const TreeColumns& columns) : state_(state), columns_(columns), words_(words_of(columns)) {
        require_boosted(state.columns.size() == state.left.size() && state.columns.size() == state.values.size(),
                "columns, children and values differ in number");
    }

    BoostedTree tree(std::int64_t size) {
        require_boosted(size > 0 && static_cast<std::size_t>(size) <= state_.columns.size() - node_, "too few nodes");
        BoostedTree tree(static_cast<std::size_t>(size));
        for (std::size_t at = 0; at < tree.size(); ++at) read(tree, at);
        return tree;
    }

    void finish() const {
        const bool all = node_ == state_.columns.size() && word_ == state_.codes.size() && split_ == state_.left_shares.size();
        require_boosted(all, "nodes are left over");
    }

  private:
    void read(BoostedTree& tree, std::size_t at) {
        BoostedNode& node = tree[at];
        node.column = state_.columns[node_];
        node.value = state_.values[node_];
        require_boosted(std::isfinite(node.value), "a value is not a finite number");
        const std::uint32_t left = state_.left[node_++];
        if (node.is_leaf()) return;
        require_boosted(node.column < columns_.size() && left > at && left + std::size_t{1} < tree.size(), "a split is impossible");
        require_boosted(2 * words_ <= state_.codes.size() - word_ && split_ < state_.left_shares.size(), "too few codes or shares");
        node.left = left;
        for (auto* codes : {&node.left_codes, &node.right_codes}) {
            std::copy_n(state_.codes.begin() + word_, words_, codes->begin());
            word_ += words_;
        }
        node.left_share = state_.left_shares[split_++];
        require_boosted(node.left_share >= 0 && node.left_share <= 1, "a share is not between 0 and 1");
        for (std::size_t word = 0; word < words_; ++word) {
            require_boosted((node.left_codes[word] & node.right_codes[word]) == 0, "a code goes left and right");
        }
    }

    const BoostedState& state_;
    const TreeColumns& columns_;
    std::size_t words_, node_ = 0, word_ = 0, split_ = 0;
};

}  // namespace

BoostedState state_of(const BoostedTrees& trees) {
    BoostedState state;
    const std::size_t words = words_of(trees.columns());
    for (const BoostedModel& model : trees.models()) {
        state.base.insert(state.base.end(), model.base.begin(), model.base.end());
        for (const BoostedTree& tree : model.trees) {
            state.sizes.push_back(static_cast<std::int64_t>(tree.size()));
            for (const BoostedNode& node : tree) {
                state.columns.push_back(node.column);
                state.left.push_back(node.left);
                state.values.push_back(node.value);
                if (node.is_leaf()) continue;
                for (const auto* codes : {&node.left_codes, &node.right_codes}) {
                    state.codes.insert(state.codes.end(), codes->begin(), codes->begin() + words);
                }
                state.left_shares.push_back(node.left_share);
            }
        }
    }
    return state;
}

std::vector<BoostedModel> models_of(const BoostedState& state, const BoostedTrees& like, std::size_t rounds) {
    const std::size_t folds = like.settings().folds, of = like.outputs();
    require_boosted(state.base.size() == folds * of, "the number of models is another one");
    require_boosted(rounds <= like.settings().most_rounds && state.sizes.size() == folds * rounds * of, "the number of trees is another one");
    for (const double base : state.base) require_boosted(std::isfinite(base), "a base is not a finite number");
    NodeReader reader(state, like.columns());
    std::vector<BoostedModel> models(folds);
    for (std::size_t fold = 0; fold < folds; ++fold) {
        models[fold].base.assign(state.base.begin() + fold * of, state.base.begin() + (fold + 1) * of);
        for (std::size_t tree = 0; tree < rounds * of; ++tree) {
            models[fold].trees.push_back(reader.tree(state.sizes[fold * rounds * of + tree]));
        }
    }
    reader.finish();
    return models;
}

std::vector<double> contributions_of(const BoostedTrees& trees, const CodeTable& table, std::size_t row) {
    const std::size_t classes = trees.settings().classes, of = trees.outputs(), first = classes - of;  // two classes: the second
    std::vector<double> found((1 + table.columns) * classes, 0.0);
    for (const BoostedModel& model : trees.models()) {
        for (std::size_t output = 0; output < of; ++output) found[first + output] += model.base[output];
        for (std::size_t number = 0; number < model.trees.size(); ++number) {
            const BoostedTree& tree = model.trees[number];
            const std::size_t label = first + number % of;
            found[label] += tree.front().value;
            add_column_parts(tree, table, row, found.data() + classes + label, classes);
        }
    }
    for (double& score : found) score /= static_cast<double>(trees.models().size());
    return found;
}

}  // namespace bayou
