#include "mixed_pass.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bayou/base/interrupt.hpp"

namespace bayou::switching {

namespace {

// A sequence that would need more numbers than this (128 MB) is kept in blocks, each of which is filtered again.
constexpr std::size_t most_kept_cells = std::size_t{1} << 24;

}  // namespace

MixedPass::MixedPass(const MixedTemplate& model, const MixedRows& rows, bool smoothing)
    : model_(model), rows_(rows), step_(model, smoothing), before_(model), now_(model) {}

void MixedPass::begin() {
    std::fill(now_.mean.begin(), now_.mean.end(), 0.0);
    std::fill(now_.cells.begin(), now_.cells.end(), 0u);
    now_.rank = 0;
}

bool MixedPass::take(std::size_t row) {
    if (row % 64 == 0) stop_if_interrupted();
    std::swap(before_, now_);
    const MixedSlice& slice = model_.slices[rows_.slices[row]];
    const double codes = take_codes(slice, row);
    const std::size_t m = model_.variables;
    if (!step_.take(slice, before_.gaussian(), before_.cells.data(), now_.cells.data(), rows_.values + row * m,
                    rows_.are_set + row * m, now_.gaussian())) {
        return false;
    }
    log_density_ = step_.log_density() + codes;
    return true;
}

// The states of a row, and log P(states that were not set | those before).
double MixedPass::take_codes(const MixedSlice& slice, std::size_t row) {
    for (const PlaceCopy& copy : slice.cell_copies) now_.cells[copy.to] = before_.cells[copy.from];
    double log = 0;
    for (const DiscreteNode& node : slice.nodes) {
        const std::size_t at = row * model_.codes + node.cell;
        const std::uint32_t code = now_.cells[node.cell] = rows_.codes[at];
        if (rows_.codes_are_set[at]) continue;
        const TableBlock& table = model_.tables[node.table];
        const std::size_t group = group_of(node.parents, before_.cells.data(), now_.cells.data());
        const double share = table.shares[group * table.states + code];
        log += share > 0 ? std::log(share) : -std::numeric_limits<double>::infinity();
    }
    return log;
}

void MixedPass::covariance(std::size_t size, double* out) const {
    const std::size_t n = model_.places;
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = 0;
            for (std::size_t k = 0; k < now_.rank; ++k) sum += now_.root[i * n + k] * now_.root[j * n + k];
            out[i * size + j] = out[j * size + i] = sum;
        }
    }
}

MixedSmoother::MixedSmoother(const MixedTemplate& model, const MixedRows& rows)
    : model_(model), rows_(rows), pass_(model, rows, true), mean_(model.places),
      covariance_(model.places * model.places), old_mean_(model.places),
      old_covariance_(model.places * model.places), cross_(model.places * model.places) {}

bool MixedSmoother::take(std::size_t row) {
    const std::size_t n = model_.places, at = row - block_;
    if (!pass_.take(row)) return false;
    pass_.go_back({back_means_.data() + at * n, backs_.data() + at * n * n, lefts_.data() + at * n * n});
    std::copy(pass_.now().mean.begin(), pass_.now().mean.end(), means_.begin() + static_cast<std::ptrdiff_t>(at * n));
    std::copy(pass_.now().cells.begin(), pass_.now().cells.end(),
              cells_.begin() + static_cast<std::ptrdiff_t>(at * model_.cells));
    std::copy(pass_.before().cells.begin(), pass_.before().cells.end(),
              old_cells_.begin() + static_cast<std::ptrdiff_t>(at * model_.cells));
    return true;
}

std::int64_t MixedSmoother::filter(std::size_t number, double& log_likelihood) {
    const std::size_t n = model_.places;
    first_ = static_cast<std::size_t>(rows_.starts[number]);
    last_ = static_cast<std::size_t>(rows_.starts[number + 1]);
    const std::size_t rows = last_ - first_, kept = 2 * n * n + 2 * n + model_.cells;
    length_ = std::max<std::size_t>(rows, 1);
    while (length_ > 256 && length_ * kept > most_kept_cells) length_ = (length_ + 1) / 2;
    for (std::vector<double>* one : {&means_, &back_means_}) one->resize(length_ * n);
    for (std::vector<double>* one : {&backs_, &lefts_}) one->resize(length_ * n * n);
    cells_.resize(length_ * model_.cells);
    old_cells_.resize(length_ * model_.cells);
    borders_.clear();
    pass_.begin();
    log_likelihood = 0;
    block_ = first_;
    for (std::size_t row = first_; row < last_; ++row) {
        if ((row - first_) % length_ == 0) {
            block_ = row;
            borders_.push_back(pass_.now());
        }
        if (!take(row)) return static_cast<std::int64_t>(row);
        log_likelihood += pass_.log_density();
    }
    row_ = last_;
    at_end_ = true;
    return -1;
}

void MixedSmoother::open_block(std::size_t first) {
    block_ = first;
    pass_.begin_after(borders_[(first - first_) / length_]);
    for (std::size_t row = first; row < std::min(first + length_, last_); ++row) take(row);
}

bool MixedSmoother::back() {
    if (row_ == first_) return false;
    if (at_end_) {
        at_end_ = looked_ = false;
        --row_;
        mean_ = pass_.now().mean;
        pass_.covariance(model_.places, covariance_.data());
        return true;
    }
    look_back();
    looked_ = false;
    mean_.swap(old_mean_);
    covariance_.swap(old_covariance_);
    if (--row_ < block_) open_block(block_ - length_);
    return true;
}

void MixedSmoother::look_back() {
    if (looked_) return;
    looked_ = true;
    const std::size_t n = model_.places, at = row_ - block_;
    const double *back = backs_.data() + at * n * n, *left = lefts_.data() + at * n * n, *filtered = means_.data() + at * n;
    for (std::size_t i = 0; i < n; ++i) {
        double mean = back_means_[at * n + i];
        for (std::size_t j = 0; j < n; ++j) mean += back[i * n + j] * (mean_[j] - filtered[j]);
        old_mean_[i] = mean;
        for (std::size_t j = 0; j < n; ++j) {  // Cov(x(t), x(t−1)) = V backᵀ
            double sum = 0;
            for (std::size_t k = 0; k < n; ++k) sum += covariance_[j * n + k] * back[i * n + k];
            cross_[j * n + i] = sum;
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double one = 0, other = 0;
            for (std::size_t k = 0; k < n; ++k) one += back[i * n + k] * cross_[k * n + j];
            for (std::size_t k = 0; k < n; ++k) other += back[j * n + k] * cross_[k * n + i];
            old_covariance_[i * n + j] = old_covariance_[j * n + i] = 0.5 * (one + other) + left[i * n + j];
        }
    }
}

}  // namespace bayou::switching
