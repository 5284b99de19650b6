#include "particle_move.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bayou::switching {

namespace {

constexpr std::size_t most_choices = 64;  // combinations of states that are all weighed
constexpr double no_log = -std::numeric_limits<double>::infinity();

}  // namespace

std::size_t ParticleMove::draws(const MixedTemplate& model, const MixedRow& row) {
    std::size_t combinations = 1;
    for (const DiscreteNode& node : row.slice->nodes) {
        if (row.codes[node.cell] == unknown_state) combinations *= model.states[node.cell];
        if (combinations > most_choices) return row.slice->nodes.size();
    }
    return 1;
}

ParticleMove::ParticleMove(const MixedTemplate& model, const MixedRow& row)
    : model_(model), row_(row), step_(model, false), weighs_all_(draws(model, row) == 1), beliefs_(beliefs(model)),
      states_(beliefs_.size() - 2 * model.variables) {}

std::size_t ParticleMove::beliefs(const MixedTemplate& model) {
    std::size_t size = 2 * model.variables;
    for (const std::size_t count : model.states) size += count;
    return size;
}

void ParticleMove::note_means(double share, const std::uint32_t* cells, const double* mean) {
    std::size_t first = 0;
    for (std::size_t v = 0; v < model_.codes; ++v) {
        beliefs_[first + cells[v]] += share;
        first += model_.states[v];
    }
    for (std::size_t v = 0; v < model_.variables; ++v) beliefs_[states_ + v] += share * mean[v];
}

// After all means.
void ParticleMove::note_variances(double share, const GaussianState& state) {
    const std::size_t m = model_.variables;
    for (std::size_t v = 0; v < m; ++v) {
        const double apart = state.mean[v] - beliefs_[states_ + v];
        double spread = apart * apart;
        for (std::size_t j = 0; j < *state.rank; ++j) {
            spread += state.root[v * model_.places + j] * state.root[v * model_.places + j];
        }
        beliefs_[states_ + m + v] += share * spread;
    }
}

double ParticleMove::move(const OneParticle& old, bool same, const double* uniforms, std::size_t stride,
                          const OneParticle& fresh) {
    if (!weighs_all_) return draw_in_turn(old, uniforms, stride, fresh);
    if (!same) weigh_all(old);
    if (!(log_sum_ > no_log)) {  // dead: any state will do, and the next resampling drops it
        copy_cells(old, fresh.cells);
        for (const DiscreteNode& node : row_.slice->nodes) fresh.cells[node.cell] = 0;
        *fresh.gaussian.rank = 0;
        std::fill(fresh.gaussian.mean, fresh.gaussian.mean + model_.places, 0.0);
        return no_log;
    }
    double left = uniforms[0];
    std::size_t chosen = 0, last = 0;
    for (std::size_t k = 0; k < used_; ++k) {
        const double share = choices_[k].share;
        if (share > 0) last = k;
        chosen = k;
        if (left < share) break;
        left -= share;
        chosen = last;
    }
    const Choice& choice = choices_[chosen];
    std::copy(choice.cells.begin(), choice.cells.end(), fresh.cells);
    std::copy(choice.mean.begin(), choice.mean.end(), fresh.gaussian.mean);
    std::copy(choice.root.begin(), choice.root.end(), fresh.gaussian.root);
    *fresh.gaussian.rank = choice.rank;
    return log_sum_;
}

void ParticleMove::copy_cells(const OneParticle& old, std::uint32_t* cells) const {
    std::fill(cells, cells + model_.cells, 0u);
    for (const PlaceCopy& copy : row_.slice->cell_copies) cells[copy.to] = old.cells[copy.from];
}

