#include "chain_bundle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace bayou {

namespace {

constexpr double no_probability = -std::numeric_limits<double>::infinity();
constexpr double tiny_transition = 1e-100;
constexpr double log_of_tiny = -690;
constexpr std::size_t pieces = 2 * chain_lanes;
constexpr std::size_t least_in_pieces = 16384;
constexpr std::size_t overlap = 256;

double as_log(double probability) { return probability > 0 ? std::log(probability) : no_probability; }

void put_tiled(std::vector<double>& tiles, std::size_t rows, std::size_t i, std::size_t j, double value) {
    tiles[(j / chain_tile * rows + i) * chain_tile + j % chain_tile] = value;
}

}  // namespace

TiledChain::TiledChain(const HiddenChain& chain, bool logs)
    : chain_(chain), padded_((chain.states + chain_tile - 1) / chain_tile * chain_tile) {
    const std::size_t k = chain.states;
    const double nothing = logs ? no_probability : 0.0;
    forward_.assign(padded_ * k, nothing);
    if (!logs) backward_.assign(padded_ * k, nothing);
    start_.assign(padded_, nothing);
    for (std::size_t i = 0; i < k; ++i) {
        start_[i] = logs ? as_log(chain.start[i]) : chain.start[i];
        for (std::size_t j = 0; j < k; ++j) {
            const double p = chain.transition[i * k + j];
            careful_ |= p < tiny_transition;
            put_tiled(forward_, k, i, j, logs ? as_log(p) : p);
            if (!logs) put_tiled(backward_, k, j, i, p);
        }
    }
}

std::size_t Bundle::active(std::size_t step) const {
    std::size_t count = lanes;
    while (count > 0 && length[count - 1] <= step) --count;
    return count;
}

void Bundle::add(std::size_t which, std::size_t row, std::size_t steps) {
    sequence[lanes] = which;
    length[lanes] = end[lanes] = steps;
    first[lanes] = row;
    opens[lanes] = closes[lanes] = true;
    ++lanes;
}

std::vector<Bundle> bundles_of(const SequenceRows& rows, std::vector<std::size_t> sequences) {
    std::stable_sort(sequences.begin(), sequences.end(),
                     [&](std::size_t a, std::size_t b) { return rows.length(a) > rows.length(b); });
    std::vector<Bundle> bundles((sequences.size() + chain_lanes - 1) / chain_lanes);
    for (std::size_t at = 0; at < sequences.size(); ++at) {
        bundles[at / chain_lanes].add(sequences[at], rows.first(sequences[at]), rows.length(sequences[at]));
    }
    return bundles;
}

bool runs_in_pieces(const SequenceRows& rows, std::size_t sequence) {
    const std::size_t length = rows.length(sequence);
    return length >= least_in_pieces && length > static_cast<std::size_t>(rows.starts[rows.count]) / pieces;
}

std::vector<Bundle> pieces_of(const SequenceRows& rows, std::size_t sequence) {
    const std::size_t length = rows.length(sequence);
    std::vector<Bundle> bundles(pieces / chain_lanes);
    // The pieces at the ends are shorter: they come last in their bundles, because the longest lane comes first.
    std::vector<std::size_t> order(pieces);
    const auto steps = [&](std::size_t piece) {
        const std::size_t begin = length * piece / pieces, end = length * (piece + 1) / pieces;
        return std::pair{begin > overlap ? begin - overlap : 0, std::min(end + overlap, length)};
    };
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return steps(a).second - steps(a).first > steps(b).second - steps(b).first;
    });
    for (std::size_t at = 0; at < pieces; ++at) {
        const auto [from, to] = steps(order[at]);
        Bundle& bundle = bundles[at / chain_lanes];
        const std::size_t lane = bundle.lanes;
        bundle.add(sequence, rows.first(sequence) + from, to - from);
        bundle.begin[lane] = length * order[at] / pieces - from;
        bundle.end[lane] = length * (order[at] + 1) / pieces - from;
        bundle.opens[lane] = from == 0;
        bundle.closes[lane] = to == length;
    }
    return bundles;
}

std::size_t stretch_of(std::size_t padded) {
    constexpr std::size_t cells = std::size_t{1} << 21;
    return std::clamp<std::size_t>(cells / (padded * chain_lanes), 64, 1024);
}

