// The forward and backward messages of bundles of sequences, and what is taken from them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "bayou/base/interrupt.hpp"
#include "chain_sums.hpp"
#include "emission_filler.hpp"
#include "log_chain.hpp"

namespace bayou {

// Runs bundles one after the other in its own memory.
class BundleRunner {
  public:
    BundleRunner(const TiledChain& tiled, const Emissions& emissions, const SequenceRows& rows,
                 const ChainResults& results)
        : tiled_(tiled), emissions_(emissions), rows_(rows), results_(results),
          filler_(emissions, tiled.states(), tiled.padded(), false), size_(tiled.padded() * chain_lanes), returns_(results.backward(emissions)),
          stretch_(stretch_of(tiled.padded(), returns_)), block_(std::clamp<std::size_t>(8192 / size_, 8, EmissionFiller::most_steps)) {}

    void run(const Bundle& bundle, ChainCounts& counts) {
        bundle_ = &bundle;
        risky_ = 0;
        prepare();
        for (std::size_t first = 0; first < bundle.steps(); first += stretch_) {
            stop_if_interrupted();
            forward(first);
            take_scales(first);
        }
        finish_lanes();
        if (returns_) run_back(counts);
        if (!borders_) run_alone(counts);
    }

    // From now on bundles are pieces of one sequence.
    void meet_at(Borders* borders) { borders_ = borders; }
    bool any_failed() const { return std::any_of(failed_, failed_ + chain_lanes, [](bool one) { return one; }); }

  private:
    std::size_t steps_from(std::size_t first) const { return std::min(stretch_, bundle_->steps() - first); }

    // The numbers that are kept between stretches: messages, and the inverses of their sums.
    std::size_t kept() const { return size_ + chain_lanes; }

    std::size_t lane_piece(std::size_t lane) const { return borders_->piece(bundle_->first[lane] + bundle_->begin[lane]); }

    void prepare() {
        const std::size_t held = std::min(stretch_, std::max<std::size_t>(bundle_->steps(), 1));
        const std::size_t stretches = returns_ ? (bundle_->steps() + stretch_ - 1) / stretch_ : 1;
        likelihoods_.resize(std::max(likelihoods_.size(), held * size_));
        messages_.resize(std::max(messages_.size(), (held + 1) * size_));
        offsets_.resize(std::max(offsets_.size(), held * chain_lanes));
        scales_.resize(std::max(scales_.size(), held * chain_lanes));
        inverses_.resize(std::max(inverses_.size(), (held + 1) * chain_lanes));
        between_.resize(std::max(between_.size(), stretches * kept()));
        for (LogSum& sum : sums_) sum = LogSum();
        ends_.assign(size_, 0.0);
        opening_.assign(size_, 0.0);
        for (std::size_t j = 0; j < tiled_.states(); ++j) {
            for (std::size_t lane = 0; lane < chain_lanes; ++lane) {
                const bool inside = lane < bundle_->lanes && !bundle_->opens[lane];
                opening_[j * chain_lanes + lane] = inside ? 1.0 / static_cast<double>(tiled_.states()) : tiled_.start()[j];
            }
        }
        std::fill(failed_, failed_ + chain_lanes, false);
    }

    // The filtered states of a stretch; what stands before its first step is kept for the way back.
    void forward(std::size_t first) {
        const std::size_t steps = steps_from(first);
        filler_.fill(*bundle_, first, steps, likelihoods_.data(), offsets_.data(), &risky_);
        double* before = between_.data() + (returns_ ? first / stretch_ * kept() : 0);
        if (first == 0) {
            std::fill_n(before, size_, 0.0);
            std::fill_n(before + size_, chain_lanes, 1.0);
        } else if (!going_back_) {
            std::copy_n(messages_.data() + stretch_ * size_, size_, before);
            std::copy_n(inverses_.data() + stretch_ * chain_lanes, chain_lanes, before + size_);
        }
        std::copy_n(before, size_, messages_.data());
        std::copy_n(before + size_, chain_lanes, inverses_.data());
        const ForwardSteps run{tiled_.forward(), first == 0 ? opening_.data() : nullptr, steps, likelihoods_.data(),
                               messages_.data(), scales_.data(), inverses_.data(), &risky_};
        chain_loops().forward(run, tiled_.careful());
    }

