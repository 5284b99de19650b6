// Running a compiled question.
#include <algorithm>
#include <cmath>
#include <limits>

#include "bayou/inference_plan.hpp"

namespace bayou {

void InferencePlan::Gather::run(const std::uint32_t* codes, const double* from, double* out) const {
    for (const auto& [index, stride] : fixed) from += stride * static_cast<std::ptrdiff_t>(codes[index]);
    if (sizes.empty()) {
        *out = *from;
        return;
    }
    const std::size_t inner = sizes.back();
    const std::ptrdiff_t step = strides.back();
    std::vector<std::size_t> index(sizes.size(), 0);
    for (std::size_t done = 0; done < size; done += inner) {
        for (std::size_t i = 0; i < inner; ++i) out[done + i] = from[static_cast<std::ptrdiff_t>(i) * step];
        for (std::size_t depth = sizes.size() - 1; depth-- > 0;) {
            from += strides[depth];
            if (++index[depth] < sizes[depth]) break;
            from -= strides[depth] * static_cast<std::ptrdiff_t>(sizes[depth]);
            index[depth] = 0;
        }
    }
}

Workspace InferencePlan::workspace() const {
    Workspace work;
    work.scratch.resize(scratch_);
    prepare(work, work.scratch.data());
    return work;
}

void InferencePlan::prepare(Workspace& work, double* scratch) const {
    if (!work.values.empty() && work.place == scratch) return;
    if (work.constants.size() < constants_) work.constants.resize(constants_);
    work.place = scratch;
    work.values.resize(slot_offset_.size());
    for (std::size_t slot = 0; slot < slot_offset_.size(); ++slot) {
        double* start = slot_place_[slot] == Place::scratch ? scratch : work.constants.data();
        // Values that do not vary are never written, except by the first run where they are not a given table.
        work.values[slot] = slot_table_[slot] ? const_cast<double*>(slot_table_[slot]) : start + slot_offset_[slot];
    }
    work.log_evidence.resize(lanes_);
}

// Logs are slow: factors are collected as a product as long as it is far from the ends of the range.
void Workspace::count(double factor) {
    if (factor < 1e-100 || factor > 1e100) {
        log_evidence[0] += std::log(factor);
        return;
    }
    product *= factor;
    if (product < 1e-150 || product > 1e150) {
        log_evidence[0] += std::log(product);
        product = 1;
    }
}

// Divides each lane by its largest value, so that nothing underflows; false where every lane is impossible.
bool InferencePlan::rescale(std::uint32_t slot, Workspace& work, bool counts) const {
    double* values = work.values[slot];
    const std::size_t lanes = slot_lanes_[slot] ? lanes_ : 1, size = slot_size_[slot];
    if (lanes == 1) {
        const double largest = scale_message(values, size);
        if (counts && lanes_ == 1) {
            work.count(largest);
        } else if (counts) {
            for (double& log : work.log_evidence) log += std::log(largest);
        }
        return largest > 0;
    }
    bool possible = false;
    std::vector<double>& largest = work.largest;
    largest.assign(lanes, 0.0);
    for (std::size_t at = 0; at < size; at += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) largest[lane] = std::max(largest[lane], values[at + lane]);
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        possible |= largest[lane] > 0;
        // The reciprocal of the smallest numbers is infinite: these are made larger, if not 1.
        const double by = largest[lane] > 0 ? std::max(largest[lane], 1e-300) : 0.0;
        if (counts) work.log_evidence[lane] += std::log(by);
        largest[lane] = by > 0 ? 1.0 / by : 0.0;
    }
    for (std::size_t at = 0; at < size; at += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) values[at + lane] *= largest[lane];
    }
    return possible;
}

void InferencePlan::normalise(const Marginal& marginal, double* answer) const {
    double* cells = answer + marginal.offset * lanes_;
    if (lanes_ == 1) {
        double total = 0;
        for (std::size_t i = 0; i < marginal.size; ++i) total += cells[i];
        for (std::size_t i = 0; i < marginal.size; ++i) cells[i] /= total;
        return;
    }
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
        double total = 0;
        for (std::size_t i = 0; i < marginal.size; ++i) total += cells[i * lanes_ + lane];
        for (std::size_t i = 0; i < marginal.size; ++i) cells[i * lanes_ + lane] /= total;
    }
}

