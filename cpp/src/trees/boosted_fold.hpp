// The model of one fold while it is learned: from the rows of the other folds, judged by its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "boosted_growth.hpp"

namespace bayou {

// log P(class) and P(class) from the scores of one row.
void log_chances(const double* scores, std::size_t classes, double* logs);
void class_chances(const double* scores, std::size_t classes, double* shares);

class BoostedFold {
  public:
    BoostedFold(const BoostedTrees& trees, const TrainingRows& rows, std::size_t fold);

    void boost(std::size_t rounds);

    // -log P of the rows of the fold in whole numbers, after each round.
    const std::vector<std::int64_t>& losses() const { return losses_; }

    BoostedModel model(std::size_t rounds);

  private:
    void set_base();
    void judge();
    void fill_gradients();
    void add_tree(std::size_t output);
    std::int64_t units_of(std::size_t row) const { return units_.empty() ? 1 : units_[row]; }

    const BoostedTrees& trees_;
    TrainingRows rows_;
    std::vector<std::int64_t> units_;
    std::vector<std::uint32_t> training_, held_, order_;
    std::vector<double> scores_;       // of each row and output
    std::vector<std::vector<Gradient>> gradients_;  // of each output and row
    std::vector<std::int64_t> losses_;
    BoostedModel model_;
    double scale_ = 0x1p20;
};

}  // namespace bayou
