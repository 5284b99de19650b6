#include "bayou/particles/particle_run.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bayou/base/interrupt.hpp"

namespace bayou {

ParticleRun::ParticleRun(const RunSettings& settings) : settings_(settings) {
    const std::size_t n = settings.particles;
    if (n == 0 || n > 0xFFFFFFFFu) throw std::invalid_argument("particles: expected a number from 1 to 2**32 - 1");
    logs_.assign(n, 0.0);
    weights_.assign(n, 0.0);
    ancestors_.assign(n, 0);
    blocks_.resize(particle_blocks(n));
}

std::size_t ParticleRun::run(ParticleModel& model, const RunResults& results, int threads) {
    const std::size_t n = settings_.particles, d = model.components();
    if (components_ != 0 && components_ != d) throw std::invalid_argument("the model has other components than before");
    components_ = d;
    states_.resize(n * d);
    fresh_.resize(n * d);
    const std::size_t columns = model.codes() ? model.codes() : d;
    std::vector<double> means(blocks_.size() * columns), scatters(blocks_.size() * columns);
    for (std::size_t row = 0; row < model.steps(); ++row) {
        stop_if_interrupted();
        model.prepare(row, step_ == 0);
        bool resampled = false;
        const double before = step_ == 0 ? 0.0 : resample_if_needed(model, threads, resampled);
        move(model, resampled, means, scatters, threads);
        all_ = combine_weights(blocks_, n);
        ++step_;
        if (!all_.any()) return row;
        results.log_steps[row] = all_.log_mean - before;
        results.effective_sizes[row] = all_.effective_size;
        results.resampled[row] = resampled;
        summarise(model, means, scatters, row, results);
        if (results.kept_states) std::copy(states_.begin(), states_.end(), results.kept_states + row * n * d);
        if (results.kept_logs) std::copy(logs_.begin(), logs_.end(), results.kept_logs + row * n);
    }
    return model.steps();
}

// Finds ancestors if the effective size asks for it. Returns what the log of the mean weight after the move counts from.
double ParticleRun::resample_if_needed(ParticleModel& model, int threads, bool& resampled) {
    const std::size_t n = settings_.particles;
    const StreamOfRows random{settings_.seed, particle_stream(step_, resampling_slot), 0};
    const auto is_needed = [&](const AllWeights& all) {
        return settings_.resample_below >= 1.0 ||
               all.effective_size < settings_.resample_below * static_cast<double>(n);
    };
    if (!settings_.looks_ahead) {
        resampled = is_needed(all_);
        if (!resampled) return all_.log_mean;
        resample(settings_.resampling, weights_.data(), all_, n, random, ancestors_.data(), threads);
        return 0.0;
    }
    const std::vector<BlockWeights> present = blocks_;
    weigh_ahead(model, threads);
    const AllWeights ahead = combine_weights(blocks_, n);
    // A look-ahead that excludes every particle is not believed.
    resampled = ahead.any() && is_needed(ahead);
    blocks_ = present;
    if (!resampled) return all_.log_mean;
    resample(settings_.resampling, ahead_weights_.data(), ahead, n, random, ancestors_.data(), threads);
    return all_.log_mean - ahead.log_mean;
}

void ParticleRun::weigh_ahead(const ParticleModel& model, int threads) {
    const std::size_t n = settings_.particles;
    ahead_.resize(n);
    ahead_weights_.resize(n);
    for_particle_blocks(n, threads, [&](std::size_t b, std::size_t first, std::size_t m) {
        double logs[particle_block];
        model.look_ahead({states_.data() + first, n}, m, ahead_.data() + first);
        blocks_[b] = block_weights(logs_.data() + first, ahead_.data() + first, m, logs, ahead_weights_.data() + first);
    });
}

// New particles from the ancestors (or each from itself), their weights, and sums of these.
void ParticleRun::move(const ParticleModel& model, bool resampled, std::vector<double>& means,
                       std::vector<double>& scatters, int threads) {
    const std::size_t n = settings_.particles, d = components_, codes = model.codes();
    const bool looks_ahead = resampled && settings_.looks_ahead;
    for_particle_blocks(n, threads, [&](std::size_t b, std::size_t first, std::size_t m) {
        thread_local std::vector<double> taken;
        ParticleStates old{states_.data() + first, n};
        const std::int64_t* ancestors = ancestors_.data() + first;
        if (resampled) {
            taken.resize(d * particle_block);
            for (std::size_t c = 0; c < d; ++c) {
                const double* from = states_.data() + c * n;
                for (std::size_t i = 0; i < m; ++i) taken[c * particle_block + i] = from[ancestors[i]];
            }
            old = {taken.data(), particle_block};
        }
        double fresh_logs[particle_block];
        model.move(old, BlockDraws(settings_.seed, step_, b), m, fresh_.data() + first, n, fresh_logs);
        for (std::size_t i = 0; looks_ahead && i < m; ++i) fresh_logs[i] -= ahead_[ancestors[i]];
        double *logs = logs_.data() + first, *weights = weights_.data() + first;
        blocks_[b] = block_weights(resampled ? nullptr : logs, fresh_logs, m, logs, weights);
        if (codes) {
            double* shares = means.data() + b * codes;
            std::fill(shares, shares + codes, 0.0);
            for (std::size_t i = 0; i < m; ++i) shares[static_cast<std::size_t>(fresh_[first + i])] += weights[i];
        } else {
            for (std::size_t c = 0; c < d; ++c) {
                const BlockMoments found = block_moments(fresh_.data() + c * n + first, weights, m);
                means[b * d + c] = found.mean;
                scatters[b * d + c] = found.scatter;
            }
        }
    });
    states_.swap(fresh_);
}

void ParticleRun::summarise(const ParticleModel& model, const std::vector<double>& means,
                            const std::vector<double>& scatters, std::size_t row, const RunResults& results) const {
    const std::size_t n = settings_.particles, d = components_, codes = model.codes();
    for (std::size_t k = 0; k < codes; ++k) {
        double share = 0.0;
        for (std::size_t b = 0; b < blocks_.size(); ++b) share += all_.scales[b] * means[b * codes + k];
        results.means[row * codes + k] = share / all_.sum;
    }
    for (std::size_t c = 0; !codes && c < d; ++c) {
        double sum = 0.0, scatter = 0.0;
        for (std::size_t b = 0; b < blocks_.size(); ++b) sum += all_.scales[b] * blocks_[b].sum * means[b * d + c];
        const double mean = results.means[row * d + c] = sum / all_.sum;
        for (std::size_t b = 0; b < blocks_.size(); ++b) {
            const double apart = means[b * d + c] - mean;
            scatter += all_.scales[b] * (scatters[b * d + c] + blocks_[b].sum * apart * apart);
        }
        results.spreads[row * d + c] = std::sqrt(scatter / all_.sum);
        const std::size_t levels = results.levels.size();
        std::vector<double> found(levels);
        if (levels) {
            weighted_quantiles(states_.data() + c * n, weights_.data(), all_.scales.data(), n, results.levels,
                               found.data());
        }
        for (std::size_t q = 0; q < levels; ++q) results.quantiles[(row * levels + q) * d + c] = found[q];
    }
}

}  // namespace bayou
