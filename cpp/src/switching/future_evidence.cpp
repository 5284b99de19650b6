#include "future_evidence.hpp"

#include <algorithm>
#include <cmath>

namespace bayou::switching {

FutureStep::FutureStep(const MixedTemplate& model)
    : model_(model), step_(model, false), unit_(model.places * model.places), zero_(model.places) {
    for (std::size_t i = 0; i < model.places; ++i) unit_[i * model.places + i] = 1.0;
}

double FutureStep::factorise(std::vector<double>& matrix, std::size_t size) {
    double log = 0;
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = matrix[i * size + j];
            for (std::size_t k = 0; k < j; ++k) sum -= matrix[i * size + k] * matrix[j * size + k];
            if (i == j) {
                matrix[i * size + i] = std::sqrt(std::max(sum, 1e-300));
                log += 2 * std::log(matrix[i * size + i]);
            } else {
                matrix[i * size + j] = sum / matrix[j * size + j];
            }
        }
    }
    return log;
}

void FutureStep::solve_lower(const std::vector<double>& root, std::size_t size, double* vector) {
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t k = 0; k < i; ++k) vector[i] -= root[i * size + k] * vector[k];
        vector[i] /= root[i * size + i];
    }
}

// The new numbers are A x + b + G e. Turned so that the known ones are T z, these give z = r − C x with r = T⁻¹ (y − b)
// and C = T⁻¹ A, and all numbers are B x + c + Y e'. Then e' is integrated out.
bool FutureStep::take_back(const MixedSlice& slice, const std::uint32_t* old_cells, const std::uint32_t* new_cells,
                           const double* values, const std::uint8_t* are_set, const FutureEvidence& after,
                           FutureEvidence& before) {
    const std::size_t n = model_.places;
    std::uint32_t rank = static_cast<std::uint32_t>(n);
    const GaussianState unit{zero_.data(), unit_.data(), &rank};
    const Forms forms = step_.turned_forms(slice, unit, old_cells, new_cells, values, are_set, n);
    if (forms.pivots < forms.seen) return false;
    rest_ = forms.wide - n - forms.seen;
    before.constant = after.constant;
    std::fill(before.squares.begin(), before.squares.end(), 0.0);
    std::fill(before.linear.begin(), before.linear.end(), 0.0);
    take_known(forms, values, before);
    fill_others(forms, values);
    integrate_noise(after, before);
    carry_over(before);
    return true;
}

// The lines of the known numbers become C, and known_ becomes r; −½ |r − C x|² is evidence about x.
void FutureStep::take_known(const Forms& forms, const double* values, FutureEvidence& before) {
    const std::size_t n = model_.places, wide = forms.wide;
    known_.assign(forms.seen, 0.0);
    for (std::size_t k = 0; k < forms.seen; ++k) {
        double* line = forms.lines + k * wide;
        double apart = values[forms.order[k]] - forms.mean[forms.order[k]];
        const double pivot = line[n + k];
        for (std::size_t j = 0; j < k; ++j) {
            const double share = line[n + j];
            apart -= share * known_[j];
            for (std::size_t i = 0; i < n; ++i) line[i] -= share * forms.lines[j * wide + i];
        }
        known_[k] = apart / pivot;
        for (std::size_t i = 0; i < n; ++i) line[i] /= pivot;
        before.constant -= std::log(pivot) + 0.5 * known_[k] * known_[k];
        for (std::size_t i = 0; i < n; ++i) {
            before.linear[i] += line[i] * known_[k];
            for (std::size_t j = 0; j < n; ++j) before.squares[i * n + j] += line[i] * line[j];
        }
    }
}

void FutureStep::fill_others(const Forms& forms, const double* values) {
    const std::size_t n = model_.places, wide = forms.wide, width = n + 1 + rest_;
    others_.assign(n * width, 0.0);
    for (std::size_t row = 0; row < n; ++row) {
        const std::size_t place = forms.order[row];
        double* own = others_.data() + place * width;
        if (row < forms.seen) {
            own[n] = values[place];
            continue;
        }
        const double* line = forms.lines + row * wide;
        std::copy_n(line, n, own);
        own[n] = forms.mean[place];
        for (std::size_t k = 0; k < forms.seen; ++k) {
            for (std::size_t i = 0; i < n; ++i) own[i] -= line[n + k] * forms.lines[k * wide + i];
            own[n] += line[n + k] * known_[k];
        }
        std::copy_n(line + n + forms.seen, rest_, own + n + 1);
    }
}

