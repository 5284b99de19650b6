#include "backward_pass.hpp"

#include <algorithm>

#include "bayou/base/interrupt.hpp"
#include "small_matrices.hpp"

namespace bayou::kalman {

namespace {

// A sequence that would need more numbers than this (128 MB) is kept in blocks, each of which is filtered again.
constexpr std::size_t most_cells = std::size_t{1} << 24;

}  // namespace

BackwardPass::BackwardPass(const SystemRoots& roots, const ObservedSeries& series)
    : roots_(roots), series_(series), pass_(roots, true), beyond_(roots.system.states), mean_(roots.system.states) {
    const std::size_t n = roots.system.states;
    covariance_.resize(n * n);
    moved_.resize(n * n);
    work_.resize(n * n);
}

bool BackwardPass::take(std::size_t row) {
    const std::size_t n = roots_.system.states, at = row - block_;
    if (row % 256 == 0) stop_if_interrupted();
    if (!pass_.take(series_.values + row * roots_.system.columns, series_.inputs + row * roots_.system.inputs)) {
        return false;
    }
    places_[at] = pass_.place();
    std::copy_n(pass_.mean(), n, means_.data() + at * n);
    std::copy_n(pass_.predicted(), n, predicted_.data() + at * n);
    return true;
}

std::int64_t BackwardPass::filter(std::size_t number, double& log_likelihood) {
    const std::size_t n = roots_.system.states, m = roots_.system.columns;
    first_ = static_cast<std::size_t>(series_.starts[number]);
    last_ = static_cast<std::size_t>(series_.starts[number + 1]);
    const std::size_t rows = last_ - first_, cells = 5 * n * n + (n + m) * m + 2 * n;
    length_ = rows;
    while (length_ > 1024 && length_ * cells > most_cells) length_ = (length_ + 1) / 2;
    places_.resize(length_);
    means_.resize(length_ * n);
    predicted_.resize(length_ * n);
    borders_.clear();
    pass_.begin();
    row_ = last_;
    log_likelihood = 0;
    for (std::size_t row = first_; row < last_; ++row) {
        if ((row - first_) % length_ == 0) {
            block_ = row;
            if (row > first_) {
                borders_.insert(borders_.end(), pass_.mean(), pass_.mean() + n);
                borders_.insert(borders_.end(), pass_.root(), pass_.root() + n * n);
                const std::vector<double> border(borders_.end() - static_cast<std::ptrdiff_t>(n + n * n),
                                                 borders_.end());
                pass_.restart(border.data(), border.data() + n);
            }
        }
        if (!take(row)) return static_cast<std::int64_t>(row);
        log_likelihood += pass_.log_density();
    }
    if (rows) pass_.finish();
    return -1;
}

// Runs forward through a block again, as `filter` did.
void BackwardPass::open_block(std::size_t first) {
    const std::size_t n = roots_.system.states, number = (first - first_) / length_;
    std::copy_n(predicted_.data(), n, beyond_.data());  // the prediction of the first row of the block before
    block_ = first;
    if (number) {
        const double* border = borders_.data() + (number - 1) * (n + n * n);
        pass_.restart(border, border + n);
    } else {
        pass_.begin();
    }
    for (std::size_t row = first; row < std::min(first + length_, last_); ++row) take(row);
    pass_.finish();
}

bool BackwardPass::back() {
    const std::size_t n = roots_.system.states;
    if (row_ == first_) return false;
    const bool at_end = row_ == last_;
    --row_;
    if (row_ % 256 == 0) stop_if_interrupted();
    const double* predicted = at_end ? nullptr : predicted_.data() + (row_ + 1 - block_) * n;
    if (row_ < block_) {
        open_block(block_ - length_);
        predicted = beyond_.data();
    }
    const std::size_t at = row_ - block_;
    const StepMatrices& step = pass_.matrices(places_[at]);
    if (at_end) {
        std::copy_n(means_.data() + at * n, n, mean_.data());
        std::copy(step.covariance.begin(), step.covariance.end(), covariance_.begin());
        return true;
    }
    for (std::size_t i = 0; i < n; ++i) work_[i] = mean_[i] - predicted[i];
    std::copy_n(means_.data() + at * n, n, mean_.data());
    add_product(step.back.data(), work_.data(), n, n, 1.0, mean_.data());
    multiply_transposed(covariance_.data(), step.back.data(), n, n, n, moved_.data());
    multiply(step.back.data(), moved_.data(), n, n, n, work_.data(), n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            const double both = 0.5 * (work_[i * n + j] + work_[j * n + i]) + step.left[i * n + j];
            covariance_[i * n + j] = covariance_[j * n + i] = both;
        }
    }
    return true;
}

}  // namespace bayou::kalman
