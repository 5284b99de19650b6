#include "bayou/sequences/hidden_chain.hpp"

#include <algorithm>
#include <utility>

#include "bayou/base/threads.hpp"
#include "bundle_runner.hpp"

namespace bayou {

namespace {

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
        double* sums = emissions.gaussian.sums;
        for (std::size_t at = 0; sums && at < part.gaussian.size(); ++at) sums[at / chain_lanes] += part.gaussian[at];
        for (std::size_t c = 0; c < emissions.coded.size(); ++c) {
            double* counts = emissions.coded[c].counts;
            for (std::size_t at = 0; counts && at < part.coded[c].size(); ++at) counts[at] += part.coded[c][at];
        }
    }
}

// A fixed number of parts, whatever the threads: fewer where their counts are large.
std::size_t parts_for(std::size_t bundles, const TiledChain& tiled, const Emissions& emissions) {
    std::size_t cells = tiled.padded() * tiled.padded() + 1;
    if (emissions.gaussian.sums) cells += tiled.states() * emissions.gaussian.cells() * chain_lanes;
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
    std::vector<BundleRunner> runners;
    const std::size_t workers = std::min<std::size_t>(parts, usable_threads(threads));
    for (std::size_t at = 0; at < workers; ++at) runners.emplace_back(tiled, emissions, rows, results);
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
