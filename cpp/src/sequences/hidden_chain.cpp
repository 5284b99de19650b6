#include "bayou/sequences/hidden_chain.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "bayou/base/interrupt.hpp"
#include "bayou/base/threads.hpp"
#include "chain_bundle.hpp"
#include "log_chain.hpp"

namespace bayou {

namespace {

// Expected counts of some bundles; those of all parts are added in order, so that threads change no bit.
struct ChainCounts {
    std::vector<double> start, transition, end;
    std::vector<std::vector<double>> coded;

    ChainCounts(std::size_t states, std::size_t padded, const Emissions& emissions)
        : start(states), transition(padded * padded), end(states) {
        for (const CodedEmission& one : emissions.coded) {
            coded.emplace_back(one.counts ? (std::size_t{one.column.card} + 1) * states : 0);
        }
    }
};

// The sum of the logarithms of many scales per lane: exponents are added, mantissas multiplied.
class LogSum {
  public:
    void add(double scale) {
        const auto bits = std::bit_cast<std::uint64_t>(scale);
        exponent_ += static_cast<std::int64_t>(bits >> 52) - 1023;
        mantissa_ *= std::bit_cast<double>((bits & 0xFFFFFFFFFFFFFull) | 0x3FF0000000000000ull);
        if (++count_ == 512) settle();
    }
    void add_log(double log) { rest_ += log; }
    // The product of at most 512 scales.
    void add_product(double mantissa, std::int64_t exponent) {
        rest_ += std::log(mantissa);
        exponent_ += exponent;
    }
    double value() {
        settle();
        return rest_ + static_cast<double>(exponent_) * 0.693147180559945309417;
    }

  private:
    void settle() {
        rest_ += std::log(mantissa_);
        mantissa_ = 1;
        count_ = 0;
    }
    double mantissa_ = 1, rest_ = 0;
    std::int64_t exponent_ = 0;
    int count_ = 0;
};

// Where the pieces of a sequence meet. A piece starts some steps before its own ones, from uniform states, and ends
// some steps after them: messages forget where they come from, usually within a few steps. That they have is checked:
// both neighbours must say the same about the last step of the left one (filtered states; smoothed ones, which depend
// on both messages, if there is a way back). Otherwise the sequence runs again in one piece.
struct Borders {
    std::size_t states = 0;
    double tolerance = 0;
    std::vector<std::size_t> first;      // own first row of each piece, in order
    std::vector<double> left, right;     // [piece, state] at the last row of a piece: as it says, as the next one says
    std::vector<double> log_likelihood;  // of each piece

    Borders(const std::vector<Bundle>& bundles, std::size_t count, double weight)
        : states(count), tolerance(1e-13 * std::max(weight, 1.0)) {
        for (const Bundle& bundle : bundles) {
            for (std::size_t lane = 0; lane < bundle.lanes; ++lane) {
                first.push_back(bundle.first[lane] + bundle.begin[lane]);
            }
        }
        std::sort(first.begin(), first.end());
        left.resize(first.size() * states);
        right.resize(first.size() * states);
        log_likelihood.resize(first.size());
    }

    std::size_t piece(std::size_t row) const {
        return std::upper_bound(first.begin(), first.end(), row) - first.begin() - 1;
    }
    double* slot(std::size_t row, bool by_next) { return (by_next ? right : left).data() + piece(row) * states; }

    bool agree() const {
        for (std::size_t at = 0; at + states < left.size(); ++at) {
            if (!(std::abs(left[at] - right[at]) <= tolerance)) return false;
        }
        return true;
    }
};

// Runs bundles one after the other in its own memory.
class BundleRunner {
  public:
    BundleRunner(const TiledChain& tiled, const Emissions& emissions, const SequenceRows& rows,
                 const ChainResults& results)
        : tiled_(tiled), emissions_(emissions), rows_(rows), results_(results),
          filler_(emissions, tiled.states(), tiled.padded(), false), size_(tiled.padded() * chain_lanes),
          stretch_(stretch_of(tiled.padded())), block_(std::clamp<std::size_t>(8192 / size_, 8, 64)) {}

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
        if (results_.backward(emissions_)) run_back(counts);
        if (!borders_) run_alone(counts);
    }

    // From now on bundles are pieces of one sequence.
    void meet_at(Borders* borders) { borders_ = borders; }
    bool any_failed() const { return std::any_of(failed_, failed_ + chain_lanes, [](bool one) { return one; }); }

  private:
    std::size_t steps_from(std::size_t first) const { return std::min(stretch_, bundle_->steps() - first); }

    std::size_t lane_piece(std::size_t lane) const { return borders_->piece(bundle_->first[lane] + bundle_->begin[lane]); }