// All combinations of the unknown states: the first one fastest.
void ParticleMove::weigh_all(const OneParticle& old) {
    picked_.assign(row_.slice->nodes.size(), 0);
    used_ = 0;
    log_sum_ = no_log;
    for (bool more = true; more;) {
        if (used_ == choices_.size()) {
            choices_.push_back({0, 0, std::vector<std::uint32_t>(model_.cells), std::vector<double>(model_.places),
                                std::vector<double>(model_.places * model_.places)});
        }
        Choice& choice = choices_[used_];
        const double share = prior(old, choice.cells.data());
        if (share > 0) {
            choice.log = std::log(share) + weight_of_numbers(old, choice.cells.data(),
                                                             {choice.mean.data(), choice.root.data(), &choice.rank});
            log_sum_ = std::max(log_sum_, choice.log);
            ++used_;
        }
        more = false;
        for (std::size_t k = 0; k < picked_.size() && !more; ++k) {
            const DiscreteNode& node = row_.slice->nodes[k];
            if (!is_free(node)) continue;
            more = ++picked_[k] < model_.states[node.cell];
            if (!more) picked_[k] = 0;
        }
    }
    std::fill(beliefs_.begin(), beliefs_.end(), 0.0);
    if (!(log_sum_ > no_log)) return;
    double sum = 0;
    for (std::size_t k = 0; k < used_; ++k) sum += std::exp(choices_[k].log - log_sum_);
    log_sum_ += std::log(sum);
    for (std::size_t k = 0; k < used_; ++k) {
        Choice& choice = choices_[k];
        choice.share = std::exp(choice.log - log_sum_);
        note_means(choice.share, choice.cells.data(), choice.mean.data());
    }
    for (std::size_t k = 0; k < used_; ++k) {
        Choice& choice = choices_[k];
        note_variances(choice.share, {choice.mean.data(), choice.root.data(), &choice.rank});
    }
}

// P(states of the slice, what was seen of them | states before), and the cells with these states.
double ParticleMove::prior(const OneParticle& old, std::uint32_t* cells) const {
    copy_cells(old, cells);
    double share = 1;
    for (std::size_t k = 0; k < picked_.size(); ++k) {
        const DiscreteNode& node = row_.slice->nodes[k];
        const std::uint32_t code = is_free(node) ? static_cast<std::uint32_t>(picked_[k]) : row_.codes[node.cell];
        cells[node.cell] = code;
        if (row_.codes_are_set[node.cell]) continue;
        const TableBlock& table = model_.tables[node.table];
        share *= table.shares[group_of(node.parents, old.cells, cells) * table.states + code];
        if (row_.likelihoods[node.cell]) share *= row_.likelihoods[node.cell][code];
    }
    return share;
}

double ParticleMove::weight_of_numbers(const OneParticle& old, const std::uint32_t* cells, const GaussianState& fresh) {
    if (step_.take(*row_.slice, old.gaussian, old.cells, cells, row_.values, row_.are_set, fresh)) {
        return step_.log_density();
    }
    *fresh.rank = 0;
    std::fill(fresh.mean, fresh.mean + model_.places, 0.0);
    return no_log;
}

// Each unknown state from its own table, blindly.
double ParticleMove::draw_in_turn(const OneParticle& old, const double* uniforms, std::size_t stride,
                                  const OneParticle& fresh) {
    copy_cells(old, fresh.cells);
    double log = 0;
    for (std::size_t k = 0; k < row_.slice->nodes.size(); ++k) {
        const DiscreteNode& node = row_.slice->nodes[k];
        const TableBlock& table = model_.tables[node.table];
        const double* shares = table.shares.data() + group_of(node.parents, old.cells, fresh.cells) * table.states;
        std::uint32_t code = row_.codes[node.cell];
        if (is_free(node)) {
            double left = uniforms[k * stride];
            std::uint32_t last = 0;
            for (code = 0; code + 1 < table.states; ++code) {
                if (shares[code] > 0) last = code;
                if (left < shares[code]) break;
                left -= shares[code];
            }
            if (!(shares[code] > 0)) code = last;
        } else if (!row_.codes_are_set[node.cell]) {
            log += shares[code] > 0 ? std::log(shares[code]) : no_log;
        }
        fresh.cells[node.cell] = code;
        const double* likelihood = row_.likelihoods[node.cell];
        if (likelihood && !row_.codes_are_set[node.cell]) {
            log += likelihood[code] > 0 ? std::log(likelihood[code]) : no_log;
        }
    }
    log += weight_of_numbers(old, fresh.cells, fresh.gaussian);
    std::fill(beliefs_.begin(), beliefs_.end(), 0.0);
    note_means(1.0, fresh.cells, fresh.gaussian.mean);
    note_variances(1.0, fresh.gaussian);
    return log;
}

}  // namespace bayou::switching