    void take_scales(std::size_t first) {
        const std::size_t steps = steps_from(first), k = tiled_.states();
        const auto [begin, end] = common_steps(first, steps);
        for (std::size_t t = begin; t < end; t += 512) take_common_scales(t, std::min<std::size_t>(512, end - t));
        for (std::size_t lane = 0; lane < bundle_->lanes; ++lane) {
            const std::size_t length = bundle_->length[lane];
            const std::size_t own = length > first ? std::min(steps, length - first) : 0;
            for (std::size_t t = 0; t < own; ++t) {
                if (t == begin && begin < end) t = end;
                if (t >= own) break;
                const double scale = scales_[t * chain_lanes + lane], offset = offsets_[t * chain_lanes + lane];
                if (!(scale > least_scale && scale < 1e300)) {
                    failed_[lane] = true;
                    break;
                }
                if (!is_own(lane, first + t)) continue;
                sums_[lane].add(scale);
                if (emissions_.dense()) sums_[lane].add_log(offset);
                const std::size_t row = bundle_->first[lane] + first + t;
                if (results_.step_logs) results_.step_logs[row] = std::log(scale) + offset;
                if (results_.filtered) copy_filtered(t, lane, results_.filtered + row * k);
            }
            if (own && length == first + own) take_end(lane, own);
            if (borders_) take_filtered_borders(lane, first, own);
        }
    }

    // The steps of a stretch, relative to its first, that are all lanes' own and of which only the sum is wanted.
    std::pair<std::size_t, std::size_t> common_steps(std::size_t first, std::size_t steps) const {
        if (results_.step_logs || results_.filtered) return {0, 0};
        std::size_t begin = first, end = first + steps;
        for (std::size_t lane = 0; lane < bundle_->lanes; ++lane) {
            begin = std::max(begin, bundle_->begin[lane]);
            end = std::min(end, bundle_->end[lane]);
        }
        return begin < end ? std::pair{begin - first, end - first} : std::pair<std::size_t, std::size_t>{0, 0};
    }

    void take_common_scales(std::size_t begin, std::size_t steps) {
        ScaleProducts products;
        chain_loops().multiply_scales(scales_.data() + begin * chain_lanes, steps, products);
        for (std::size_t lane = 0; lane < bundle_->lanes; ++lane) {
            if (!(products.smallest[lane] > least_scale && products.largest[lane] < 1e300)) {
                failed_[lane] = true;
                continue;
            }
            sums_[lane].add_product(products.mantissa[lane], products.exponent[lane]);
        }
        if (!emissions_.dense()) return;
        double total[chain_lanes] = {};
        for (std::size_t at = begin * chain_lanes; at < (begin + steps) * chain_lanes; ++at) {
            total[at % chain_lanes] += offsets_[at];
        }
        for (std::size_t lane = 0; lane < bundle_->lanes; ++lane) sums_[lane].add_log(total[lane]);
    }

    bool is_own(std::size_t lane, std::size_t step) const {
        return step >= bundle_->begin[lane] && step < bundle_->end[lane];
    }

    // What the pieces of a sequence say about the steps where they meet; see Borders.
    void take_filtered_borders(std::size_t lane, std::size_t first, std::size_t own) {
        if (returns_) return;
        take_borders(lane, first, own, [&](std::size_t step, double* to) { copy_filtered(step - first, lane, to); });
    }

    template <typename Copy>
    void take_borders(std::size_t lane, std::size_t first, std::size_t own, const Copy& copy) {
        const std::size_t before = bundle_->begin[lane] - 1, last = bundle_->end[lane] - 1;
        const std::size_t row = bundle_->first[lane];
        if (bundle_->begin[lane] > 0 && before >= first && before < first + own) {
            copy(before, borders_->slot(row + before, true));
        }
        if (bundle_->end[lane] < bundle_->length[lane] && last >= first && last < first + own) {
            copy(last, borders_->slot(row + last, false));
        }
    }

    // The message that a lane starts its way back with: its weight, divided by what is left of P(ends).
    void take_end(std::size_t lane, std::size_t own) {
        const double weight = rows_.weights ? rows_.weights[bundle_->sequence[lane]] : 1.0;
        const double* end = bundle_->closes[lane] ? tiled_.chain().end : nullptr;
        double total = 1;
        if (end) {
            total = 0;
            for (std::size_t j = 0; j < tiled_.states(); ++j) {
                total += messages_[own * size_ + j * chain_lanes + lane] * end[j];
            }
            total *= inverses_[own * chain_lanes + lane];
            if (!(total > least_scale)) {
                failed_[lane] = true;
                return;
            }
            sums_[lane].add(total);
        }
        for (std::size_t j = 0; j < tiled_.states(); ++j) {
            ends_[j * chain_lanes + lane] = weight * (end ? end[j] : 1.0) / total;
        }
    }

