#include "emission_filler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace bayou {

namespace {

constexpr double nothing = -std::numeric_limits<double>::infinity();

double log_of(double probability) { return probability > 0 ? std::log(probability) : nothing; }

}  // namespace

EmissionFiller::EmissionFiller(const Emissions& emissions, std::size_t states, std::size_t padded, bool as_logs)
    : emissions_(emissions), states_(states), padded_(padded), as_logs_(as_logs),
      neutral_(padded, as_logs ? 0.0 : 1.0), rows_(most_steps * chain_lanes),
      numbers_(most_steps * emissions.gaussian.columns.size() * chain_lanes) {
    for (const CodedEmission& one : emissions.coded) {
        const std::size_t rows = std::size_t{one.column.card} + 1;
        std::vector<double> table((rows + 1) * padded, neutral_[0]);
        for (std::size_t row = 0; row < rows; ++row) {
            for (std::size_t j = 0; j < states; ++j) {
                const double p = one.table[row * states + j];
                table[row * padded + j] = as_logs ? log_of(p) : p;
            }
        }
        tables_.push_back(std::move(table));
    }
}

GaussianStates EmissionFiller::gaussian() const {
    const GaussianEmission& own = emissions_.gaussian;
    return {states_, own.columns.size(), own.means, own.whiteners, own.bases};
}

void EmissionFiller::fill(const Bundle& bundle, std::size_t first, std::size_t steps, double* out, double* offsets,
                          unsigned* risky) {
    for (std::size_t t = 0; t < steps; t += most_steps) {
        fill_some(bundle, first + t, std::min(most_steps, steps - t), out + t * padded_ * chain_lanes,
                  offsets + t * chain_lanes, risky);
    }
}

void EmissionFiller::fill_some(const Bundle& bundle, std::size_t first, std::size_t steps, double* out,
                               double* offsets, unsigned* risky) {
    const std::size_t size = padded_ * chain_lanes;
    const EmissionLoops& loops = emission_loops();
    if (emissions_.dense()) {
        std::fill_n(offsets, steps * chain_lanes, 0.0);
        put_logs(bundle, first, steps, out);
        if (!as_logs_) {
            for (std::size_t t = 0; t < steps; ++t) {
                loops.subtract_largest(out + t * size, padded_, offsets + t * chain_lanes, risky);
            }
            loops.exponentials(out, steps * size);
        }
    } else if (emissions_.coded.empty()) {
        std::fill_n(out, steps * size, neutral_[0]);
    }
    for (std::size_t c = 0; c < emissions_.coded.size(); ++c) {
        const Taking next = as_logs_ ? Taking::add : Taking::multiply;
        look_up(c, bundle, first, steps, c == 0 && !emissions_.dense() ? Taking::write : next, out);
    }
}

// The logarithms of all columns that are not looked up; those of states that only pad are -inf.
void EmissionFiller::put_logs(const Bundle& bundle, std::size_t first, std::size_t steps, double* out) {
    const std::size_t size = padded_ * chain_lanes;
    if (emissions_.logs && padded_ == states_) {
        std::fill(rows_.begin(), rows_.end(), neutral_.data());
        for (std::size_t t = 0; t < steps; ++t) {
            const std::size_t active = bundle.active(first + t);
            for (std::size_t lane = 0; lane < active; ++lane) {
                rows_[t * chain_lanes + lane] = emissions_.logs + (bundle.first[lane] + first + t) * states_;
            }
        }
        emission_loops().gather(rows_.data(), steps, padded_, out);
    } else {
        for (std::size_t t = 0; t < steps; ++t) {
            std::fill_n(out + t * size, states_ * chain_lanes, 0.0);
            std::fill_n(out + t * size + states_ * chain_lanes, size - states_ * chain_lanes, nothing);
            const std::size_t active = emissions_.logs ? bundle.active(first + t) : 0;
            for (std::size_t lane = 0; lane < active; ++lane) {
                const double* row = emissions_.logs + (bundle.first[lane] + first + t) * states_;
                for (std::size_t j = 0; j < states_; ++j) out[t * size + j * chain_lanes + lane] = row[j];
            }
        }
    }
    if (!emissions_.gaussian.columns.empty()) {
        emission_loops().add_densities(gaussian(), padded_, steps, numbers(bundle, first, steps), out);
    }
    clear_ended(bundle, first, steps, out);
}

void EmissionFiller::clear_ended(const Bundle& bundle, std::size_t first, std::size_t steps, double* out) const {
    for (std::size_t t = steps; t-- > 0;) {
        const std::size_t active = bundle.active(first + t);
        if (active == chain_lanes) return;
        for (std::size_t j = 0; j < states_; ++j) {
            double* cell = out + (t * padded_ + j) * chain_lanes;
            std::fill(cell + active, cell + chain_lanes, 0.0);
        }
    }
}

const double* EmissionFiller::numbers(const Bundle& bundle, std::size_t first, std::size_t steps) {
    const auto& columns = emissions_.gaussian.columns;
    const std::size_t d = columns.size();
    for (std::size_t lane = 0; lane < chain_lanes; ++lane) {
        const std::size_t length = bundle.length[lane];
        const std::size_t own = length > first ? std::min(steps, length - first) : 0;
        for (std::size_t a = 0; a < d; ++a) {
            const double* from = columns[a].place(bundle.first[lane] + first);
            double* to = numbers_.data() + a * chain_lanes + lane;
            for (std::size_t t = 0; t < own; ++t, from += columns[a].step) to[t * d * chain_lanes] = *from;
            for (std::size_t t = own; t < steps; ++t) to[t * d * chain_lanes] = 0.0;
        }
    }
    return numbers_.data();
}

void EmissionFiller::look_up(std::size_t c, const Bundle& bundle, std::size_t first, std::size_t steps, Taking how,
                             double* out) {
    const CodeColumn& column = emissions_.coded[c].column;
    TableRows rows{column.codes, column.bytes, column.card, tables_[c].data(), {}, {}};
    for (std::size_t lane = 0; lane < chain_lanes; ++lane) {
        const std::size_t length = bundle.length[lane];
        rows.first[lane] = bundle.first[lane] + first;
        rows.steps[lane] = length > first ? std::min(steps, length - first) : 0;
    }
    emission_loops().look_up(rows, steps, padded_, how, out);
}

}  // namespace bayou
