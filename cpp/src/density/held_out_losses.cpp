#include "bayou/density/held_out_losses.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "bayou/base/threads.hpp"
#include "feature_models.hpp"

namespace bayou {

namespace {

constexpr std::size_t folds = 5;
constexpr std::int64_t most_records = 5000;  // of more, every second, third, ... is taken
constexpr std::size_t few_values = 12;       // whole numbers with at most this many values may be states
constexpr double largest = 1e150;            // the squares of larger numbers may overflow
constexpr double no_loss = std::numeric_limits<double>::quiet_NaN();

// The records of each entry in each fold, [fold][entry]: by ascending value they go to the folds in turn.
std::vector<std::vector<double>> dealt(const double* weights, std::size_t entries) {
    std::vector<std::vector<double>> fold(folds, std::vector<double>(entries, 0.0));
    std::vector<std::int64_t> ends(entries);
    double total = 0;
    for (std::size_t at = 0; at < entries; ++at) {
        total += std::max(std::nearbyint(weights[at]), 1.0);
        ends[at] = static_cast<std::int64_t>(total);
    }
    if (entries == 0) return fold;
    const std::int64_t step = std::max<std::int64_t>(1, (ends.back() + most_records - 1) / most_records);
    std::size_t entry = 0, record = 0;
    for (std::int64_t at = 0; at < ends.back(); at += step, ++record) {
        while (ends[entry] <= at) ++entry;
        fold[record % folds][entry] += 1;
    }
    return fold;
}

std::size_t distinct_values(const double* values, std::size_t entries) {
    std::size_t distinct = entries > 0;
    for (std::size_t at = 1; at < entries; ++at) distinct += values[at] != values[at - 1];
    return distinct;
}

// Which models suit the values. A single value gets a table, in which it does not change the posterior; numbers whose
// squares overflow have no variance and get ranges.
void suitable(const double* values, std::size_t entries, bool whole, bool* suits) {
    std::fill(suits, suits + feature_models, false);
    const std::size_t distinct = distinct_values(values, entries);
    if (distinct == 1) {
        suits[whole ? table_model : discretised_model] = true;
        return;
    }
    suits[discretised_model] = true;
    if (entries > 0 && std::max(-values[0], values[entries - 1]) > largest) return;
    suits[gaussian_model] = suits[kernel_model] = true;
    if (!whole || entries == 0) return;
    suits[table_model] = distinct <= few_values;
    suits[poisson_model] = values[0] >= 0;
}

// Sum of weight * -log P(own class | value); infinite where a value is impossible in its own class.
double loss_of(const std::vector<double>& log_prior, const std::vector<double>& logs, const Records& test) {
    const std::size_t k = log_prior.size();
    double sum = 0;
    for (std::size_t at = 0; at < test.size(); ++at) {
        const double* row = logs.data() + at * k;
        double most = -std::numeric_limits<double>::infinity();
        for (std::size_t c = 0; c < k; ++c) most = std::max(most, log_prior[c] + row[c]);
        const double own = log_prior[test.classes[at]] + row[test.classes[at]];
        if (!std::isfinite(own)) return std::numeric_limits<double>::infinity();
        double shares = 0;
        for (std::size_t c = 0; c < k; ++c) shares += std::exp(log_prior[c] + row[c] - most);
        sum += test.weights[at] * (most + std::log(shares) - own);
    }
    return sum;
}

// log of the share of each class among the records, with one more record in each.
std::vector<double> log_shares(const Records& records, std::size_t n_classes) {
    std::vector<double> shares(n_classes, 1.0);
    for (std::size_t at = 0; at < records.size(); ++at) shares[records.classes[at]] += records.weights[at];
    const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) share = std::log(share / total);
    return shares;
}

void judge(const ValuesByClass& given, std::size_t feature, double* losses) {
    const std::size_t begin = given.starts[feature], entries = given.starts[feature + 1] - begin;
    const double* values = given.values + begin;
    std::fill(losses, losses + feature_models, no_loss);
    const auto fold = dealt(given.weights + begin, entries);
    std::vector<double> together(entries, 0.0);
    double records = 0;
    for (const auto& part : fold) {
        for (std::size_t at = 0; at < entries; ++at) together[at] += part[at];
        records += std::accumulate(part.begin(), part.end(), 0.0);
    }
    if (records < 2.0 * folds) return;
    bool suits[feature_models];
    suitable(values, entries, given.whole[feature] != 0, suits);
    for (std::size_t model = 0; model < feature_models; ++model) {
        if (suits[model]) losses[model] = 0;
    }
    const ModelSettings settings{given.n_classes, given.strength[feature], given.least_spread};
    std::vector<double> logs;
    for (const auto& part : fold) {
        Records train, test;
        for (std::size_t at = 0; at < entries; ++at) {
            const std::uint32_t own = given.classes[begin + at];
            if (together[at] - part[at] > 0) train.add(values[at], own, together[at] - part[at]);
            if (part[at] > 0) test.add(values[at], own, part[at]);
        }
        if (test.size() == 0) continue;
        const std::vector<double> log_prior = log_shares(train, given.n_classes);
        for (std::size_t model = 0; model < feature_models; ++model) {
            if (!suits[model]) continue;
            logs.assign(test.size() * given.n_classes, 0.0);
            const bool possible = model_logs(static_cast<FeatureModel>(model), train, test.values, settings, logs.data());
            losses[model] += possible ? loss_of(log_prior, logs, test) : no_loss;
        }
    }
    for (std::size_t model = 0; model < feature_models; ++model) losses[model] /= records;
}

void check(const ValuesByClass& given) {
    for (std::size_t feature = 0; feature < given.features; ++feature) {
        for (std::int64_t at = given.starts[feature]; at < given.starts[feature + 1]; ++at) {
            const bool ascends = at == given.starts[feature] || given.values[at - 1] <= given.values[at];
            const bool sound = given.classes[at] < given.n_classes && given.weights[at] > 0 &&
                               std::isfinite(given.weights[at]) && std::isfinite(given.values[at]);
            if (ascends && sound) continue;
            throw std::invalid_argument("entry " + std::to_string(at) + " of feature " + std::to_string(feature) +
                                        ": expected finite ascending values, classes below " +
                                        std::to_string(given.n_classes) + " and positive weights");
        }
    }
}

}  // namespace

void held_out_losses(const ValuesByClass& given, double* losses, int threads) {
    check(given);
    parallel_for(given.features, threads,
                 [&](std::size_t feature, int) { judge(given, feature, losses + feature * feature_models); });
}

}  // namespace bayou
