#include "bayou/switching/switching_run.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "bayou/base/interrupt.hpp"
#include "bayou/base/thread_pool.hpp"
#include "bayou/particles/particle_models.hpp"
#include "particle_move.hpp"

namespace bayou {

namespace {

constexpr std::size_t family_rows = 20;  // errors are those of particles with different ancestors so many rows ago
constexpr std::size_t switching_block = 64;  // particles that a thread takes at once: each takes long

template <typename Body>
void for_switching_blocks(std::size_t n, int threads, const Body& body) {
    const std::size_t blocks = (n + switching_block - 1) / switching_block;
    pooled_for(blocks, blocks < 2 ? 1 : threads, [&](std::size_t b, int) {
        const std::size_t first = b * switching_block;
        body(first, std::min(n, first + switching_block));
    });
}

}  // namespace

void SwitchingParticles::resize(const MixedTemplate& model, std::size_t particles) {
    means.assign(particles * model.places, 0.0);
    roots.assign(particles * model.places * model.places, 0.0);
    ranks.assign(particles, 0);
    cells.assign(particles * model.cells, 0);
}

SwitchingRun::SwitchingRun(const MixedTemplate& model, const SwitchingSettings& settings)
    : model_(model), settings_(settings) {
    const std::size_t n = settings.particles;
    if (n == 0 || n > 0xFFFFFFFFu) throw std::invalid_argument("particles: expected a number from 1 to 2**32 - 1");
    old_.resize(model, n);
    now_.resize(model, n);
    logs_.assign(n, 0.0);
    weights_.assign(n, 0.0);
    beliefs_.assign(n * switching::ParticleMove::beliefs(model), 0.0);
    ancestors_.assign(n, 0);
    families_.resize(n);
    for (std::size_t i = 0; i < n; ++i) families_[i] = static_cast<std::uint32_t>(i);
    younger_ = spare_ = families_;
    blocks_.resize(particle_blocks(n));
}

std::size_t SwitchingRun::run(const MixedRows& rows, const std::vector<const double*>& likelihoods,
                              const SwitchingResults& results, int threads) {
    const std::size_t n = settings_.particles;
    for (std::size_t row = 0; row < rows.rows; ++row) {
        stop_if_interrupted();
        const bool resampled = row > 0 && (settings_.resample_below >= 1.0 ||
                                           all_.effective_size < settings_.resample_below * static_cast<double>(n));
        const double before = row == 0 || resampled ? 0.0 : all_.log_mean;
        if (resampled) {
            const StreamOfRows random{settings_.seed, particle_stream(row, resampling_slot), 0};
            resample(settings_.resampling, weights_.data(), all_, n, random, ancestors_.data(), threads);
        }
        follow_families(row, resampled);
        std::swap(old_, now_);
        move(rows, row, likelihoods, resampled, threads);
        all_ = combine_weights(blocks_, n);
        if (!all_.any()) return row;
        results.log_steps[row] = all_.log_mean - before;
        results.effective_sizes[row] = all_.effective_size;
        results.resampled[row] = resampled;
        if (results.shares) summarise(row, results, threads);
        if (after_row) after_row(row);
    }
    return rows.rows;
}

// The ancestors that particles had at least family_rows ago (Olsson and Douc 2019, Bernoulli 25).
void SwitchingRun::follow_families(std::size_t row, bool resampled) {
    const std::size_t n = settings_.particles;
    for (std::vector<std::uint32_t>* one : {&families_, &younger_}) {
        if (!resampled) break;
        for (std::size_t i = 0; i < n; ++i) spare_[i] = (*one)[static_cast<std::size_t>(ancestors_[i])];
        one->swap(spare_);
    }
    if (row % family_rows) return;
    families_.swap(younger_);
    for (std::size_t i = 0; i < n; ++i) younger_[i] = static_cast<std::uint32_t>(i);
}

void SwitchingRun::move(const MixedRows& rows, std::size_t row, const std::vector<const double*>& likelihoods,
                        bool resampled, int threads) {
    const std::size_t n = settings_.particles, p = model_.places;
    switching::MixedRow known{&model_.slices[rows.slices[row]],          rows.values + row * model_.variables,
                              rows.are_set + row * model_.variables,     rows.codes + row * model_.codes,
                              rows.codes_are_set + row * model_.codes,   {}};
    for (std::size_t v = 0; v < model_.codes; ++v) {
        known.likelihoods.push_back(likelihoods[v] ? likelihoods[v] + row * model_.states[v] : nullptr);
    }
    const std::size_t slots = switching::ParticleMove::draws(model_, known);
    if (slots >= resampling_slot) throw std::invalid_argument("a slice has too many variables with states");
    std::vector<double> changes(n);
    const auto particle = [&](SwitchingParticles& all, std::size_t i) {
        return switching::OneParticle{{all.means.data() + i * p, all.roots.data() + i * p * p, all.ranks.data() + i},
                                      all.cells.data() + i * model_.cells};
    };
    for_switching_blocks(n, threads, [&](std::size_t first, std::size_t last) {
        stop_if_interrupted();
        switching::ParticleMove mover(model_, known);
        std::vector<double> uniform(slots * switching_block);
        for (std::size_t slot = 0; slot < slots; ++slot) {
            uniforms({settings_.seed, particle_stream(row, slot), first}, last - first,
                     uniform.data() + slot * switching_block);
        }
        std::size_t before = n;
        for (std::size_t i = first; i < last; ++i) {
            const std::size_t parent = resampled ? static_cast<std::size_t>(ancestors_[i]) : i;
            const bool same = (row == 0 && before < n) || parent == before;  // at first all particles are alike
            changes[i] = mover.move(particle(old_, parent), same, uniform.data() + (i - first), switching_block,
                                    particle(now_, i));
            before = parent;
            std::copy(mover.beliefs().begin(), mover.beliefs().end(),
                      beliefs_.begin() + static_cast<std::ptrdiff_t>(i * mover.beliefs().size()));
        }
    });
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        const std::size_t first = b * particle_block, m = std::min(particle_block, n - first);
        blocks_[b] = block_weights(resampled || row == 0 ? nullptr : logs_.data() + first, changes.data() + first, m,
                                   logs_.data() + first, weights_.data() + first);
    }
}