    void finish_lanes() {
        for (std::size_t lane = 0; lane < bundle_->lanes; ++lane) {
            if (tiled_.careful() && bundle_->length[lane] && (risky_ >> lane & 1)) failed_[lane] = true;
            if (failed_[lane]) {
                for (std::size_t j = 0; j < tiled_.padded(); ++j) ends_[j * chain_lanes + lane] = 0;
            } else if (borders_) {
                borders_->log_likelihood[lane_piece(lane)] = sums_[lane].value();
            } else if (results_.log_likelihoods) {
                results_.log_likelihoods[bundle_->sequence[lane]] = sums_[lane].value();
            }
        }
    }

    void run_back(ChainCounts& counts) {
        const std::size_t steps = bundle_->steps();
        if (steps == 0) return;
        smoothed_.resize(block_ * size_);
        back_.assign(size_, 0.0);
        going_back_ = true;
        for (std::size_t stretch = (steps + stretch_ - 1) / stretch_; stretch-- > 0;) {
            stop_if_interrupted();
            const std::size_t first = stretch * stretch_;
            if (first + stretch_ < steps) forward(first);  // the last stretch is still there
            backward(first, counts);
        }
        going_back_ = false;
    }

    // In blocks of steps whose messages stay in the cache until everything has been taken from them.
    void backward(std::size_t first, ChainCounts& counts) {
        for (std::size_t end = steps_from(first); end > 0;) {
            const std::size_t begin = end > block_ ? end - block_ : 0;
            backward_block(first, begin, end - begin, counts);
            end = begin;
        }
    }

    void backward_block(std::size_t stretch, std::size_t begin, std::size_t steps, ChainCounts& counts) {
        const std::size_t first = stretch + begin;
        std::ptrdiff_t last[chain_lanes];
        for (std::size_t lane = 0; lane < chain_lanes; ++lane) {
            const std::size_t length = bundle_->length[lane];
            const bool here = length > first && length <= first + steps;
            last[lane] = here ? static_cast<std::ptrdiff_t>(length - first - 1) : -1;
        }
        const double* messages = messages_.data() + begin * size_;
        double* likelihoods = likelihoods_.data() + begin * size_;
        chain_loops().backward({tiled_.backward(), first == 0, steps, messages, likelihoods,
                                inverses_.data() + begin * chain_lanes, last, ends_.data(), back_.data(),
                                smoothed_.data()});
        if (borders_) keep_own(first, steps, likelihoods);
        if (results_.transition_counts) {
            // The first step of a sequence follows no other: the message before it is 0.
            chain_loops().add_products(tiled_.padded(), steps, messages, likelihoods, counts.transition.data());
        }
        for (std::size_t c = 0; c < emissions_.coded.size(); ++c) {
            if (emissions_.coded[c].counts) count_codes(c, first, steps, counts.coded[c]);
        }
        if (emissions_.gaussian.sums) {
            emission_loops().add_moments(filler_.gaussian(), tiled_.padded(), steps,
                                         filler_.numbers(*bundle_, first, steps), smoothed_.data(),
                                         counts.gaussian.data());
        }
        take_smoothed(first, steps, last, counts);
    }

    // Pieces of a sequence: steps that belong to a neighbour do not count.
    void keep_own(std::size_t first, std::size_t steps, double* likelihoods) {
        for (std::size_t lane = 0; lane < bundle_->lanes; ++lane) {
            const std::size_t length = bundle_->length[lane];
            const std::size_t own = length > first ? std::min(steps, length - first) : 0;
            take_borders(lane, first, own, [&](std::size_t step, double* to) {
                copy_lane(smoothed_.data() + (step - first) * size_, lane, to);
            });
            for (std::size_t t = 0; t < steps; ++t) {
                if (is_own(lane, first + t)) continue;
                for (std::size_t j = 0; j < tiled_.padded(); ++j) {
                    likelihoods[t * size_ + j * chain_lanes + lane] = 0;
                    smoothed_[t * size_ + j * chain_lanes + lane] = 0;
                }
            }
        }
    }