bool InferencePlan::run_step(const Step& step, Workspace& work, int threads) const {
    if (step.work == Work::held_up) return send_up(held_[step.slot], work);
    if (step.work == Work::held_down) return send_down(held_[step.slot], work);
    run_nest(nests_[step.nest], work.values.data(), work.values[step.slot], step.how, threads);
    return rescale(step.slot, work, step.upward);
}

// What no finding changes.
void InferencePlan::run_constants(Workspace& work, int threads) const {
    for (const Gather& gather : gathers_) {
        if (slot_varies_[gather.slot] || slot_table_[gather.slot]) continue;
        gather.run(nullptr, gather.table, work.values[gather.slot]);
    }
    bool possible = true;
    for (const Step& step : prepare_) {
        if (!step.varies) possible &= run_step(step, work, threads);
    }
    for (const Step& step : steps_) {
        if (step.work == Work::held_up) make_base(held_[step.slot], work);
        if (!step.varies) possible &= run_step(step, work, threads);
    }
    const double impossible = -std::numeric_limits<double>::infinity();
    work.constant_log = possible ? work.log_evidence[0] + std::log(work.product) : impossible;
    work.ready = true;
}

void InferencePlan::run(const std::uint32_t* codes, const double* const* given, Workspace& work, double* answer,
                        int threads) const {
    const double impossible = -std::numeric_limits<double>::infinity();
    if (!work.ready) {
        std::fill(work.log_evidence.begin(), work.log_evidence.end(), 0.0);
        work.product = 1;
        run_constants(work, threads);
    }
    work.product = 1;
    std::fill(work.log_evidence.begin(), work.log_evidence.end(), work.constant_log);
    if (work.constant_log == impossible) return;
    for (const Gather& gather : gathers_) {
        if (!slot_varies_[gather.slot]) continue;
        gather.run(codes, gather.table ? gather.table : given[gather.given], work.values[gather.slot]);
    }
    for (const std::uint32_t slot : constant_slots_) {
        const std::size_t lanes = slot_lanes_[slot] ? lanes_ : 1;
        for (std::size_t lane = 0; lane < lanes_; ++lane) {
            work.log_evidence[lane] += std::log(work.values[slot][lane % lanes]);
        }
    }
    for (const Step& step : prepare_) {
        if (step.varies) run_step(step, work, threads);
    }
    for (const Step& step : steps_) {
        if (step.varies && !run_step(step, work, threads)) {
            std::fill(work.log_evidence.begin(), work.log_evidence.end(), impossible);
            return;
        }
    }
    if (lanes_ == 1) work.log_evidence[0] += std::log(work.product);
    for (const MarginalSource& source : sources_) read_marginals(source, work, answer);
    for (const Marginal& marginal : marginals_) {
        if (marginal.nest != no_slot) {
            run_nest(nests_[marginal.nest], work.values.data(), answer + marginal.offset * lanes_, Combine::sum,
                     threads);
        }
        normalise(marginal, answer);
    }
}

void InferencePlan::trace_back(const Workspace& work, std::uint32_t* states) const {
    for (std::size_t clique = tree_.cliques.size(); clique-- > 0;) {
        if (!clique_maximises_[clique]) continue;
        const Clique& here = tree_.cliques[clique];
        std::vector<std::uint32_t> free;
        for (const std::uint32_t variable : here.scope) {
            if (std::find(here.separator.begin(), here.separator.end(), variable) == here.separator.end()) {
                free.push_back(variable);
            }
        }
        const std::vector<std::uint32_t> slots = incoming(clique, -1);
        std::vector<std::uint32_t> trial(free.size(), 0), best(free.size(), 0);
        double highest = -1;
        for (bool more = true; more;) {
            for (std::size_t k = 0; k < free.size(); ++k) states[free[k]] = trial[k];
            double value = 1;
            for (const std::uint32_t slot : slots) {
                std::size_t at = 0;
                for (const std::uint32_t variable : slot_scope_[slot]) at = at * cards_[variable] + states[variable];
                value *= work.values[slot][at];
            }
            if (value > highest) {
                highest = value;
                best = trial;
            }
            more = false;
            for (std::size_t k = free.size(); k-- > 0;) {
                if (++trial[k] < cards_[free[k]]) {
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
