#include "boosted_fold.hpp"

#include <algorithm>
#include <cmath>

#include "bayou/base/interrupt.hpp"

namespace bayou {
namespace {

constexpr double kMostWeight = 0x1p40;  // of all rows in units, so that sums of gradients fit into 64 bits

}  // namespace

BoostedFold::BoostedFold(const BoostedTrees& trees, const TrainingRows& rows, std::size_t fold) : trees_(trees), rows_(rows) {
    double unit = 1.0, total = 0;
    bool whole = true;
    for (std::size_t row = 0; rows.weights != nullptr && row < rows.table.rows; ++row) {
        total += rows.weights[row];
        whole = whole && rows.weights[row] == std::floor(rows.weights[row]);
    }
    if (total > 0 && !(whole && total < kMostWeight)) unit = std::exp2(std::ceil(std::log2(total * 1.37 / kMostWeight)));
    for (std::size_t row = 0; rows.weights != nullptr && row < rows.table.rows; ++row) units_.push_back(std::llround(rows.weights[row] / unit));
    scale_ = 0x1p20 / unit;
    for (std::size_t row = 0; row < rows.table.rows; ++row) {
        if (units_of(row) == 0) continue;
        (trees.fold_of(rows.hashes[row]) == fold ? held_ : training_).push_back(static_cast<std::uint32_t>(row));
    }
    set_base();
    judge();
}

// Shares of the classes, with one row more that is a bit of each.
void BoostedFold::set_base() {
    const std::size_t classes = trees_.settings().classes, of = trees_.outputs();
    std::vector<std::int64_t> counts(classes, 0);
    std::int64_t total = 0;
    for (const std::uint32_t row : training_) {
        counts[rows_.classes[row]] += units_of(row);
        total += units_of(row);
    }
    std::vector<double> logs;
    for (const std::int64_t count : counts) {
        logs.push_back(std::log((static_cast<double>(count) + 1.0 / static_cast<double>(classes)) / (static_cast<double>(total) + 1.0)));
    }
    model_.base = of == 1 ? std::vector<double>{logs[1] - logs[0]} : logs;
    for (std::size_t row = 0; row < rows_.table.rows; ++row) scores_.insert(scores_.end(), model_.base.begin(), model_.base.end());
    gradients_.assign(of, std::vector<Gradient>(rows_.table.rows));
}

void BoostedFold::judge() {
    std::vector<double> logs(trees_.settings().classes);
    std::int64_t loss = 0;
    for (const std::uint32_t row : held_) {
        log_chances(scores_.data() + row * trees_.outputs(), logs.size(), logs.data());
        loss += units_of(row) * std::llround(-logs[rows_.classes[row]] * 0x1p16);
    }
    losses_.push_back(loss);
}

void BoostedFold::fill_gradients() {
    const std::size_t of = trees_.outputs();
    std::vector<double> shares(trees_.settings().classes);
    for (const std::uint32_t row : training_) {
        class_chances(scores_.data() + row * of, shares.size(), shares.data());
        for (std::size_t output = 0; output < of; ++output) {
            const std::size_t label = of == 1 ? 1 : output;
            const double share = shares[label], is = rows_.classes[row] == static_cast<std::int32_t>(label) ? 1.0 : 0.0;
            gradients_[output][row] = {units_of(row) * std::llround((share - is) * 0x1p20),
                                       units_of(row) * std::llround(share * (1 - share) * 0x1p20)};
        }
    }
}

void BoostedFold::add_tree(std::size_t output) {
    order_ = training_;
    BoostedGrower grower(trees_.columns(), trees_.settings(), rows_.table, units_, scale_);
    model_.trees.push_back(grower.grow(order_, gradients_[output]));
    const std::size_t of = trees_.outputs();
    grower.add_values(model_.trees.back(), order_, scores_.data() + output, of);
    add_leaf_values(model_.trees.back(), rows_.table, held_, scores_.data() + output, of);
}

void BoostedFold::boost(std::size_t rounds) {
    for (std::size_t round = 0; round < rounds; ++round) {
        stop_if_interrupted();
        fill_gradients();
        for (std::size_t output = 0; output < trees_.outputs(); ++output) add_tree(output);
        judge();
    }
}

BoostedModel BoostedFold::model(std::size_t rounds) {
    model_.trees.resize(rounds * trees_.outputs());
    return std::move(model_);
}

}  // namespace bayou
