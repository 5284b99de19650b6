// Trees that correct each other (gradient boosting), learned from histograms of gradients: sums of whole numbers, exact
// in any order. As many models as folds, each without the rows of its fold; all together predict.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayou/trees/class_trees.hpp"

namespace bayou {

struct BoostedSettings {
    std::size_t classes = 2;
    std::size_t folds = 4;
    std::size_t most_rounds = 100;
    std::size_t leaves = 16;
    double rate = 0.1;
    double ridge = 1.0;
    std::uint64_t seed = 0;
};

// Codes with a bit in left_codes go to the child `left`, those with a bit in right_codes to the one after it. A row with
// another code, which no row of training had in this node, goes both ways. A leaf has no column and no codes.
struct BoostedNode {
    static constexpr std::uint16_t kNoColumn = 0xFFFF;
    std::array<std::uint64_t, 4> left_codes{}, right_codes{};
    std::uint32_t left = 0;
    std::uint16_t column = kNoColumn;
    double value = 0;
    double left_share = 0;  // of the weight of the rows of training in this node

    bool is_leaf() const { return column == kNoColumn; }
    bool goes_left(std::uint8_t code) const { return (left_codes[code >> 6] >> (code & 63)) & 1; }
    bool goes_right(std::uint8_t code) const { return (right_codes[code >> 6] >> (code & 63)) & 1; }
    double right_share() const { return 1 - left_share; }
};

using BoostedTree = std::vector<BoostedNode>;

// Adds what the tree says of `count` rows to scores[row * stride], where row counts from `begin`: the values of the leaves
// in which they end, by the shares of the ways that lead there.
void add_leaf_values(const BoostedTree& tree, const CodeTable& table, std::size_t begin, std::size_t count, double* scores,
                     std::size_t stride);

// The same of some rows, to scores[row * stride].
void add_leaf_values(const BoostedTree& tree, const CodeTable& table, const std::vector<std::uint32_t>& rows, double* scores,
                     std::size_t stride);

// Adds to columns[column * stride] what each column does to the value of one row.
void add_column_parts(const BoostedTree& tree, const CodeTable& table, std::size_t row, double* columns, std::size_t stride);

// One model: a score for each class (with two classes only for the second), and trees that add to them, round by round.
struct BoostedModel {
    std::vector<double> base;
    std::vector<BoostedTree> trees;
};

class BoostedTrees {
  public:
    BoostedTrees(TreeColumns columns, const BoostedSettings& settings) : columns_(std::move(columns)), settings_(settings) {}

    // Learns the models, and after how many rounds rows held out are likeliest.
    void grow(const TrainingRows& rows, int threads);

    // log P(class | row) by the model that did not see the row, and by the mean scores of all models.
    void held_out(const CodeTable& table, const std::uint64_t* hashes, double* logs, int threads) const;
    void predict(const CodeTable& table, double* logs, int threads) const;

    std::size_t fold_of(std::uint64_t hash) const;
    std::size_t outputs() const { return settings_.classes == 2 ? 1 : settings_.classes; }
    std::size_t rounds() const { return rounds_; }
    const TreeColumns& columns() const { return columns_; }
    const BoostedSettings& settings() const { return settings_; }
    const std::vector<BoostedModel>& models() const { return models_; }
    void restore(std::vector<BoostedModel> models, std::size_t rounds);

  private:
    TreeColumns columns_;
    BoostedSettings settings_;
    std::vector<BoostedModel> models_;
    std::size_t rounds_ = 0;
};

}  // namespace bayou