EmissionFiller::EmissionFiller(const Emissions& emissions, std::size_t states, std::size_t padded, bool as_logs)
    : emissions_(emissions), states_(states), padded_(padded), as_logs_(as_logs),
      neutral_(padded, as_logs || emissions.coded.empty() ? 0.0 : 1.0) {
    for (const CodedEmission& one : emissions.coded) {
        const std::size_t rows = std::size_t{one.column.card} + 1;
        std::vector<double> table(rows * padded, as_logs ? 0.0 : 1.0);
        for (std::size_t row = 0; row < rows; ++row) {
            for (std::size_t j = 0; j < states; ++j) {
                const double p = one.table[row * states + j];
                table[row * padded + j] = as_logs ? as_log(p) : p;
            }
        }
        tables_.push_back(std::move(table));
    }
}

void EmissionFiller::fill(const Bundle& bundle, std::size_t first, std::size_t steps, double* out, double* offsets,
                          unsigned* risky) const {
    for (std::size_t t = 0; t < steps; ++t) {
        fill_step(bundle, first + t, out + t * padded_ * chain_lanes, offsets + t * chain_lanes, risky);
    }
    if (!as_logs_ && emissions_.logs && emissions_.coded.empty()) {
        chain_loops().exponentials(out, steps * padded_ * chain_lanes, out);
    }
}

void EmissionFiller::fill_step(const Bundle& bundle, std::size_t step, double* out, double* offsets,
                               unsigned* risky) const {
    const std::size_t active = bundle.active(step);
    std::fill_n(offsets, chain_lanes, 0.0);
    if (emissions_.coded.empty()) std::fill_n(out, padded_ * chain_lanes, neutral_[0]);
    for (std::size_t c = 0; c < emissions_.coded.size(); ++c) look_up(c, bundle, step, active, out);
    if (emissions_.logs) add_logs(bundle, step, active, out, offsets, risky);
}

// The first column is written, the others are multiplied (or their logarithms added).
void EmissionFiller::look_up(std::size_t c, const Bundle& bundle, std::size_t step, std::size_t active,
                             double* out) const {
    const CodeColumn& column = emissions_.coded[c].column;
    const double* rows[chain_lanes];
    for (std::size_t lane = 0; lane < chain_lanes; ++lane) {
        const bool here = lane < active;
        rows[lane] = here ? tables_[c].data() + emitted_code(column, bundle.first[lane] + step) * padded_ : neutral_.data();
    }
    if (c == 0) {
        chain_loops().gather(rows, padded_, out);
        return;
    }
    for (std::size_t lane = 0; lane < active; ++lane) {
        for (std::size_t j = 0; j < states_; ++j) {
            double& cell = out[j * chain_lanes + lane];
            cell = as_logs_ ? cell + rows[lane][j] : cell * rows[lane][j];
        }
    }
}

void EmissionFiller::add_logs(const Bundle& bundle, std::size_t step, std::size_t active, double* out,
                              double* offsets, unsigned* risky) const {
    const bool exponents = emissions_.coded.empty();
    if (exponents && padded_ == states_) {
        const double* rows[chain_lanes];
        for (std::size_t lane = 0; lane < chain_lanes; ++lane) {
            rows[lane] = lane < active ? emissions_.logs + (bundle.first[lane] + step) * states_ : neutral_.data();
        }
        chain_loops().gather(rows, padded_, out);
        if (!as_logs_) chain_loops().subtract_largest(out, padded_, offsets, risky);
        return;
    }
    for (std::size_t lane = 0; lane < active; ++lane) {
        const double* row = emissions_.logs + (bundle.first[lane] + step) * states_;
        double* to = out + lane;
        if (as_logs_) {
            for (std::size_t j = 0; j < states_; ++j) to[j * chain_lanes] += row[j];
            continue;
        }
        double largest = no_probability;
        for (std::size_t j = 0; j < states_; ++j) largest = std::max(largest, row[j]);
        if (largest == no_probability || !(largest < std::numeric_limits<double>::infinity())) largest = 0;
        offsets[lane] = largest;
        bool lost = false;
        for (std::size_t j = 0; j < states_; ++j) {
            const double log = row[j] - largest;
            lost |= log < log_of_tiny && log > no_probability;
            if (exponents) {
                to[j * chain_lanes] = std::max(log, -1e300);  // -inf becomes 0, like everything below -700
            } else {
                to[j * chain_lanes] *= std::exp(log);
            }
        }
        if (lost) *risky |= 1u << lane;
    }
}

}  // namespace bayou
