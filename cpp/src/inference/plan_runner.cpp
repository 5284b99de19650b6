#include "bayou/inference/plan_runner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bayou/base/interrupt.hpp"
#include "bayou/base/underflow.hpp"
#include "slot_values.hpp"

namespace bayou {

namespace {

constexpr double impossible = -std::numeric_limits<double>::infinity();
constexpr double long_run = 1 << 20;  // table entries
constexpr double log_of_two = 0.693147180559945309417;

// Divides a given factor by a power of 2 where its largest value is above 1 or very small, which changes no digit;
// returns the log of the divisor.
double scale_given(std::span<double> values) {
    const double largest = *std::max_element(values.begin(), values.end());
    if (largest <= 1 && (largest > 0x1p-64 || largest == 0)) return 0.0;
    int exponent = 0;
    std::frexp(largest, &exponent);
    for (double& value : values) value = std::ldexp(value, -exponent);
    return exponent * log_of_two;
}

}  // namespace

void PlanRunner::use_scratch(double* scratch) {
    if (!values_.empty() && scratch_ == scratch) return;
    if (constants_.size() < plan_.constants_size) constants_.resize(plan_.constants_size);
    scratch_ = scratch;
    values_.clear();
    for (const PlanSlot& slot : plan_.slots) {
        double* start = slot.memory == PlanSlot::Memory::scratch ? scratch : constants_.data();
        // Values that do not vary are written only by the first run, and only if they are not a given table.
        values_.push_back(slot.table ? const_cast<double*>(slot.table) : start + slot.offset);
    }
    log_evidence_.resize(plan_.lanes);
}

// Logs are slow: scale factors are multiplied as long as the product is far from the limits of a double.
void PlanRunner::count(double factor) {
    if (factor < 1e-100 || factor > 1e100) {
        log_evidence_[0] += std::log(factor);
        return;
    }
    product_ *= factor;
    if (product_ < 1e-150 || product_ > 1e150) {
        log_evidence_[0] += std::log(product_);
        product_ = 1;
    }
}

// Lanes of the smallest numbers are multiplied by 2^600 first: the reciprocal of their largest value may be infinite.
void PlanRunner::lift_lanes(const PlanSlot& slot, double* values) {
    for (std::size_t lane = 0; lane < plan_.lanes; ++lane) {
        if (!(largest_[lane] > 1e300)) continue;
        double largest = 0;
        for (std::size_t at = lane; at < slot.size; at += plan_.lanes) {
            values[at] *= 0x1p600;
            largest = std::max(largest, values[at]);
        }
        largest_[lane] = 1.0 / largest;
    }
}

// Divides each lane by its largest value, so that nothing underflows; returns false if every lane is impossible.
bool PlanRunner::scale(std::uint32_t slot, bool counts) {
    const PlanSlot& table = plan_.slots[slot];
    if (table.has_lanes && plan_.lanes > 1) return scale_lanes(table, values_[slot], counts);
    const double largest = scale_message({values_[slot], table.size});
    if (counts && plan_.lanes == 1) {
        count(largest);
    } else if (counts) {
        for (double& log : log_evidence_) log += std::log(largest);
    }
    return largest > 0;
}

bool PlanRunner::scale_lanes(const PlanSlot& slot, double* values, bool counts) {
    const std::size_t lanes = plan_.lanes;
    bool possible = false, tiny = false;
    largest_.assign(lanes, 0.0);
    for (std::size_t at = 0; at < slot.size; at += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) largest_[lane] = std::max(largest_[lane], values[at + lane]);
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        const double largest = largest_[lane];
        possible |= largest > 0;
        if (counts) log_evidence_[lane] += std::log(largest);
        largest_[lane] = largest > 0 ? 1.0 / largest : 0.0;
        tiny |= largest_[lane] > 1e300;
    }
    if (tiny) lift_lanes(slot, values);
    for (std::size_t at = 0; at < slot.size; at += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) values[at + lane] *= largest_[lane];
    }
    return possible;
}

void PlanRunner::normalise(const PlanMarginal& marginal, double* answer) const {
    const std::size_t lanes = plan_.lanes;
    double* cells = answer + marginal.offset * lanes;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        double total = 0;
        for (std::size_t i = 0; i < marginal.size; ++i) total += cells[i * lanes + lane];
        for (std::size_t i = 0; i < marginal.size; ++i) cells[i * lanes + lane] /= total;
    }
}

bool PlanRunner::run_step(const PlanStep& step, int threads) {
    if (plan_.entries * static_cast<double>(plan_.lanes) > long_run) stop_if_interrupted();
    if (step.kind == PlanStep::Kind::collect) return collect(plan_.clique_tables[step.target]);
    if (step.kind == PlanStep::Kind::distribute) return distribute(plan_.clique_tables[step.target]);
    run_nest(plan_.nests[step.nest], values_.data(), values_[step.target], step.how, threads);
    if (!underflowed_ && has_underflowed()) mark_underflow();
    return scale(step.target, step.counts);
}