// Ω'' = Ω − Ω Y (1 + Yᵀ Ω Y)⁻¹ Yᵀ Ω, and λ'' likewise.
void FutureStep::integrate_noise(const FutureEvidence& after, FutureEvidence& before) {
    const std::size_t n = model_.places, rest = rest_, width = n + 1 + rest;
    const auto noise = [&](std::size_t place, std::size_t j) { return others_[place * width + n + 1 + j]; };
    product_.assign(n * rest, 0.0);  // Ω Y
    inner_.assign(rest * rest, 0.0);
    work_.assign(rest, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < n; ++k) {
            const double cell = after.squares[i * n + k];
            for (std::size_t j = 0; cell != 0 && j < rest; ++j) product_[i * rest + j] += cell * noise(k, j);
        }
    }
    for (std::size_t i = 0; i < rest; ++i) {
        inner_[i * rest + i] = 1.0;
        for (std::size_t k = 0; k < n; ++k) {
            work_[i] += noise(k, i) * after.linear[k];
            for (std::size_t j = 0; j < rest; ++j) inner_[i * rest + j] += noise(k, i) * product_[k * rest + j];
        }
    }
    before.constant -= 0.5 * factorise(inner_, rest);
    solve_lower(inner_, rest, work_.data());
    for (std::size_t i = 0; i < n; ++i) solve_lower(inner_, rest, product_.data() + i * rest);
    for (std::size_t j = 0; j < rest; ++j) before.constant += 0.5 * work_[j] * work_[j];
    squares_ = after.squares;
    linear_ = after.linear;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < rest; ++j) linear_[i] -= product_[i * rest + j] * work_[j];
        for (std::size_t k = 0; k < n; ++k) {
            for (std::size_t j = 0; j < rest; ++j) squares_[i * n + k] -= product_[i * rest + j] * product_[k * rest + j];
        }
    }
}

// Evidence about B x + c as evidence about x.
void FutureStep::carry_over(FutureEvidence& before) {
    const std::size_t n = model_.places, width = n + 1 + rest_;
    product_.assign(n * (n + 1), 0.0);  // Ω'' [B, c]
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < n; ++k) {
            for (std::size_t j = 0; j <= n; ++j) product_[i * (n + 1) + j] += squares_[i * n + k] * others_[k * width + j];
        }
    }
    for (std::size_t k = 0; k < n; ++k) {
        const double* own = others_.data() + k * width;
        const double turned = product_[k * (n + 1) + n];
        before.constant += own[n] * (linear_[k] - 0.5 * turned);
        for (std::size_t i = 0; i < n; ++i) {
            before.linear[i] += own[i] * (linear_[k] - turned);
            for (std::size_t j = 0; j < n; ++j) before.squares[i * n + j] += own[i] * product_[k * (n + 1) + j];
        }
    }
}

double FutureStep::log_weight(const GaussianState& state, const FutureEvidence& future) {
    const std::size_t n = model_.places, rank = *state.rank;
    product_.assign(n * (rank + 1), 0.0);  // Ω [F, mean]
    for (std::size_t i = 0; i < n; ++i) {
        double* own = product_.data() + i * (rank + 1);
        for (std::size_t k = 0; k < n; ++k) {
            const double cell = future.squares[i * n + k];
            if (cell == 0) continue;
            for (std::size_t j = 0; j < rank; ++j) own[j] += cell * state.root[k * n + j];
            own[rank] += cell * state.mean[k];
        }
    }
    inner_.assign(rank * rank, 0.0);
    work_.assign(rank, 0.0);
    double log = future.constant;
    for (std::size_t k = 0; k < n; ++k) {
        const double* own = product_.data() + k * (rank + 1);
        log += state.mean[k] * (future.linear[k] - 0.5 * own[rank]);
        for (std::size_t i = 0; i < rank; ++i) {
            const double cell = state.root[k * n + i];
            work_[i] += cell * (future.linear[k] - own[rank]);
            for (std::size_t j = 0; j <= i; ++j) inner_[i * rank + j] += cell * own[j];
        }
    }
    for (std::size_t i = 0; i < rank; ++i) inner_[i * rank + i] += 1.0;
    log -= 0.5 * factorise(inner_, rank);
    solve_lower(inner_, rank, work_.data());
    for (std::size_t i = 0; i < rank; ++i) log += 0.5 * work_[i] * work_[i];
    return log;
}

}  // namespace bayou::switching