    void take_smoothed(std::size_t first, std::size_t steps, const std::ptrdiff_t* last, ChainCounts& counts) {
        const std::size_t k = tiled_.states();
        for (std::size_t lane = 0; lane < bundle_->lanes; ++lane) {
            if (failed_[lane]) continue;
            if (first == 0 && bundle_->length[lane] && bundle_->opens[lane]) {
                add_lane(smoothed_.data(), lane, counts.start);
            }
            if (last[lane] >= 0 && bundle_->closes[lane]) add_lane(smoothed_.data() + last[lane] * size_, lane, counts.end);
            if (!results_.smoothed || bundle_->length[lane] <= first) continue;
            double* to = results_.smoothed + (bundle_->first[lane] + first) * k;
            const std::size_t own = std::min(steps, bundle_->length[lane] - first);
            for (std::size_t t = 0; t < own; ++t) {
                if (is_own(lane, first + t)) copy_lane(smoothed_.data() + t * size_, lane, to + t * k);
            }
        }
    }

    // Lanes that failed have smoothed states of weight 0.
    void count_codes(std::size_t c, std::size_t first, std::size_t steps, std::vector<double>& counts) const {
        const std::size_t k = tiled_.states();
        const CodeColumn& column = emissions_.coded[c].column;
        for (std::size_t t = 0; t < steps; ++t) {
            const std::size_t active = bundle_->active(first + t);
            if (active == chain_lanes && k == tiled_.padded()) {
                double* rows[chain_lanes];
                for (std::size_t lane = 0; lane < chain_lanes; ++lane) {
                    rows[lane] = counts.data() + emitted_code(column, bundle_->first[lane] + first + t) * k;
                }
                emission_loops().scatter(smoothed_.data() + t * size_, k, rows);
                continue;
            }
            for (std::size_t lane = 0; lane < active; ++lane) {
                const std::uint32_t code = emitted_code(column, bundle_->first[lane] + first + t);
                const double* from = smoothed_.data() + t * size_ + lane;
                double* to = counts.data() + std::size_t{code} * k;
                for (std::size_t j = 0; j < k; ++j) to[j] += from[j * chain_lanes];
            }
        }
    }

    // The filtered states of a step of the stretch in memory.
    void copy_filtered(std::size_t t, std::size_t lane, double* to) const {
        copy_lane(messages_.data() + (t + 1) * size_, lane, to);
        for (std::size_t j = 0; j < tiled_.states(); ++j) to[j] *= inverses_[(t + 1) * chain_lanes + lane];
    }

    void copy_lane(const double* from, std::size_t lane, double* to) const {
        for (std::size_t j = 0; j < tiled_.states(); ++j) to[j] = from[j * chain_lanes + lane];
    }

    void add_lane(const double* from, std::size_t lane, std::vector<double>& to) const {
        for (std::size_t j = 0; j < tiled_.states(); ++j) to[j] += from[j * chain_lanes + lane];
    }

    // The sequences that scaled numbers could not hold.
    void run_alone(ChainCounts& counts) {
        for (std::size_t lane = 0; lane < bundle_->lanes; ++lane) {
            if (!failed_[lane]) continue;
            const std::size_t sequence = bundle_->sequence[lane];
            LogChainRun run{tiled_.chain(), emissions_, bundle_->first[lane], bundle_->length[lane],
                            rows_.weights ? rows_.weights[sequence] : 1.0};
            const double log = run_log_chain(run, results_, LogChainCounts{counts.start.data(),
                                             counts.transition.data(), tiled_.padded(), counts.end.data(),
                                             &counts.coded, counts.gaussian.data()});
            if (results_.log_likelihoods) results_.log_likelihoods[sequence] = log;
        }
    }

    const TiledChain& tiled_;
    const Emissions& emissions_;
    const SequenceRows& rows_;
    const ChainResults& results_;
    EmissionFiller filler_;
    std::size_t size_;
    bool returns_;  // whether there is a way back
    std::size_t stretch_, block_;
    const Bundle* bundle_ = nullptr;
    Borders* borders_ = nullptr;
    unsigned risky_ = 0;
    bool going_back_ = false;
    bool failed_[chain_lanes] = {};
    LogSum sums_[chain_lanes];
    std::vector<double> likelihoods_, messages_, smoothed_, offsets_, scales_, inverses_, between_, back_, ends_, opening_;
};

}  // namespace bayou
