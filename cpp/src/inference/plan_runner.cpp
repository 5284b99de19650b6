#include "bayou/inference/plan_runner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bayou {

namespace {

constexpr double impossible = -std::numeric_limits<double>::infinity();

void copy_factor(const FactorCopy& copy, const std::uint32_t* codes, const double* from, double* out) {
    for (const auto& [index, stride] : copy.fixed) from += stride * static_cast<std::ptrdiff_t>(codes[index]);
    if (copy.sizes.empty()) {
        *out = *from;
        return;
    }
    const std::size_t inner = copy.sizes.back();
    const std::ptrdiff_t step = copy.strides.back();
    std::vector<std::size_t> index(copy.sizes.size(), 0);
    for (std::size_t done = 0; done < copy.size; done += inner) {
        for (std::size_t i = 0; i < inner; ++i) out[done + i] = from[static_cast<std::ptrdiff_t>(i) * step];
        for (std::size_t depth = copy.sizes.size() - 1; depth-- > 0;) {
            from += copy.strides[depth];
            if (++index[depth] < copy.sizes[depth]) break;
            from -= copy.strides[depth] * static_cast<std::ptrdiff_t>(copy.sizes[depth]);
            index[depth] = 0;
        }
    }
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
    bool possible = false;
    largest_.assign(lanes, 0.0);
    for (std::size_t at = 0; at < slot.size; at += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) largest_[lane] = std::max(largest_[lane], values[at + lane]);
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        possible |= largest_[lane] > 0;
        // The reciprocal of the smallest numbers is infinite: these are scaled up, though not to 1.
        const double by = largest_[lane] > 0 ? std::max(largest_[lane], 1e-300) : 0.0;
        if (counts) log_evidence_[lane] += std::log(by);
        largest_[lane] = by > 0 ? 1.0 / by : 0.0;
    }
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
    if (step.kind == PlanStep::Kind::collect) return collect(plan_.clique_tables[step.target]);
    if (step.kind == PlanStep::Kind::distribute) return distribute(plan_.clique_tables[step.target]);
    run_nest(plan_.nests[step.nest], values_.data(), values_[step.target], step.how, threads);
    return scale(step.target, step.counts);
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
    has_constants_ = true;
}

void PlanRunner::run(std::span<const std::uint32_t> codes, std::span<const double* const> given,
                     std::span<double> answer, int threads) {
    if (!has_constants_) run_constants(threads);
    product_ = 1;
    std::fill(log_evidence_.begin(), log_evidence_.end(), constant_log_);
    if (constant_log_ == impossible) return;
    for (const FactorCopy& copy : plan_.copies) {
        if (!copy.varies) continue;
        copy_factor(copy, codes.data(), copy.table ? copy.table : given[copy.given], values_[copy.slot]);
    }
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
            return;
        }
    }
    if (plan_.lanes == 1) log_evidence_[0] += std::log(product_);
    for (const MarginalSource& source : plan_.sources) read_marginals(source, answer.data());
    for (const PlanMarginal& marginal : plan_.marginals) {
        if (marginal.nest != no_slot) {
            run_nest(plan_.nests[marginal.nest], values_.data(), answer.data() + marginal.offset * plan_.lanes,
                     Combine::sum, threads);
        }
        normalise(marginal, answer.data());
    }
}

// From the root down: the states of a clique's separator are known, those of its other variables are tried.
void PlanRunner::trace_back(std::span<std::uint32_t> states) const {
    for (const MaximisedClique& clique : plan_.maximisations) {
        const std::vector<std::uint32_t>& free = clique.variables;
        std::vector<std::uint32_t> trial(free.size(), 0), best(free.size(), 0);
        double highest = -1;
        for (bool more = true; more;) {
            for (std::size_t k = 0; k < free.size(); ++k) states[free[k]] = trial[k];
            double value = 1;
            for (const std::uint32_t slot : clique.slots) {
                std::size_t at = 0;
                for (const std::uint32_t variable : plan_.slots[slot].scope) {
                    at = at * plan_.cards[variable] + states[variable];
                }
                value *= values_[slot][at];
            }
            if (value > highest) {
                highest = value;
                best = trial;
            }
            more = false;
            for (std::size_t k = free.size(); k-- > 0;) {
                if (++trial[k] < plan_.cards[free[k]]) {
                    more = true;
                    break;
                }
                trial[k] = 0;
            }
        }
        for (std::size_t k = 0; k < free.size(); ++k) states[free[k]] = best[k];
    }
}

}  // namespace bayou
