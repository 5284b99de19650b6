#include "bayou/particles/particle_models.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "bayou/tables/sampling.hpp"
#include "particle_loops.hpp"

namespace bayou {

namespace {
constexpr double log_two_pi = 1.8378770664093454836;
}  // namespace

void BlockDraws::normals(std::size_t component, std::size_t n, double* out) const {
    normal_numbers({seed_, particle_stream(step_, component), block_ * (particle_block / 4)}, n, out);
}

// q = a quarter of n, rounded up: numbers 0 … q - 1 are the cosines of the rows' first words, then come their sines, the
// cosines of the second words, and their sines.
void normal_numbers(const StreamOfRows& random, std::size_t n, double* out) {
    constexpr std::size_t most = particle_block / 4;
    std::uint64_t first[most], second[most];
    const std::size_t quarter = (n + 3) / 4;
    random_words(random, quarter, first, second);
    if (4 * quarter == n) {
        particle_loops().normals(first, quarter, out, out + quarter);
        particle_loops().normals(second, quarter, out + 2 * quarter, out + 3 * quarter);
        return;
    }
    double numbers[particle_block];
    particle_loops().normals(first, quarter, numbers, numbers + quarter);
    particle_loops().normals(second, quarter, numbers + 2 * quarter, numbers + 3 * quarter);
    std::copy(numbers, numbers + n, out);
}

void normal_numbers(std::uint64_t seed, std::uint64_t stream, std::size_t n, double mean, double spread, double* out,
                    int threads) {
    for_particle_blocks(n, threads, [&](std::size_t b, std::size_t first, std::size_t m) {
        normal_numbers({seed, stream, b * (particle_block / 4)}, m, out + first);
        for (std::size_t i = first; i < first + m; ++i) out[i] = mean + spread * out[i];
    });
}

void BlockDraws::uniform(std::size_t n, double* out) const {
    uniforms({seed_, particle_stream(step_, 0), block_ * particle_block}, n, out);
}

// Linear Gaussian series

namespace {

// logs = c - |H s + h|^2 / 2; without s the term H s is left out.
void quadratic_logs(const double* H, const double* h, double c, std::size_t outputs, std::size_t d,
                    const ParticleStates& s, std::size_t n, double* logs) {
    std::fill(logs, logs + n, c);
    double z[particle_block];
    for (std::size_t k = 0; k < outputs; ++k) {
        std::fill(z, z + n, h[k]);
        for (std::size_t j = 0; s.data && j < d; ++j) {
            const double factor = H[k * d + j];
            const double* x = s.data + j * s.stride;
            for (std::size_t i = 0; i < n; ++i) z[i] += factor * x[i];
        }
        for (std::size_t i = 0; i < n; ++i) logs[i] -= 0.5 * z[i] * z[i];
    }
}

}  // namespace

void LinearModel::prepare(std::size_t row, bool is_first) {
    row_ = row;
    set_ = static_cast<std::size_t>(steps_.sets[row]);
    is_first_ = is_first;
}

void LinearModel::move(const ParticleStates& old, const BlockDraws& draws, std::size_t n, double* fresh,
                       std::size_t stride, double* logs) const {
    const std::size_t d = steps_.dimension, k = steps_.outputs;
    if (d == 1 && k == 1) {
        draws.normals(0, n, fresh);
        const LineStep line{is_first_ ? 0.0 : steps_.F[set_],
                            steps_.shifts[row_],
                            steps_.G[set_],
                            is_first_ && steps_.weighs_old ? 0.0 : steps_.H[set_],
                            steps_.offsets[row_],
                            steps_.constants[row_],
                            steps_.weighs_old};
        particle_loops().line(line, is_first_ ? nullptr : old.data, n, fresh, logs);
        return;
    }
    const double *F = steps_.F + set_ * d * d, *G = steps_.G + set_ * d * d, *f = steps_.shifts + row_ * d;
    for (std::size_t c = 0; c < d; ++c) {
        double* out = fresh + c * stride;
        std::fill(out, out + n, f[c]);
        for (std::size_t j = 0; !is_first_ && j < d; ++j) {
            const double factor = F[c * d + j];
            const double* x = old.data + j * old.stride;
            for (std::size_t i = 0; i < n; ++i) out[i] += factor * x[i];
        }
    }
    double noise[particle_block];
    for (std::size_t j = 0; j < d; ++j) {
        draws.normals(j, n, noise);
        for (std::size_t c = 0; c < d; ++c) {
            const double factor = G[c * d + j];
            double* out = fresh + c * stride;
            if (factor == 0.0) continue;
            for (std::size_t i = 0; i < n; ++i) out[i] += factor * noise[i];
        }
    }
    const ParticleStates nothing{nullptr, 0}, weighed{fresh, stride};
    const ParticleStates& source = !steps_.weighs_old ? weighed : is_first_ ? nothing : old;
    quadratic_logs(steps_.H + set_ * k * d, steps_.offsets + row_ * k, steps_.constants[row_], k, d, source, n, logs);
}

void LinearModel::look_ahead(const ParticleStates& old, std::size_t n, double* logs) const {
    const std::size_t d = steps_.dimension, k = steps_.outputs;
    quadratic_logs(steps_.ahead_H + set_ * k * d, steps_.ahead_offsets + row_ * k, steps_.ahead_constants[row_], k, d,
                   old, n, logs);
}

// Stochastic volatility. log P(y | x) = -(log 2 pi + x + y^2 exp(-x)) / 2. A guided draw is normal around the mode of
// P(x | m, y), with the spread s of the moves, so that its weights are bounded (as Kim, Shephard and Chib 1998, who take
// the tangent of exp(-x) at the predicted m, not at the mode).

void VolatilityModel::prepare(std::size_t row, bool is_first) {
    const double y = steps_.observations[row];
    is_gap_ = std::isnan(y);
    square_ = y * y;
    is_first_ = is_first;
    spread_ = is_first ? steps_.first_spread : steps_.spread;
}

void VolatilityModel::predict(const ParticleStates& old, std::size_t n, double* predicted) const {
    for (std::size_t i = 0; i < n; ++i) {
        predicted[i] = is_first_ ? steps_.mean : steps_.mean + steps_.persistence * (old.data[i] - steps_.mean);
    }
}

namespace {

// How far the mode is from m: x = c + w with c = m - s^2 / 2 and w exp(w) = s^2 y^2 exp(-c) / 2, where w comes from
// Winitzki's formula (2003). The weights are right for any shift.
double shift_to_mode(double square, double inverse_variance, double spread) {
    const double variance = spread * spread;
    const double z = std::min(1e300, 0.5 * variance * square * inverse_variance * std::exp(0.5 * variance));
    const double log = std::log1p(z);
    return log * (1.0 - std::log1p(log) / (2.0 + log)) - 0.5 * variance;
}

void negated_exponentials(const double* x, std::size_t n, double* out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = -x[i];
    particle_loops().exponentials(out, n, out);
}

}  // namespace

void VolatilityModel::move(const ParticleStates& old, const BlockDraws& draws, std::size_t n, double* fresh,
                           std::size_t, double* logs) const {
    double predicted[particle_block], inverse[particle_block], shift[particle_block];
    predict(old, n, predicted);
    draws.normals(0, n, fresh);
    const bool is_guided = steps_.proposal == Proposal::guided && !is_gap_;
    if (is_guided) negated_exponentials(predicted, n, inverse);
    for (std::size_t i = 0; i < n; ++i) {
        shift[i] = is_guided ? shift_to_mode(square_, inverse[i], spread_) : 0.0;
        fresh[i] = predicted[i] + shift[i] + spread_ * fresh[i];
    }
    if (is_gap_) {
        std::fill(logs, logs + n, 0.0);
        return;
    }
    negated_exponentials(fresh, n, inverse);
    const double scale = 0.5 / (spread_ * spread_);
    for (std::size_t i = 0; i < n; ++i) {
        logs[i] = -0.5 * (log_two_pi + fresh[i] + square_ * inverse[i]) -
                  shift[i] * (2.0 * (fresh[i] - predicted[i]) - shift[i]) * scale;
    }
}

void VolatilityModel::look_ahead(const ParticleStates& old, std::size_t n, double* logs) const {
    if (is_gap_) {
        std::fill(logs, logs + n, 0.0);
        return;
    }
    // The integral of P(y | x) P(x | m) by Laplace's method at the mode.
    double predicted[particle_block], inverse[particle_block], shift[particle_block];
    predict(old, n, predicted);
    negated_exponentials(predicted, n, inverse);
    for (std::size_t i = 0; i < n; ++i) {
        shift[i] = shift_to_mode(square_, inverse[i], spread_);
        predicted[i] += shift[i];
    }
    negated_exponentials(predicted, n, inverse);
    const double variance = spread_ * spread_;
    for (std::size_t i = 0; i < n; ++i) {
        const double curvature = 0.5 * square_ * inverse[i] * variance;
        logs[i] = -0.5 * (log_two_pi + predicted[i] + square_ * inverse[i] + shift[i] * shift[i] / variance +
                          std::log1p(curvature));
    }
}

// Codes that move by a table

CodedModel::CodedModel(const ChainSteps& steps) : steps_(steps) {}

// Tables of this row: what is drawn from, P(to | from) or P(to | from, observation), and log P(observation | from).
void CodedModel::prepare(std::size_t row, bool is_first) {
    const std::size_t k = steps_.states, rows = is_first ? 1 : k;
    const bool is_guided = steps_.proposal == Proposal::guided;
    logs_ = steps_.logs + row * k;
    const bool changes = is_guided || is_first != is_first_ || !is_tabled_;
    is_first_ = is_first;
    const double largest = *std::max_element(logs_, logs_ + k);
    const double reference = std::isfinite(largest) ? largest : 0.0;
    if (changes) cumulative_.assign(rows * k, 0.0), last_.assign(rows, 0);
    is_tabled_ = true;
    row_logs_.assign(rows, 0.0);
    for (std::size_t from = 0; from < rows; ++from) {
        const double* moves = is_first ? steps_.start : steps_.transition + from * k;
        double total = 0.0, seen = 0.0;
        for (std::size_t to = 0; to < k; ++to) {
            const double share = moves[to] * std::exp(logs_[to] - reference);
            seen += share;
            if (!changes) continue;
            const double drawn = is_guided ? share : moves[to];
            total += drawn;
            if (drawn > 0.0) last_[from] = to;
            cumulative_[from * k + to] = total;
        }
        row_logs_[from] = std::log(seen) + reference;
        for (std::size_t to = 0; changes && total > 0.0 && to < k; ++to) cumulative_[from * k + to] /= total;
    }
}

void CodedModel::move(const ParticleStates& old, const BlockDraws& draws, std::size_t n, double* fresh, std::size_t,
                      double* logs) const {
    const bool is_guided = steps_.proposal == Proposal::guided;
    double u[particle_block];
    draws.uniform(n, u);
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t from = is_first_ ? 0 : static_cast<std::size_t>(old.data[i]);
        const double* row = cumulative_.data() + from * steps_.states;
        const std::size_t last = last_[from];
        std::size_t to = 0;
        if (last > 16) {
            to = static_cast<std::size_t>(std::upper_bound(row, row + last, u[i]) - row);
        } else {
            for (std::size_t before = 0; before < last; ++before) to += u[i] >= row[before];
        }
        fresh[i] = static_cast<double>(to);
        logs[i] = is_guided ? row_logs_[from] : logs_[to];
    }
}

void CodedModel::look_ahead(const ParticleStates& old, std::size_t n, double* logs) const {
    for (std::size_t i = 0; i < n; ++i) logs[i] = row_logs_[is_first_ ? 0 : static_cast<std::size_t>(old.data[i])];
}

}  // namespace bayou
