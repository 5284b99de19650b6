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

std::size_t stretch_of(std::size_t padded, bool returns) {
    constexpr std::size_t first_cache = std::size_t{1} << 11, cells = std::size_t{1} << 21;
    const std::size_t size = padded * chain_lanes;
    if (!returns) return std::clamp<std::size_t>(first_cache / size, 16, 64);
    return std::clamp<std::size_t>(cells / size, 64, 1024);
}

}  // namespace bayou
