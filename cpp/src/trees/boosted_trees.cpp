#include "bayou/trees/boosted_trees.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bayou/base/interrupt.hpp"
#include "bayou/base/thread_pool.hpp"
#include "bayou/base/threads.hpp"
#include "boosted_fold.hpp"
#include "leaf_masks.hpp"
#include "tree_random.hpp"

namespace bayou {
namespace {

constexpr std::size_t kRoundsAtOnce = 5;  // before it is asked whether more rounds help
constexpr std::size_t kPatience = 15;     // rounds without a gain
constexpr std::size_t kBoostedAtOnce = 1024;
constexpr std::size_t kRowsWorthMasks = 200;  // fewer walk down sooner than masks are made

}  // namespace

void log_chances(const double* scores, std::size_t classes, double* logs) {
    if (classes == 2) {
        const double size = std::abs(scores[0]), rest = std::log1p(std::exp(-size));
        logs[0] = scores[0] > 0 ? -size - rest : -rest;
        logs[1] = scores[0] > 0 ? -rest : -size - rest;
        return;
    }
    const double most = *std::max_element(scores, scores + classes);
    double total = 0;
    for (std::size_t label = 0; label < classes; ++label) total += std::exp(scores[label] - most);
    const double norm = most + std::log(total);
    for (std::size_t label = 0; label < classes; ++label) logs[label] = scores[label] - norm;
}

void class_chances(const double* scores, std::size_t classes, double* shares) {
    if (classes == 2) {
        const double rest = std::exp(-std::abs(scores[0])), larger = 1 / (1 + rest), smaller = rest / (1 + rest);
        shares[0] = scores[0] > 0 ? smaller : larger;
        shares[1] = scores[0] > 0 ? larger : smaller;
        return;
    }
    const double most = *std::max_element(scores, scores + classes);
    double total = 0;
    for (std::size_t label = 0; label < classes; ++label) total += shares[label] = std::exp(scores[label] - most);
    for (std::size_t label = 0; label < classes; ++label) shares[label] /= total;
}

std::size_t BoostedTrees::fold_of(std::uint64_t hash) const {
    return below(mixed(hash ^ key_below(mixed(settings_.seed + kGolden), UINT32_MAX)), settings_.folds);
}

void BoostedTrees::grow(const TrainingRows& rows, int threads) {
    std::vector<BoostedFold> folds;
    for (std::size_t fold = 0; fold < settings_.folds; ++fold) folds.emplace_back(*this, rows, fold);
    std::vector<std::int64_t> losses(1, 0);
    std::size_t best = 0;
    const auto add_up = [&] {
        losses.assign(folds.front().losses().size(), 0);
        for (const BoostedFold& fold : folds) {
            for (std::size_t round = 0; round < losses.size(); ++round) losses[round] += fold.losses()[round];
        }
        best = static_cast<std::size_t>(std::min_element(losses.begin(), losses.end()) - losses.begin());
    };
    add_up();
    while (losses.size() <= settings_.most_rounds && losses.size() - 1 - best < kPatience) {
        const std::size_t more = std::min(kRoundsAtOnce, settings_.most_rounds + 1 - losses.size());
        parallel_for(folds.size(), threads, [&](std::size_t fold, int) { folds[fold].boost(more); });
        add_up();
    }
    models_.clear();
    for (BoostedFold& fold : folds) models_.push_back(fold.model(best));
    rounds_ = best;
}

void BoostedTrees::held_out(const CodeTable& table, const std::uint64_t* hashes, double* logs, int threads) const {
    const std::size_t blocks = (table.rows + kBoostedAtOnce - 1) / kBoostedAtOnce, of = outputs();
    pooled_for(blocks, threads, [&](std::size_t block, int) {
        stop_if_interrupted();
        for (std::size_t row = block * kBoostedAtOnce; row < std::min(table.rows, (block + 1) * kBoostedAtOnce); ++row) {
            const BoostedModel& model = models_[fold_of(hashes[row])];
            std::vector<double> scores = model.base;
            for (std::size_t at = 0; at < model.trees.size(); ++at) {
                add_leaf_values(model.trees[at], table, row, 1, scores.data() + at % of, of);
            }
            log_chances(scores.data(), settings_.classes, logs + row * settings_.classes);
        }
    });
}

void BoostedTrees::predict(const CodeTable& table, double* logs, int threads) const {
    const std::size_t blocks = (table.rows + kBoostedAtOnce - 1) / kBoostedAtOnce, of = outputs();
    std::vector<std::vector<LeafMasks>> masks(models_.size());
    if (table.rows >= kRowsWorthMasks) {
        pooled_for(models_.size(), threads, [&](std::size_t model, int) {
            for (const BoostedTree& tree : models_[model].trees) masks[model].emplace_back(tree, columns_);
        });
    }
    pooled_for(blocks, threads, [&](std::size_t block, int) {
        stop_if_interrupted();
        const std::size_t begin = block * kBoostedAtOnce, end = std::min(table.rows, begin + kBoostedAtOnce);
        std::vector<double> scores((end - begin) * of, 0.0);
        for (std::size_t number = 0; number < models_.size(); ++number) {
            const BoostedModel& model = models_[number];
            for (std::size_t cell = 0; cell < scores.size(); ++cell) scores[cell] += model.base[cell % of];
            for (std::size_t at = 0; at < model.trees.size(); ++at) {
                double* of_tree = scores.data() + at % of;
                if (masks[number].empty()) {
                    add_leaf_values(model.trees[at], table, begin, end - begin, of_tree, of);
                } else {
                    masks[number][at].add_values(model.trees[at], table, begin, end - begin, of_tree, of);
                }
            }
        }
        for (double& score : scores) score /= static_cast<double>(models_.size());
        for (std::size_t row = begin; row < end; ++row) {
            log_chances(scores.data() + (row - begin) * of, settings_.classes, logs + row * settings_.classes);
        }
    });
}

void BoostedTrees::restore(std::vector<BoostedModel> models, std::size_t rounds) {
    models_ = std::move(models);
    rounds_ = rounds;
}

}  // namespace bayou
