#include "gaussian_step.hpp"

#include <algorithm>
#include <cmath>

namespace bayou::switching {

namespace {

constexpr double log_two_pi_of_step = 1.8378770664093453;
constexpr double least_share = 1e-26;  // of a line's squares: less is rounding

}  // namespace

GaussianStep::GaussianStep(const MixedTemplate& model, bool smoothing)
    : model_(model), smoothing_(smoothing), row_of_(model.places), order_(model.places), mean_(model.places),
      surprise_(model.variables) {
    const std::size_t lines = smoothing ? 2 * model.places : model.places;
    forms_.resize(lines * (model.places + model.variables));
}

bool GaussianStep::take(const MixedSlice& slice, const GaussianState& old, const std::uint32_t* old_cells,
                        const std::uint32_t* new_cells, const double* values, const std::uint8_t* are_set,
                        const GaussianState& fresh) {
    order_places(slice, values, are_set);
    fill_forms(slice, old, old_cells, new_cells, values, are_set);
    make_staircase(0, model_.places);
    return condition(values, fresh);
}

GaussianStep::Forms GaussianStep::turned_forms(const MixedSlice& slice, const GaussianState& old,
                                               const std::uint32_t* old_cells, const std::uint32_t* new_cells,
                                               const double* values, const std::uint8_t* are_set, std::size_t first) {
    order_places(slice, values, are_set);
    fill_forms(slice, old, old_cells, new_cells, values, are_set);
    make_staircase(first, seen_);
    return {seen_, used_ - first, wide_, forms_.data(), mean_.data(), order_.data()};
}

// Known numbers first, so that the triangle itself is the update of the others.
void GaussianStep::order_places(const MixedSlice& slice, const double* values, const std::uint8_t* are_set) {
    const std::size_t n = model_.places;
    std::fill(row_of_.begin(), row_of_.end(), n);
    seen_ = 0;
    for (const GaussianLine& line : slice.lines) {
        if (are_set[line.place] || std::isnan(values[line.place])) continue;
        row_of_[line.place] = seen_;
        order_[seen_++] = line.place;
    }
    std::size_t row = seen_;
    for (std::size_t place = 0; place < n; ++place) {
        if (row_of_[place] != n) continue;
        row_of_[place] = row;
        order_[row++] = place;
    }
}

void GaussianStep::fill_forms(const MixedSlice& slice, const GaussianState& old, const std::uint32_t* old_cells,
                              const std::uint32_t* new_cells, const double* values, const std::uint8_t* are_set) {
    const std::size_t n = model_.places, rank = *old.rank;
    wide_ = rank + slice.lines.size();
    std::fill(forms_.begin(), forms_.begin() + static_cast<std::ptrdiff_t>((smoothing_ ? 2 * n : n) * wide_), 0.0);
    std::fill(mean_.begin(), mean_.end(), 0.0);
    for (const PlaceCopy& copy : slice.copies) {
        std::copy_n(old.root + copy.from * n, rank, forms_.data() + row_of_[copy.to] * wide_);
        mean_[copy.to] = old.mean[copy.from];
    }
    std::size_t noise = rank;
    for (const GaussianLine& line : slice.lines) {
        const std::size_t column = noise++;
        if (are_set[line.place]) {
            mean_[line.place] = values[line.place];
            continue;
        }
        const LineBlock& block = model_.lines[line.block];
        const std::size_t group = group_of(line.groups, old_cells, new_cells);
        double* form = forms_.data() + row_of_[line.place] * wide_;
        double mean = block.intercept[group];
        for (std::size_t k = 0; k < line.parents.size(); ++k) {
            const MixedPlace& parent = line.parents[k];
            const double slope = block.coefficients[group * block.parents + k];
            const double* from = parent.old ? old.root + parent.at * n : forms_.data() + row_of_[parent.at] * wide_;
            const std::size_t length = parent.old ? rank : column;
            for (std::size_t j = 0; j < length; ++j) form[j] += slope * from[j];
            mean += slope * (parent.old ? old.mean : mean_.data())[parent.at];
        }
        form[column] = std::sqrt(block.variance[group]);
        mean_[line.place] = mean;
    }
    for (std::size_t i = 0; smoothing_ && i < n; ++i) {
        std::copy_n(old.root + i * n, rank, forms_.data() + (n + i) * wide_);
    }
}

// Householder reflections of the columns from `first` on, of the first `rows` lines. A line that depends on those above has no pivot, and the next line gets its
// column: a staircase, so that every column before the last pivot is determined by a line.
void GaussianStep::make_staircase(std::size_t first, std::size_t rows) {
    const std::size_t n = model_.places, lines = smoothing_ ? 2 * n : n;
    used_ = first;
    pivot_lines_.clear();
    for (std::size_t i = 0; i < rows; ++i) {
        double* line = forms_.data() + i * wide_;
        double before = 0, others = 0;
        for (std::size_t j = first; j < used_; ++j) before += line[j] * line[j];
        for (std::size_t j = used_ + 1; j < wide_; ++j) others += line[j] * line[j];
        const double head = used_ < wide_ ? line[used_] : 0.0, rest = others + head * head;
        if (used_ == wide_ || !(rest > least_share * (before + rest))) {
            std::fill(line + used_, line + wide_, 0.0);
            continue;
        }
        const double norm = std::sqrt(rest), pointed = head + (head > 0 ? norm : -norm);
        const double share = 2 / (others + pointed * pointed);
        const bool turns = others > 0, flips = turns ? head > 0 : head < 0;
        line[used_] = pointed;
        for (std::size_t r = i + 1; r < lines; ++r) {
            double* other = forms_.data() + r * wide_;
            if (turns) {
                double sum = 0;
                for (std::size_t j = used_; j < wide_; ++j) sum += other[j] * line[j];
                sum *= share;
                for (std::size_t j = used_; j < wide_; ++j) other[j] -= sum * line[j];
            }
            if (flips) other[used_] = -other[used_];
        }
        line[used_] = norm;
        std::fill(line + used_ + 1, line + wide_, 0.0);
        pivot_lines_.push_back(i);
        ++used_;
    }
}

bool GaussianStep::condition(const double* values, const GaussianState& fresh) {
    const std::size_t n = model_.places;
    log_density_ = -0.5 * static_cast<double>(seen_) * log_two_pi_of_step;
    if (used_ < seen_ || (seen_ && pivot_lines_[seen_ - 1] != seen_ - 1)) return false;
    for (std::size_t k = 0; k < seen_; ++k) {
        const double* line = forms_.data() + k * wide_;
        double apart = values[order_[k]] - mean_[order_[k]];
        for (std::size_t j = 0; j < k; ++j) apart -= line[j] * surprise_[j];
        surprise_[k] = apart / line[k];
        log_density_ -= std::log(line[k]) + 0.5 * surprise_[k] * surprise_[k];
    }
    *fresh.rank = static_cast<std::uint32_t>(used_ - seen_);
    double size = std::abs(log_density_);
    for (std::size_t row = 0; row < n; ++row) {
        const std::size_t place = order_[row];
        double* root = fresh.root + place * n;
        if (row < seen_) {
            fresh.mean[place] = values[place];
            std::fill(root, root + (used_ - seen_), 0.0);
            continue;
        }
        const double* line = forms_.data() + row * wide_;
        double mean = mean_[place];
        for (std::size_t j = 0; j < seen_; ++j) mean += line[j] * surprise_[j];
        fresh.mean[place] = mean;
        size += std::abs(mean);
        for (std::size_t j = seen_; j < used_; ++j) size += std::abs(root[j - seen_] = line[j]);
    }
    return std::isfinite(size);
}

// With x(t) = mean + T z and x(t−1) = old mean + X z + Y e, z and e independent: what is known of x(t) says what z is.
void GaussianStep::go_back(const GaussianState& old, const BackwardStep& result) {
    const std::size_t n = model_.places;
    std::fill(result.back, result.back + n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        const double* line = forms_.data() + (n + i) * wide_;
        double mean = old.mean[i];
        for (std::size_t j = 0; j < seen_; ++j) mean += line[j] * surprise_[j];
        result.mean[i] = mean;
        double* back = result.back + i * n;
        for (std::size_t b = used_; b-- > seen_;) {  // back · T = X, from the last pivot to the first
            double sum = line[b];
            for (std::size_t c = b + 1; c < used_; ++c) {
                sum -= back[order_[pivot_lines_[c]]] * forms_[pivot_lines_[c] * wide_ + b];
            }
            back[order_[pivot_lines_[b]]] = sum / forms_[pivot_lines_[b] * wide_ + b];
        }
        for (std::size_t k = 0; k <= i; ++k) {
            const double* other = forms_.data() + (n + k) * wide_;
            double sum = 0;
            for (std::size_t j = used_; j < wide_; ++j) sum += line[j] * other[j];
            result.left[i * n + k] = result.left[k * n + i] = sum;
        }
    }
}

}  // namespace bayou::switching
