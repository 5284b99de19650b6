// One sequence from its last row back to its first: the states given all rows (Rauch, Tung and Striebel 1965).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "forward_pass.hpp"

namespace bayou::kalman {

// The rows of a sequence that the backward pass has in memory, and the state of the pass.
class BackwardPass {
  public:
    BackwardPass(const SystemRoots& roots, const ObservedSeries& series);

    // Filters a sequence and keeps what is needed to go back: everything, or, of long sequences, the filtered state
    // between blocks. The row without a density, or -1; `log_likelihood` is that of the sequence.
    std::int64_t filter(std::size_t number, double& log_likelihood);
    // Goes back by one row; false before the first. Then row(), mean() and covariance() are those of this row, and
    // moved() is the covariance of the row after it with this one (unless this is the last one).
    bool back();

    std::size_t row() const { return row_; }
    bool is_first() const { return row_ == first_; }
    bool is_last() const { return row_ + 1 == last_; }
    const double* mean() const { return mean_.data(); }
    const double* covariance() const { return covariance_.data(); }
    const double* moved() const { return moved_.data(); }  // [state of the next row, state of this row]
    const StepMatrices& matrices() const { return pass_.matrices(places_[row_ - block_]); }

  private:
    bool take(std::size_t row);
    void open_block(std::size_t first);

    const SystemRoots& roots_;
    const ObservedSeries& series_;
    ForwardPass pass_;
    std::size_t first_ = 0, last_ = 0;      // rows of the sequence
    std::size_t block_ = 0, length_ = 0;    // the first row of the block in memory, and the rows of a block
    std::size_t row_ = 0;
    std::vector<double> means_, predicted_, borders_, beyond_;
    std::vector<std::size_t> places_;
    std::vector<double> mean_, covariance_, moved_, work_;
};

}  // namespace bayou::kalman
