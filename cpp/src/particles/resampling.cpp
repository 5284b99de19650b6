#include "bayou/particles/resampling.hpp"

#include <algorithm>
#include <cmath>
#include <vector>


namespace bayou {

namespace {

constexpr double nearly_whole = 1e-9;  // what rounding may lack of a whole number of offspring

// The number line 0 … n, on which each particle has a stretch as long as its expected number of offspring.
struct Stretches {
    const double* weights;
    std::size_t n;
    std::vector<double> starts, factors;  // of each block; starts has the end, too

    Stretches(const double* given, const AllWeights& all, std::size_t count) : weights(given), n(count) {
        const double unit = static_cast<double>(n) / all.sum;
        double at = 0.0;
        for (std::size_t b = 0; b < all.scales.size(); ++b) {
            starts.push_back(at);
            factors.push_back(all.scales[b] * unit);
            at += all.block_sums[b] * factors.back();
        }
        starts.push_back(static_cast<double>(n));
    }
};

// One point in each of the unit intervals of the number line: the particle that owns the stretch below it is the
// ancestor. points_below(x) is the number of points at or below x. A block of particles owns a range of points.
template <typename PointsBelow>
void walk_block(const Stretches& line, std::size_t b, const PointsBelow& points_below, std::int64_t* ancestors) {
    const std::size_t first = b * particle_block, last = std::min(line.n, first + particle_block);
    const auto n = static_cast<std::int64_t>(line.n);
    const std::int64_t begin = b == 0 ? 0 : std::min(n, points_below(line.starts[b]));
    const std::int64_t end = last == line.n ? n : std::min(n, points_below(line.starts[b + 1]));
    if (begin >= end) return;
    // Each particle writes itself where its offspring begin; if it has none, the next one writes there, too. The places
    // between are filled in afterwards.
    thread_local std::vector<std::uint32_t> begins;
    begins.assign(static_cast<std::size_t>(end - begin) + 1, 0);
    std::uint32_t* const places = begins.data();
    std::int64_t next = begin;
    double sum = 0.0;
    const double start = line.starts[b], factor = line.factors[b];
    for (std::size_t i = first; i < last; ++i) {
        places[next - begin] = static_cast<std::uint32_t>(i - first);
        sum += line.weights[i];
        next = std::min(end, points_below(start + sum * factor));
    }
    if (next < end) {  // rounding left some points above the last stretch
        std::size_t heir = last - 1;
        while (heir > first && line.weights[heir] == 0.0) --heir;
        places[next - begin] = static_cast<std::uint32_t>(heir - first);
    }
    std::uint32_t ancestor = 0;
    for (std::int64_t j = begin; j < end; ++j) {
        ancestor = std::max(ancestor, places[j - begin]);
        ancestors[j] = static_cast<std::int64_t>(first + ancestor);
    }
}

template <typename PointsBelow>
void walk(const Stretches& line, const PointsBelow& points_below, std::int64_t* ancestors, int threads) {
    for_particle_blocks(line.n, threads, [&](std::size_t b, std::size_t, std::size_t) {
        walk_block(line, b, points_below, ancestors);
    });
}

// `draws` particles by their own weights, independently: sorted points, as sums of exponential gaps.
void draw_sorted(const std::vector<double>& weights, std::size_t draws, const StreamOfRows& random,
                 std::int64_t* ancestors) {
    if (draws == 0) return;
    std::vector<double> gaps(draws + 1);
    uniforms(random, draws + 1, gaps.data());
    double total = 0.0, whole = 0.0;
    for (double& gap : gaps) total += gap = -std::log(1.0 - gap);
    for (const double weight : weights) whole += weight;
    std::size_t i = 0, heir = weights.size() - 1;
    while (heir > 0 && weights[heir] == 0.0) --heir;
    double point = 0.0, above = weights[0];
    for (std::size_t j = 0; j < draws; ++j) {
        point += gaps[j];
        while (i < heir && above <= point / total * whole) above += weights[++i];
        ancestors[j] = static_cast<std::int64_t>(i);
    }
}

std::vector<double> expected_offspring(const double* weights, const AllWeights& all, std::size_t n) {
    std::vector<double> expected(n);
    for (std::size_t i = 0; i < n; ++i) {
        expected[i] = weights[i] * (all.scales[i / particle_block] * static_cast<double>(n) / all.sum);
    }
    return expected;
}

}  // namespace

void resample(Resampling kind, const double* weights, const AllWeights& all, std::size_t n, const StreamOfRows& random,
              std::int64_t* ancestors, int threads) {
    if (kind == Resampling::systematic) {
        double u;
        uniforms(random, 1, &u);
        const double from = 1.0 - u;
        walk(Stretches(weights, all, n), [=](double x) { return static_cast<std::int64_t>(x + from); }, ancestors,
             threads);
    } else if (kind == Resampling::stratified) {
        std::vector<double> u(n + 1);
        uniforms(random, n, u.data());
        u[n] = 2.0;
        const auto most = static_cast<std::int64_t>(n);
        const auto points_below = [&u, most](double x) {
            const std::int64_t whole = std::min(most, static_cast<std::int64_t>(x));
            return whole + (u[whole] <= x - static_cast<double>(whole));
        };
        walk(Stretches(weights, all, n), points_below, ancestors, threads);
    } else {
        std::vector<double> expected = expected_offspring(weights, all, n);
        std::size_t placed = 0;
        for (std::size_t i = 0; kind == Resampling::residual && i < n; ++i) {
            const double whole = std::floor(expected[i] + nearly_whole);
            for (double k = 0; k < whole && placed < n; ++k) ancestors[placed++] = static_cast<std::int64_t>(i);
            expected[i] = std::max(0.0, expected[i] - whole);
        }
        draw_sorted(expected, n - placed, random, ancestors + placed);
    }
}

}  // namespace bayou