    void prepare() {
        const std::size_t held = std::min(stretch_, std::max<std::size_t>(bundle_->steps(), 1));
        const std::size_t stretches = (bundle_->steps() + stretch_ - 1) / stretch_;
        likelihoods_.resize(std::max(likelihoods_.size(), held * size_));
        filtered_.resize(std::max(filtered_.size(), (held + 1) * size_));
        offsets_.resize(std::max(offsets_.size(), held * chain_lanes));
        scales_.resize(std::max(scales_.size(), held * chain_lanes));
        inverses_.resize(std::max(inverses_.size(), held * chain_lanes));
        between_.resize(std::max(between_.size(), stretches * size_));
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
        double* before = between_.data() + first / stretch_ * size_;
        if (first == 0) {
            std::fill_n(before, size_, 0.0);
        } else if (!going_back_) {
            std::copy_n(filtered_.data() + stretch_ * size_, size_, before);
        }
        std::copy_n(before, size_, filtered_.data());
        const ForwardSteps run{tiled_.forward(), first == 0 ? opening_.data() : nullptr, steps, likelihoods_.data(),
                               filtered_.data(), scales_.data(), inverses_.data(), &risky_};
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
                if (emissions_.logs) sums_[lane].add_log(offset);
                const std::size_t row = bundle_->first[lane] + first + t;
                if (results_.step_logs) results_.step_logs[row] = std::log(scale) + offset;
                if (results_.filtered) copy_lane(filtered_.data() + (t + 1) * size_, lane, results_.filtered + row * k);
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
            for (std::size_t t = begin; emissions_.logs && t < begin + steps; ++t) {
                sums_[lane].add_log(offsets_[t * chain_lanes + lane]);
            }
        }
    }

    bool is_own(std::size_t lane, std::size_t step) const {
        return step >= bundle_->begin[lane] && step < bundle_->end[lane];
    }

    // What the pieces of a sequence say about the steps where they meet; see Borders.
    void take_filtered_borders(std::size_t lane, std::size_t first, std::size_t own) {
        if (results_.backward(emissions_)) return;
        take_borders(lane, first, own, [&](std::size_t step) { return filtered_.data() + (step - first + 1) * size_; });
    }

    template <typename At>
    void take_borders(std::size_t lane, std::size_t first, std::size_t own, const At& at) {
        const std::size_t before = bundle_->begin[lane] - 1, last = bundle_->end[lane] - 1;
        const std::size_t row = bundle_->first[lane];
        if (bundle_->begin[lane] > 0 && before >= first && before < first + own) {
            copy_lane(at(before), lane, borders_->slot(row + before, true));
        }
        if (bundle_->end[lane] < bundle_->length[lane] && last >= first && last < first + own) {
            copy_lane(at(last), lane, borders_->slot(row + last, false));
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
                total += filtered_[own * size_ + j * chain_lanes + lane] * end[j];
            }
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
            if (tiled_.careful() && (risky_ >> lane & 1)) failed_[lane] = true;
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
        message_.assign(size_, 0.0);
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
        const double* filtered = filtered_.data() + begin * size_;
        double* likelihoods = likelihoods_.data() + begin * size_;
        chain_loops().backward({tiled_.backward(), first == 0, steps, filtered, likelihoods,
                                inverses_.data() + begin * chain_lanes, last, ends_.data(), message_.data(),
                                smoothed_.data()});
        if (borders_) keep_own(first, steps, likelihoods);
        if (results_.transition_counts) {
            // The first step of a sequence follows no other: the message before it is 0.
            chain_loops().add_products(tiled_.padded(), steps, filtered, likelihoods, counts.transition.data());
        }
        for (std::size_t c = 0; c < emissions_.coded.size(); ++c) {
            if (emissions_.coded[c].counts) count_codes(c, first, steps, counts.coded[c]);
        }
        take_smoothed(first, steps, last, counts);
    }

    // Pieces of a sequence: steps that belong to a neighbour do not count.
    void keep_own(std::size_t first, std::size_t steps, double* likelihoods) {
        for (std::size_t lane = 0; lane < bundle_->lanes; ++lane) {
            const std::size_t length = bundle_->length[lane];
            const std::size_t own = length > first ? std::min(steps, length - first) : 0;
            take_borders(lane, first, own, [&](std::size_t step) { return smoothed_.data() + (step - first) * size_; });
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
                chain_loops().scatter(smoothed_.data() + t * size_, k, rows);
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
                                             &counts.coded});
            if (results_.log_likelihoods) results_.log_likelihoods[sequence] = log;
        }
    }

    const TiledChain& tiled_;
    const Emissions& emissions_;
    const SequenceRows& rows_;
    const ChainResults& results_;
    EmissionFiller filler_;
    std::size_t size_, stretch_, block_;
    const Bundle* bundle_ = nullptr;
    Borders* borders_ = nullptr;
    unsigned risky_ = 0;
    bool going_back_ = false;
    bool failed_[chain_lanes] = {};
    LogSum sums_[chain_lanes];
    std::vector<double> likelihoods_, filtered_, smoothed_, offsets_, scales_, inverses_, between_, message_, ends_, opening_;
};