// From the first underflow on, losses may grow as messages are divided by their largest values.
void PlanRunner::mark_underflow() {
    underflowed_ = true;
    before_underflow_ = log_evidence_;
    if (plan_.lanes == 1) before_underflow_[0] += std::log(product_);
}

// Whether something that underflowed may matter: log P(findings) has fallen far since then. Where messages go down the
// tree, too, all of it counts: P(findings) then bounds every product of messages from below.
bool PlanRunner::is_doubtful() const {
    if (!underflowed_ && !constants_underflowed_ && !has_underflowed()) return false;
    const bool only_up = plan_.messages.size() == plan_.tree.cliques.size();
    const bool since = underflowed_ && !constants_underflowed_ && only_up;
    for (std::size_t lane = 0; lane < plan_.lanes; ++lane) {
        const double start = since ? before_underflow_[lane] : given_log_;
        if (!(log_evidence_[lane] - start > safe_log)) return true;
    }
    return false;
}

// Computes the slots that do not depend on the findings.
void PlanRunner::run_constants(int threads) {
    std::fill(log_evidence_.begin(), log_evidence_.end(), 0.0);
    product_ = 1;
    for (const FactorCopy& copy : plan_.copies) {
        if (copy.varies || plan_.slots[copy.slot].table) continue;
        copy_factor(copy, nullptr, copy.table, values_[copy.slot]);
    }
    bool possible = true;
    for (const PlanStep& step : plan_.products) {
        if (!step.varies) possible &= run_step(step, threads);
    }
    for (const PlanStep& step : plan_.messages) {
        if (step.kind == PlanStep::Kind::collect) make_base(plan_.clique_tables[step.target]);
        if (!step.varies) possible &= run_step(step, threads);
    }
    constant_log_ = possible ? log_evidence_[0] + std::log(product_) : impossible;
    constants_underflowed_ = has_underflowed();
    has_constants_ = true;
}

void PlanRunner::run(std::span<const std::uint32_t> codes, std::span<const double* const> given,
                     std::span<double> answer, int threads) {
    wide_.reset();
    forget_underflow();
    const bool possible = run_doubles(codes, given, answer, threads);
    if (!is_doubtful()) {
        if (!possible) return;
        for (const PlanMarginal& marginal : plan_.marginals) normalise(marginal, answer.data());
        return;
    }
    wide_ = std::make_unique<WidePlanRunner>(plan_);
    wide_->run(codes, given, answer);
    log_evidence_ = wide_->log_evidence();
    forget_underflow();
}

// Returns false if the findings are impossible in every lane; the answer is not normalised yet.
bool PlanRunner::run_doubles(std::span<const std::uint32_t> codes, std::span<const double* const> given,
                             std::span<double> answer, int threads) {
    underflowed_ = false;
    given_log_ = 0;
    if (!has_constants_) run_constants(threads);
    product_ = 1;
    std::fill(log_evidence_.begin(), log_evidence_.end(), constant_log_);
    if (constant_log_ == impossible) return false;
    for (const FactorCopy& copy : plan_.copies) {
        if (!copy.varies) continue;
        copy_factor(copy, codes.data(), copy.table ? copy.table : given[copy.given], values_[copy.slot]);
        // With lanes they are findings, ones and zeros.
        if (!copy.table && plan_.lanes == 1) given_log_ += scale_given({values_[copy.slot], copy.size});
    }
    if (given_log_ != 0) log_evidence_[0] += given_log_;
    for (const std::uint32_t slot : plan_.numbers) {
        const std::size_t lanes = plan_.slots[slot].has_lanes ? plan_.lanes : 1;
        for (std::size_t lane = 0; lane < plan_.lanes; ++lane) {
            log_evidence_[lane] += std::log(values_[slot][lane % lanes]);
        }
    }
    for (const PlanStep& step : plan_.products) {
        if (step.varies) run_step(step, threads);
    }
    for (const PlanStep& step : plan_.messages) {
        if (step.varies && !run_step(step, threads)) {
            std::fill(log_evidence_.begin(), log_evidence_.end(), impossible);
            return false;
        }
    }
    if (plan_.lanes == 1) log_evidence_[0] += std::log(product_);
    for (const MarginalSource& source : plan_.sources) read_marginals(source, answer.data());
    for (const PlanMarginal& marginal : plan_.marginals) {
        if (marginal.nest != no_slot) {
            run_nest(plan_.nests[marginal.nest], values_.data(), answer.data() + marginal.offset * plan_.lanes,
                     Combine::sum, threads);
        }
    }
    return true;
}

void PlanRunner::trace_back(std::span<std::uint32_t> states) const {
    if (wide_) return wide_->trace_back(states);
    trace_best_states(plan_, [&](std::uint32_t slot) { return values_[slot]; }, states);
}

}  // namespace bayou
