// Many class trees: each grown on the rows in its bag, all rows counted into every node, posteriors that back off.
//
// The posterior of a node is (n(class, node) + m P(class | parent node)) / (n(node) + m), above the root 1 / classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "bayou/trees/class_tree.hpp"

namespace bayou {

// Rows with classes. What is random about a row is a function of its hash.
struct TrainingRows {
    CodeTable table;
    const std::int32_t* classes = nullptr;
    const double* weights = nullptr;  // may be null: 1 each
    const std::uint64_t* hashes = nullptr;
};

struct TreeSettings {
    std::size_t classes = 2;
    std::size_t trees = 80;
    std::size_t tried = 1;         // columns tried at each node
    double bag_share = 0.632;      // of the rows, for each tree
    std::size_t most_grown = 65536;  // distinct rows that a tree grows on, about
    std::uint64_t seed = 0;
};

// Rows whose probabilities are wanted as if they had not been seen: the own weight that is taken off their counts.
struct HeldOutRows {
    TrainingRows rows;
    const double* taken = nullptr;
};

// P(class) in the leaves of a tree.
struct LeafTable {
    std::vector<std::uint32_t> place;  // of each node that is a leaf
    std::vector<double> posteriors;    // of each leaf: of each class, then their logarithms
};

class ClassTrees {
  public:
    ClassTrees(TreeColumns columns, const TreeSettings& settings);

    // Learns where trees split, and counts the rows.
    void grow(const TrainingRows& rows, int threads);

    // Counts further rows; splits stay.
    void add(const TrainingRows& rows, int threads);

    // Uses the m from 0.1 to 3 for which rows held out are likeliest (arithmetic mean); without rows, m = 1.
    void choose_smoothing(const HeldOutRows& rows, int threads);
    void set_smoothing(double m, int threads);

    // log P(class | row) of the arithmetic and of the geometric mean of the trees that were grown without the row.
    // Rows of which `grown` is 0 were never in a bag, whatever their hash.
    void held_out(const HeldOutRows& rows, const std::uint8_t* grown, double* arithmetic, double* geometric,
                  int threads) const;

    // The same of all trees.
    void predict(const CodeTable& table, double* arithmetic, double* geometric, int threads) const;

    // P(class) in a node with counts, given that in its parent: in place.
    void step(const ClassTree& tree, std::uint32_t node, double* posterior) const;

    bool in_bag(std::size_t tree, std::uint64_t hash) const;

    const TreeColumns& columns() const { return columns_; }
    const TreeSettings& settings() const { return settings_; }
    const std::vector<ClassTree>& trees() const { return *trees_; }
    double smoothing() const { return smoothing_; }
    double unit() const { return unit_; }
    std::uint64_t bag_limit() const { return bag_limit_; }

    // From a saved state: splits, ranks and the counts of ends.
    void restore(std::vector<ClassTree> trees, double smoothing, double unit, std::uint64_t bag_limit, int threads);

  private:
    void count(std::vector<ClassTree>& trees, const TrainingRows& rows, int threads) const;
    void tabulate(int threads);
    void step_without(const ClassTree& tree, std::uint32_t node, std::int32_t label, double taken, double* posterior) const;

    TreeColumns columns_;
    TreeSettings settings_;
    std::shared_ptr<const std::vector<ClassTree>> trees_ = std::make_shared<const std::vector<ClassTree>>();  // copies share them
    std::vector<LeafTable> leaves_;  // of each tree; none where they would be too large
    double smoothing_ = 1.0;
    double unit_ = 1.0;  // weights are whole multiples of it, so that their sums are exact in any order
    std::uint64_t bag_limit_ = 0;
};

// The weights of rows as whole multiples of a unit, or nothing: 1 each.
std::vector<double> rounded_weights(const TrainingRows& rows, double unit);

// Counts rows with these weights into the nodes in which they end.
void count_rows(ClassTree& tree, const ClassTrees& like, const TrainingRows& rows, const std::vector<double>& weights);

}  // namespace bayou