void add_counts(const std::vector<ChainCounts>& parts, const TiledChain& tiled, const Emissions& emissions,
                const ChainResults& results) {
    const std::size_t k = tiled.states(), padded = tiled.padded();
    const double* transition = tiled.chain().transition;
    for (const ChainCounts& part : parts) {
        for (std::size_t i = 0; i < k; ++i) {
            if (results.start_counts) results.start_counts[i] += part.start[i];
            if (results.end_counts) results.end_counts[i] += part.end[i];
            for (std::size_t j = 0; results.transition_counts && j < k; ++j) {
                const double p = transition[i * k + j];
                if (p > 0) results.transition_counts[i * k + j] += p * part.transition[i * padded + j];
            }
        }
        for (std::size_t c = 0; c < emissions.coded.size(); ++c) {
            double* counts = emissions.coded[c].counts;
            for (std::size_t at = 0; counts && at < part.coded[c].size(); ++at) counts[at] += part.coded[c][at];
        }
    }
}

// A fixed number of parts, whatever the threads: fewer where their counts are large.
std::size_t parts_for(std::size_t bundles, const TiledChain& tiled, const Emissions& emissions) {
    std::size_t cells = tiled.padded() * tiled.padded() + 1;
    for (const CodedEmission& one : emissions.coded) {
        if (one.counts) cells += (std::size_t{one.column.card} + 1) * tiled.states();
    }
    const std::size_t most = std::clamp<std::size_t>((std::size_t{1} << 22) / cells, 2, 32);
    return std::max<std::size_t>(std::min(bundles, most), 1);
}

// A long sequence in pieces; false if they do not fit together: then nothing was counted.
bool run_pieces(const TiledChain& tiled, const Emissions& emissions, const SequenceRows& rows,
                const ChainResults& results, std::size_t sequence, int threads) {
    const std::vector<Bundle> bundles = pieces_of(rows, sequence);
    Borders borders(bundles, tiled.states(), rows.weights ? rows.weights[sequence] : 1.0);
    std::vector<ChainCounts> counts(bundles.size(), ChainCounts(tiled.states(), tiled.padded(), emissions));
    std::vector<char> failed(bundles.size());
    parallel_for(bundles.size(), threads, [&](std::size_t at, int) {
        BundleRunner runner(tiled, emissions, rows, results);
        runner.meet_at(&borders);
        runner.run(bundles[at], counts[at]);
        failed[at] = runner.any_failed();
    });
    if (std::count(failed.begin(), failed.end(), 1) || !borders.agree()) return false;
    add_counts(counts, tiled, emissions, results);
    if (results.log_likelihoods) {
        double& total = results.log_likelihoods[sequence];
        total = 0;
        for (const double log : borders.log_likelihood) total += log;
    }
    return true;
}

}  // namespace

void run_hidden_chain(const HiddenChain& chain, const Emissions& emissions, const SequenceRows& rows,
                      const ChainResults& results, int threads) {
    const TiledChain tiled(chain, false);
    std::vector<std::size_t> whole;
    for (std::size_t k = 0; k < rows.count; ++k) {
        const bool done = runs_in_pieces(rows, k) && run_pieces(tiled, emissions, rows, results, k, threads);
        if (!done) whole.push_back(k);
    }
    const std::vector<Bundle> bundles = bundles_of(rows, std::move(whole));
    const std::size_t parts = parts_for(bundles.size(), tiled, emissions);
    std::vector<ChainCounts> counts(parts, ChainCounts(tiled.states(), tiled.padded(), emissions));
    std::vector<BundleRunner> runners(usable_threads(threads), BundleRunner(tiled, emissions, rows, results));
    // Bundles are dealt out like cards, because the first ones are the longest.
    parallel_for(parts, threads, [&](std::size_t part, int worker) {
        for (std::size_t at = part; at < bundles.size(); at += parts) runners[worker].run(bundles[at], counts[part]);
    });
    add_counts(counts, tiled, emissions, results);
    for (std::size_t k = 0; results.log_likelihoods && k < rows.count; ++k) {
        if (rows.length(k) == 0) results.log_likelihoods[k] = 0;
    }
}

}  // namespace bayou