std::vector<double> SwitchingRun::shares() const {
    std::vector<double> found(weights_.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        found[i] = weights_[i] * (all_.scales[i / particle_block] / all_.sum);
    }
    return found;
}

// Each number that is asked for is a mean of one value a particle; its families show how uncertain it is.
void SwitchingRun::summarise(std::size_t row, const SwitchingResults& results, int threads) {
    const std::size_t n = settings_.particles, m = model_.variables;
    const std::size_t size = switching::ParticleMove::beliefs(model_), states = size - 2 * m;
    const std::vector<double> weights = shares();
    pooled_for(states + m, threads, [&](std::size_t at, int) {
        thread_local std::vector<double> families;
        families.assign(n, 0.0);
        double mean = 0, spread = 0, error = 0;
        for (std::size_t i = 0; i < n; ++i) mean += weights[i] * beliefs_[i * size + at];
        for (std::size_t i = 0; i < n; ++i) {
            const double apart = beliefs_[i * size + at] - mean;
            families[families_[i]] += weights[i] * apart;
            if (at >= states) spread += weights[i] * (beliefs_[i * size + at + m] + apart * apart);
        }
        for (std::size_t i = 0; i < n; ++i) error += families[i] * families[i];
        if (at < states) {
            results.shares[row * states + at] = mean;
            results.share_errors[row * states + at] = std::sqrt(error);
        } else {
            results.means[row * m + at - states] = mean;
            results.variances[row * m + at - states] = spread;
            results.mean_errors[row * m + at - states] = std::sqrt(error);
        }
    });
}

}  // namespace bayou
