#include "forward_pass.hpp"

#include <algorithm>
#include <cmath>

#include "small_matrices.hpp"

namespace bayou::kalman {

namespace {

constexpr double log_two_pi = 1.8378770664093453;
constexpr std::size_t window = 32;     // rows between two looks at the change of the covariance
constexpr double no_change = 2e-15;    // of an entry within a window, in units of the deviations of its row and column
constexpr double least_pivot = 1e-13;  // of a root, as a share of its line: less is rounding

}  // namespace

SystemRoots::SystemRoots(const LinearSystem& given)
    : system(given), transition_noise(lower_root(given.transition_noise, given.states)),
      observation_noise(lower_root(given.observation_noise, given.columns)),
      start_covariance(lower_root(given.start_covariance, given.states)) {}

StepMatrices::StepMatrices(std::size_t states, std::size_t columns)
    : there(columns), innovation(columns * columns), gain(states * columns), root(states * states),
      covariance(states * states), back(states * states), left(states * states) {}

ForwardPass::ForwardPass(const SystemRoots& roots, bool smoothing)
    : roots_(roots), smoothing_(smoothing), compared_(roots.system.states * roots.system.states),
      mean_(roots.system.states), predicted_(roots.system.states),
      predicted_root_(roots.system.states * roots.system.states), surprise_(roots.system.columns) {
    const std::size_t n = roots.system.states, m = roots.system.columns;
    work_.resize(std::max(4 * n * n, (m + n) * (m + n)));
}

void ForwardPass::begin() {
    first_ = true;
    steady_ = false;
    alike_ = used_ = 0;
}

void ForwardPass::restart(const double* mean, const double* root) {
    begin();
    const std::size_t n = roots_.system.states;
    first_ = false;
    if (steps_.empty()) steps_.emplace_back(n, roots_.system.columns);
    now_ = 0;
    used_ = 1;
    std::copy(mean, mean + n, mean_.begin());
    std::copy(root, root + n * n, steps_[0].root.begin());
    std::fill(steps_[0].there.begin(), steps_[0].there.end(), std::uint8_t{2});  // like no row
}

bool ForwardPass::take(const double* values, const double* inputs) {
    const LinearSystem& s = roots_.system;
    const std::size_t n = s.states, m = s.columns;
    if (first_) {
        std::copy(s.start_mean, s.start_mean + n, predicted_.begin());
    } else {
        std::fill(predicted_.begin(), predicted_.end(), 0.0);
        add_product(s.transition, mean_.data(), n, n, 1.0, predicted_.data());
        add_product(s.control, inputs, n, s.inputs, 1.0, predicted_.data());
    }
    const bool alike = !first_ && same_values_there(values);
    if (!alike) steady_ = false;
    if (!steady_) {
        if (!next_matrices(values)) return false;
        if (alike) {
            note_change();
        } else {
            alike_ = 0;
        }
    }
    first_ = false;
    const StepMatrices& now = steps_[now_];
    std::copy(predicted_.begin(), predicted_.end(), mean_.begin());
    double squares = 0;
    for (std::size_t i = 0, k = 0; i < m; ++i) {
        if (!now.there[i]) continue;
        double sum = values[i];
        for (std::size_t j = 0; j < n; ++j) sum -= s.observation[i * n + j] * predicted_[j];
        for (std::size_t j = 0; j < s.inputs; ++j) sum -= s.direct[i * s.inputs + j] * inputs[j];
        for (std::size_t j = 0; j < k; ++j) sum -= now.innovation[k * now.seen + j] * surprise_[j];
        surprise_[k] = sum / now.innovation[k * now.seen + k];
        squares += surprise_[k] * surprise_[k];
        ++k;
    }
    add_product(now.gain.data(), surprise_.data(), n, now.seen, 1.0, mean_.data());
    log_density_ = now.log_constant - 0.5 * squares;
    double size = std::abs(log_density_);
    for (std::size_t j = 0; j < n; ++j) size += std::abs(mean_[j]);
    return std::isfinite(size);
}

bool ForwardPass::same_values_there(const double* values) const {
    const std::vector<std::uint8_t>& there = steps_[now_].there;
    for (std::size_t i = 0; i < there.size(); ++i) {
        if (there[i] != static_cast<std::uint8_t>(!std::isnan(values[i]))) return false;
    }
    return true;
}

// After many rows with the same values there the covariance no longer changes: once a whole window of rows changes
// nothing beyond rounding, the matrices are kept. (If the changes shrink by a factor r a row, what is left of them is
// below no_change / (1 − r^window): 6e-13 for a filter that remembers 10,000 rows.)
void ForwardPass::note_change() {
    if (++alike_ % window) return;
    const std::size_t n = roots_.system.states;
    const std::vector<double>& covariance = steps_[now_].covariance;
    bool same = alike_ > window;
    for (std::size_t i = 0; i < n && same; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            const double change = std::abs(covariance[i * n + j] - compared_[i * n + j]);
            const double unit = std::sqrt(covariance[i * n + i] * covariance[j * n + j]);
            same = same && change <= no_change * unit;
        }
    }
    steady_ = same;
    if (steady_) finish();
    compared_ = covariance;
}

