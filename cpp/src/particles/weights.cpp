#include "bayou/particles/weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "particle_loops.hpp"

namespace bayou {

namespace {
constexpr double no_weight = -std::numeric_limits<double>::infinity();
constexpr double level_rounding = 1e-12;  // by which sums of weights may miss a level
}  // namespace

BlockWeights block_weights(const double* before, const double* change, std::size_t n, double* logs, double* weights) {
    BlockWeights block{particle_loops().add(before, change, n, logs), 0.0, 0.0};
    if (!(block.reference > no_weight)) {
        std::fill(weights, weights + n, 0.0);
        return block;
    }
    particle_loops().weights(logs, block.reference, n, weights, &block.sum, &block.squares);
    return block;
}

AllWeights combine_weights(const std::vector<BlockWeights>& blocks, std::size_t n) {
    double reference = no_weight;
    bool is_number = true;
    for (const BlockWeights& block : blocks) {
        reference = std::max(reference, block.reference);
        is_number &= !std::isnan(block.reference);
    }
    AllWeights all{no_weight, 0.0, 0.0, std::vector<double>(blocks.size(), 0.0), {}};
    for (const BlockWeights& block : blocks) all.block_sums.push_back(block.sum);
    if (!is_number) all.log_mean = std::numeric_limits<double>::quiet_NaN();
    if (!is_number || reference == no_weight) return all;
    double squares = 0.0;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        const double scale = all.scales[b] = std::exp(blocks[b].reference - reference);
        all.sum += scale * blocks[b].sum;
        squares += scale * scale * blocks[b].squares;
    }
    all.log_mean = reference + std::log(all.sum / static_cast<double>(n));
    all.effective_size = all.sum * all.sum / squares;
    return all;
}

AllWeights weigh(const double* before, const double* change, std::size_t n, double* logs, double* weights, int threads) {
    std::vector<BlockWeights> blocks(particle_blocks(n));
    for_particle_blocks(n, threads, [&](std::size_t b, std::size_t first, std::size_t m) {
        blocks[b] = block_weights(before + first, change + first, m, logs + first, weights + first);
    });
    AllWeights all = combine_weights(blocks, n);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        const std::size_t first = b * particle_block, last = std::min(first + particle_block, n);
        const double scale = all.any() ? all.scales[b] / all.sum : 0.0;
        for (std::size_t i = first; i < last; ++i) weights[i] *= scale;
    }
    return all;
}

AllWeights given_weights(const double* weights, std::size_t n) {
    AllWeights all{0.0, 0.0, 0.0, std::vector<double>(particle_blocks(n), 1.0), {}};
    for (std::size_t first = 0; first < n; first += particle_block) {
        const std::size_t m = std::min(particle_block, n - first);
        bool is_weight = true;
        for (std::size_t i = first; i < first + m; ++i) is_weight &= weights[i] >= 0.0;
        all.block_sums.push_back(block_moments(weights + first, weights + first, m).sum);
        if (!is_weight || !std::isfinite(all.block_sums.back())) {
            throw std::invalid_argument("weights of particles " + std::to_string(first) + " to " +
                                        std::to_string(first + m - 1) + ": expected finite numbers >= 0");
        }
        all.sum += all.block_sums.back();
    }
    if (n && !all.any()) throw std::invalid_argument("weights: no particle has a positive weight");
    return all;
}

// Sums are taken around a particle, not around 0; where that one lies so far away that their difference has lost digits,
// once more around the mean.
BlockMoments block_moments(const double* x, const double* weights, std::size_t n) {
    double sum, first, second, centre = x[0];
    particle_loops().moments(x, weights, centre, n, &sum, &first, &second);
    if (!(sum > 0.0)) return {sum, 0.0, 0.0};
    if (second - first * first / sum < 1e-3 * second) {
        centre += first / sum;
        particle_loops().moments(x, weights, centre, n, &sum, &first, &second);
    }
    return {sum, centre + first / sum, std::max(0.0, second - first * first / sum)};
}

void weighted_moments(const double* values, const double* weights, std::size_t rows, std::size_t columns,
                      double* means, double* spreads) {
    std::vector<BlockMoments> blocks(particle_blocks(rows));
    for (std::size_t c = 0; c < columns; ++c) {
        double sum = 0.0, total = 0.0, scatter = 0.0;
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            const std::size_t first = b * particle_block, m = std::min(particle_block, rows - first);
            double column[particle_block];
            const double* x = columns == 1 ? values + first : column;
            for (std::size_t i = 0; columns > 1 && i < m; ++i) column[i] = values[(first + i) * columns + c];
            blocks[b] = block_moments(x, weights + first, m);
            sum += blocks[b].sum;
            total += blocks[b].sum * blocks[b].mean;
        }
        means[c] = total / sum;
        for (const BlockMoments& block : blocks) {
            scatter += block.scatter + block.sum * (block.mean - means[c]) * (block.mean - means[c]);
        }
        spreads[c] = std::sqrt(scatter / sum);
    }
}

void weighted_quantiles(const double* values, const double* weights, const double* scales, std::size_t n,
                        const std::vector<double>& levels, double* out) {
    using Weighted = std::pair<double, double>;
    std::vector<Weighted> points;
    points.reserve(n);
    double total = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        const double weight = weights[i] * (scales ? scales[i / particle_block] : 1.0);
        if (weight > 0.0) points.emplace_back(values[i], weight);
        total += weight;
    }
    for (std::size_t at = 0; at < levels.size(); ++at) {
        // Halves the points around their median until one is left, keeping the half in which the level is reached.
        double below = 0.0;
        const double target = (levels[at] - level_rounding) * total;
        std::size_t first = 0, last = points.size();
        while (last - first > 1) {
            const std::size_t middle = first + (last - first) / 2;
            std::nth_element(points.begin() + first, points.begin() + middle, points.begin() + last);
            double lower = 0.0;
            for (std::size_t i = first; i < middle; ++i) lower += points[i].second;
            if (below + lower >= target) {
                last = middle;
            } else {
                below += lower;
                first = middle;
            }
        }
        out[at] = points.empty() ? std::numeric_limits<double>::quiet_NaN() : points[first].first;
    }
}

}  // namespace bayou
