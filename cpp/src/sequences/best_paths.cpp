// The most probable path (Viterbi 1967). Only the best log probabilities are kept on the way forward; on the way back
// the state before is found again by the same sums, for the states of the paths alone.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "bayou/base/interrupt.hpp"
#include "bayou/base/threads.hpp"
#include "bayou/sequences/hidden_chain.hpp"
#include "chain_bundle.hpp"
#include "emission_filler.hpp"

namespace bayou {

namespace {

class PathFinder {
  public:
    PathFinder(const TiledChain& tiled, const Emissions& emissions)
        : tiled_(tiled), filler_(emissions, tiled.states(), tiled.padded(), true),
          size_(tiled.padded() * chain_lanes), stretch_(stretch_of(tiled.padded(), true)),
          into_(tiled.padded() * tiled.padded(), -std::numeric_limits<double>::infinity()) {
        const std::size_t k = tiled.states();
        for (std::size_t j = 0; j < k; ++j) {
            const double* column = tiled.forward().values + j / chain_tile * k * chain_tile + j % chain_tile;
            for (std::size_t i = 0; i < k; ++i) into_[j * tiled.padded() + i] = column[i * chain_tile];
        }
    }

    void run(const Bundle& bundle, std::uint32_t* states, double* log_probabilities) {
        bundle_ = &bundle;
        states_ = states;
        if (bundle.steps() == 0) return;
        std::fill_n(taken_out_, chain_lanes, 0.0);
        const std::size_t stretches = (bundle.steps() + stretch_ - 1) / stretch_;
        between_.resize(std::max(between_.size(), stretches * size_));
        const std::size_t held = std::min(stretch_, bundle.steps());
        logs_.resize(std::max(logs_.size(), held * size_));
        offsets_.resize(std::max(offsets_.size(), held * chain_lanes));
        best_.resize(std::max(best_.size(), (held + 1) * size_));
        for (std::size_t at = 0; at < stretches; ++at) {
            forward(at, true);
            for (std::size_t lane = 0; lane < bundle.lanes; ++lane) take_end(lane, at * stretch_, log_probabilities);
        }
        for (std::size_t at = stretches; at-- > 0;) {
            if (at + 1 < stretches) forward(at, false);
            trace_back(at * stretch_);
        }
    }

  private:
    std::size_t steps_from(std::size_t first) const { return std::min(stretch_, bundle_->steps() - first); }

    void forward(std::size_t stretch, bool keep) {
        stop_if_interrupted();
        const std::size_t first = stretch * stretch_;
        double* before = between_.data() + stretch * size_;
        if (keep && stretch) {
            std::copy_n(best_.data() + stretch_ * size_, size_, before);
            rescale(before);
        }
        std::copy_n(before, size_, best_.data());
        unsigned risky = 0;
        filler_.fill(*bundle_, first, steps_from(first), logs_.data(), offsets_.data(), &risky);
        chain_loops().best({tiled_.forward(), stretch ? nullptr : tiled_.start(), steps_from(first), logs_.data(),
                            best_.data()});
    }

    // Divides the message of each lane by its largest entry, or states would be compared by the last digits of the
    // probability of all rows.
    void rescale(double* message) {
        for (std::size_t lane = 0; lane < chain_lanes; ++lane) {
            double largest = -std::numeric_limits<double>::infinity();
            for (std::size_t j = 0; j < tiled_.states(); ++j) largest = std::max(largest, message[j * chain_lanes + lane]);
            if (!std::isfinite(largest)) continue;
            for (std::size_t j = 0; j < tiled_.states(); ++j) message[j * chain_lanes + lane] -= largest;
            taken_out_[lane] += largest;
        }
    }

    void take_end(std::size_t lane, std::size_t first, double* log_probabilities) {
        const std::size_t length = bundle_->length[lane];
        if (length <= first || length > first + steps_from(first)) return;
        const double* at = best_.data() + (length - first) * size_ + lane;
        const double* end = tiled_.chain().end;
        double best = -std::numeric_limits<double>::infinity();
        final_[lane] = 0;
        for (std::size_t j = 0; j < tiled_.states(); ++j) {
            const double log = at[j * chain_lanes] + (end ? std::log(end[j]) : 0.0);
            if (log > best) {
                best = log;
                final_[lane] = static_cast<std::uint32_t>(j);
            }
        }
        possible_[lane] = best > -std::numeric_limits<double>::infinity();
        log_probabilities[bundle_->sequence[lane]] = best + taken_out_[lane];
    }

    void trace_back(std::size_t first) {
        const std::size_t steps = steps_from(first);
        std::ptrdiff_t last[chain_lanes];
        for (std::size_t lane = 0; lane < chain_lanes; ++lane) {
            const std::size_t length = bundle_->length[lane];
            const bool here = length > first && length <= first + steps;
            last[lane] = here ? static_cast<std::ptrdiff_t>(length - first - 1) : -1;
        }
        path_.resize(std::max(path_.size(), steps * chain_lanes));
        chain_loops().trace({into_.data(), tiled_.padded(), steps, best_.data(), last, final_, state_, path_.data()});
        for (std::size_t lane = 0; lane < bundle_->lanes; ++lane) {
            const std::size_t length = bundle_->length[lane];
            const std::size_t own = length > first ? std::min(steps, length - first) : 0;
            std::uint32_t* to = states_ + bundle_->first[lane] + first;
            for (std::size_t t = 0; t < own; ++t) to[t] = possible_[lane] ? path_[t * chain_lanes + lane] : 0;
        }
    }

    const TiledChain& tiled_;
    EmissionFiller filler_;
    std::size_t size_, stretch_;
    const Bundle* bundle_ = nullptr;
    std::uint32_t* states_ = nullptr;
    std::uint32_t state_[chain_lanes] = {}, final_[chain_lanes] = {};
    bool possible_[chain_lanes] = {};
    double taken_out_[chain_lanes] = {};
    std::vector<double> into_, between_, logs_, offsets_, best_;
    std::vector<std::uint32_t> path_;
};

}  // namespace

void best_paths(const HiddenChain& chain, const Emissions& emissions, const SequenceRows& rows, std::uint32_t* states,
                double* log_probabilities, int threads) {
    const TiledChain tiled(chain, true);
    std::vector<std::size_t> sequences(rows.count);
    std::iota(sequences.begin(), sequences.end(), std::size_t{0});
    const std::vector<Bundle> bundles = bundles_of(rows, std::move(sequences));
    std::fill_n(log_probabilities, rows.count, 0.0);
    std::vector<PathFinder> finders;
    const std::size_t workers = std::min<std::size_t>(bundles.size(), usable_threads(threads));
    for (std::size_t at = 0; at < workers; ++at) finders.emplace_back(tiled, emissions);
    parallel_for(bundles.size(), threads, [&](std::size_t at, int worker) {
        finders[worker].run(bundles[at], states, log_probabilities);
    });
}

}  // namespace bayou