void ForwardPass::finish() {
    if (smoothing_) predict_root(steps_[now_]);
}

bool ForwardPass::next_matrices(const double* values) {
    const std::size_t n = roots_.system.states, m = roots_.system.columns;
    std::size_t place = 0;
    if (first_) {
        predicted_root_ = roots_.start_covariance;
        used_ = 0;
    } else {
        predict_root(steps_[now_]);
        place = smoothing_ ? used_ : 0;
    }
    if (place >= steps_.size()) steps_.emplace_back(n, m);
    now_ = place;
    used_ = place + 1;
    return update(values, steps_[now_]);
}

// The root of A P Aᵀ + Q. With [A F, Q½; F, 0] = [L, 0; X, Y] · (a rotation), F the root of P, J = X L⁻¹ and Y Yᵀ is the
// covariance of the state given the next one.
void ForwardPass::predict_root(StepMatrices& before) {
    const LinearSystem& s = roots_.system;
    const std::size_t n = s.states, wide = 2 * n, lines = smoothing_ ? 2 * n : n;
    std::fill(work_.begin(), work_.begin() + static_cast<std::ptrdiff_t>(lines * wide), 0.0);
    multiply(s.transition, before.root.data(), n, n, n, work_.data(), wide);
    for (std::size_t i = 0; i < n; ++i) {
        std::copy_n(roots_.transition_noise.data() + i * n, n, work_.data() + i * wide + n);
        if (smoothing_) std::copy_n(before.root.data() + i * n, n, work_.data() + (n + i) * wide);
    }
    make_lower(work_.data(), lines, wide);
    for (std::size_t i = 0; i < n; ++i) std::copy_n(work_.data() + i * wide, n, predicted_root_.data() + i * n);
    if (!smoothing_) return;
    for (std::size_t i = 0; i < n; ++i) {  // J = X L⁻¹, from the last column to the first
        const double* line = work_.data() + (n + i) * wide;
        for (std::size_t j = n; j-- > 0;) {
            double sum = line[j], size = 0;
            for (std::size_t k = j + 1; k < n; ++k) sum -= before.back[i * n + k] * predicted_root_[k * n + j];
            for (std::size_t k = 0; k <= j; ++k) size += std::abs(predicted_root_[j * n + k]);
            const double pivot = predicted_root_[j * n + j];
            before.back[i * n + j] = pivot > least_pivot * size ? sum / pivot : 0.0;
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = 0;
            for (std::size_t k = n; k < wide; ++k) sum += work_[(n + i) * wide + k] * work_[(n + j) * wide + k];
            before.left[i * n + j] = before.left[j * n + i] = sum;
        }
    }
}

// With [R½, C F; 0, F] = [S½, 0; G, F'] · (a rotation), S is the covariance of the values, G S^(−½) Kalman's gain and F'
// the root of the filtered covariance.
bool ForwardPass::update(const double* values, StepMatrices& now) {
    const LinearSystem& s = roots_.system;
    const std::size_t n = s.states, m = s.columns, wide = m + n;
    std::size_t seen = 0;
    for (std::size_t i = 0; i < m; ++i) {
        now.there[i] = !std::isnan(values[i]);
        seen += now.there[i];
    }
    now.seen = seen;
    std::fill(work_.begin(), work_.begin() + static_cast<std::ptrdiff_t>((seen + n) * wide), 0.0);
    for (std::size_t i = 0, k = 0; i < m; ++i) {
        if (!now.there[i]) continue;
        std::copy_n(roots_.observation_noise.data() + i * m, m, work_.data() + k * wide);
        multiply(s.observation + i * n, predicted_root_.data(), 1, n, n, work_.data() + k * wide + m, wide);
        ++k;
    }
    for (std::size_t i = 0; i < n; ++i) {
        std::copy_n(predicted_root_.data() + i * n, n, work_.data() + (seen + i) * wide + m);
    }
    if (seen) make_lower(work_.data(), seen + n, wide);
    const std::size_t shift = seen ? seen : m;
    now.log_constant = -0.5 * static_cast<double>(seen) * log_two_pi;
    for (std::size_t i = 0; i < seen; ++i) {
        double size = 0;
        for (std::size_t j = 0; j <= i; ++j) size += std::abs(work_[i * wide + j]);
        const double pivot = work_[i * wide + i];
        if (!(pivot > least_pivot * size) || !std::isfinite(size)) return false;
        now.log_constant -= std::log(pivot);
        std::copy_n(work_.data() + i * wide, seen, now.innovation.data() + i * seen);
    }
    for (std::size_t i = 0; i < n; ++i) {
        std::copy_n(work_.data() + (seen + i) * wide, seen, now.gain.data() + i * seen);
        std::copy_n(work_.data() + (seen + i) * wide + shift, n, now.root.data() + i * n);
    }
    multiply_transposed(now.root.data(), now.root.data(), n, n, n, now.covariance.data());
    double total = 0;
    for (const double cell : now.covariance) total += std::abs(cell);
    return std::isfinite(total);
}

}  // namespace bayou::kalman
