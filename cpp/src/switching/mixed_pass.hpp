// Sequences whose states are all known, row by row: forwards, and backwards through blocks that are filtered again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gaussian_step.hpp"

namespace bayou::switching {

// A Gaussian of the places and the states of the cells, with memory of its own.
struct KnownSlice {
    explicit KnownSlice(const MixedTemplate& model)
        : mean(model.places), root(model.places * model.places), cells(model.cells) {}
    GaussianState gaussian() { return {mean.data(), root.data(), &rank}; }
    std::vector<double> mean, root;
    std::uint32_t rank = 0;
    std::vector<std::uint32_t> cells;
};

// Forwards through one sequence.
class MixedPass {
  public:
    MixedPass(const MixedTemplate& model, const MixedRows& rows, bool smoothing);
    void begin();
    // Continues after a row with this state.
    void begin_after(const KnownSlice& state) { now_ = state; }
    // Takes a row; false if its values have no density.
    bool take(std::size_t row);
    void go_back(const BackwardStep& result) { step_.go_back(before_.gaussian(), result); }

    double log_density() const { return log_density_; }
    const KnownSlice& now() const { return now_; }
    const KnownSlice& before() const { return before_; }
    // The covariance of the first `size` places [size, size].
    void covariance(std::size_t size, double* out) const;

  private:
    double take_codes(const MixedSlice& slice, std::size_t row);

    const MixedTemplate& model_;
    const MixedRows& rows_;
    GaussianStep step_;
    KnownSlice before_, now_;
    double log_density_ = 0;
};

// Backwards through one sequence.
class MixedSmoother {
  public:
    MixedSmoother(const MixedTemplate& model, const MixedRows& rows);

    // Filters a sequence; the first row without a density, or -1.
    std::int64_t filter(std::size_t number, double& log_likelihood);
    // To the row before (at first the last one); false if there is none.
    bool back();

    std::size_t row() const { return row_; }
    bool is_first() const { return row_ == first_; }
    const double* mean() const { return mean_.data(); }
    const double* covariance() const { return covariance_.data(); }  // [places, places]
    // After look_back: the same of the row before, and Cov(x(t), x(t−1)).
    void look_back();
    const double* old_mean() const { return old_mean_.data(); }
    const double* old_covariance() const { return old_covariance_.data(); }
    const double* cross() const { return cross_.data(); }
    const std::uint32_t* cells() const { return cells_.data() + (row_ - block_) * model_.cells; }
    const std::uint32_t* old_cells() const { return old_cells_.data() + (row_ - block_) * model_.cells; }

  private:
    bool take(std::size_t row);
    void open_block(std::size_t first);

    const MixedTemplate& model_;
    const MixedRows& rows_;
    MixedPass pass_;
    std::size_t first_ = 0, last_ = 0, row_ = 0, block_ = 0, length_ = 0;
    bool looked_ = false, at_end_ = false;
    std::vector<KnownSlice> borders_;  // what each block begins after
    std::vector<double> means_, back_means_, backs_, lefts_;
    std::vector<std::uint32_t> cells_, old_cells_;
    std::vector<double> mean_, covariance_, old_mean_, old_covariance_, cross_;
};

}  // namespace bayou::switching
