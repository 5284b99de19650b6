#include "bayou/trees/class_trees.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "bayou/base/interrupt.hpp"
#include "bayou/base/threads.hpp"
#include "tree_growth.hpp"
#include "tree_random.hpp"

namespace bayou {
namespace {

constexpr std::size_t kMostTabulated = 1u << 23;  // probabilities of leaves that are kept ready
constexpr std::size_t kWalkedAtOnce = 4096;
constexpr double kWholeBits = 44;  // of the sum of weights in units: sums of a few more rows stay exact, too

// The largest power of two of which all weights are multiples, as nearly as their sum allows.
double unit_of(const double* weights, std::size_t rows) {
    if (weights == nullptr) return 1.0;
    double total = 0;
    bool whole = true;
    for (std::size_t row = 0; row < rows; ++row) {
        total += weights[row];
        whole = whole && weights[row] == std::floor(weights[row]);
    }
    if (total <= 0 || (whole && total < std::ldexp(1.0, static_cast<int>(kWholeBits)))) return 1.0;
    // 1.37: the step from one unit to the next is where no sum of plain weights is, which rounding could move across it.
    return std::ldexp(1.0, static_cast<int>(std::ceil(std::log2(total * 1.37) - kWholeBits)));
}

std::vector<std::uint8_t> seen_codes(const TreeColumns& columns, const TrainingRows& rows, const std::vector<double>& units) {
    std::vector<std::uint8_t> seen(columns.first.back(), 0);
    for (std::size_t column = 0; column < columns.size(); ++column) {
        const std::uint8_t* codes = rows.table.column(column);
        std::uint8_t* marks = seen.data() + columns.first[column];
        for (std::size_t row = 0; row < rows.table.rows; ++row) {
            if (units.empty() || units[row] > 0) marks[codes[row]] = 1;
        }
    }
    return seen;
}

// Of distinct rows: a row given twice counts as one of weight 2.
std::uint64_t bag_limit_of(const TreeSettings& settings, const TrainingRows& rows, const std::vector<double>& units) {
    double share = settings.bag_share;
    const auto most = static_cast<double>(settings.most_grown);
    if (share * static_cast<double>(rows.table.rows) > most) {
        std::unordered_set<std::uint64_t> distinct;
        for (std::size_t row = 0; row < rows.table.rows; ++row) {
            if (units.empty() || units[row] > 0) distinct.insert(rows.hashes[row]);
        }
        share = std::min(share, most / static_cast<double>(std::max<std::size_t>(distinct.size(), 1)));
    }
    return share >= 1.0 ? UINT64_MAX : static_cast<std::uint64_t>(std::ldexp(share, 64));
}

std::vector<double> in_units(const double* weights, std::size_t rows, double unit) {
    std::vector<double> units;
    if (weights == nullptr) return units;
    for (std::size_t row = 0; row < rows; ++row) units.push_back(std::nearbyint(weights[row] / unit));
    return units;
}

}  // namespace

ClassTrees::ClassTrees(TreeColumns columns, const TreeSettings& settings) : columns_(std::move(columns)), settings_(settings) {}

bool ClassTrees::in_bag(std::size_t tree, std::uint64_t hash) const {
    return mixed(hash ^ bag_key(tree_key(settings_.seed, tree))) < bag_limit_;
}

std::vector<double> rounded_weights(const TrainingRows& rows, double unit) {
    std::vector<double> weights = in_units(rows.weights, rows.table.rows, unit);
    for (double& weight : weights) weight *= unit;
    return weights;
}

void count_rows(ClassTree& tree, const ClassTrees& like, const TrainingRows& rows, const std::vector<double>& weights) {
    std::vector<std::uint32_t> ends(rows.table.rows);
    for (std::size_t begin = 0; begin < ends.size(); begin += kWalkedAtOnce) {
        stop_if_interrupted();
        const std::size_t end = std::min(begin + kWalkedAtOnce, ends.size());
        end_nodes(tree, like.columns(), rows.table, begin, end, ends.data() + begin);
    }
    count_ends(tree, ends, rows.classes, weights.empty() ? nullptr : weights.data(), like.settings().classes);
}

void ClassTrees::grow(const TrainingRows& rows, int threads) {
    unit_ = unit_of(rows.weights, rows.table.rows);
    std::vector<double> units = in_units(rows.weights, rows.table.rows, unit_);
    double total = static_cast<double>(rows.table.rows);
    if (!units.empty()) {
        total = 0;
        for (const double each : units) total += each;
    }
    const std::vector<std::uint8_t> seen = seen_codes(columns_, rows, units);
    bag_limit_ = bag_limit_of(settings_, rows, units);
    const Growth growth{columns_, settings_, rows, std::move(units), seen, bag_limit_, WholeEntropy(total)};
    auto trees = std::make_shared<std::vector<ClassTree>>(settings_.trees);
    parallel_for(trees->size(), threads, [&](std::size_t number, int) { grow_tree(growth, number, (*trees)[number]); });
    count(*trees, rows, threads);
    trees_ = std::move(trees);
}

void ClassTrees::add(const TrainingRows& rows, int threads) {
    auto trees = std::make_shared<std::vector<ClassTree>>(*trees_);
    count(*trees, rows, threads);
    trees_ = std::move(trees);
    tabulate(threads);
}

void ClassTrees::count(std::vector<ClassTree>& trees, const TrainingRows& rows, int threads) const {
    const std::vector<double> weights = rounded_weights(rows, unit_);
    parallel_for(trees.size(), threads, [&](std::size_t number, int) {
        count_rows(trees[number], *this, rows, weights);
        gather_counts(trees[number], settings_.classes);
    });
}

void ClassTrees::step(const ClassTree& tree, std::uint32_t node, double* posterior) const {
    const double scale = 1.0 / (tree.totals[node] + smoothing_), parent = smoothing_ * scale;
    for (std::size_t label = 0; label < settings_.classes; ++label) posterior[label] *= parent;
    const CountedClasses found = tree.through(node);
    for (std::uint32_t at = 0; at < found.length; ++at) posterior[found.classes[at]] += found.counts[at] * scale;
}

void ClassTrees::tabulate(int threads) {
    const std::size_t classes = settings_.classes;
    leaves_.clear();
    std::size_t nodes = 0;
    for (const ClassTree& tree : trees()) nodes += tree.nodes.size();
    const std::size_t leaves = (nodes + trees().size()) / 2;
    if (leaves * classes > kMostTabulated) return;
    leaves_.resize(trees().size());
    parallel_for(leaves_.size(), threads, [&](std::size_t number, int) {
        const ClassTree& tree = trees()[number];
        LeafTable& table = leaves_[number];
        table.place.assign(tree.nodes.size(), 0);
        table.posteriors.reserve((tree.nodes.size() + 1) * classes);
        std::uint32_t leaf = 0;
        std::vector<double> waiting(classes, 1.0 / static_cast<double>(classes));  // posteriors of parents, one above the other
        for (std::uint32_t node = 0; node < tree.nodes.size(); ++node) {
            double* posterior = waiting.data() + waiting.size() - classes;
            step(tree, node, posterior);
            if (!tree.nodes[node].is_leaf()) {
                waiting.resize(waiting.size() + classes);  // the right child finds its parent's below the left one's
                std::copy_n(waiting.end() - 2 * classes, classes, waiting.end() - classes);
                continue;
            }
            table.place[node] = leaf++;
            table.posteriors.insert(table.posteriors.end(), posterior, posterior + classes);
            for (std::size_t label = 0; label < classes; ++label) table.posteriors.push_back(std::log(posterior[label]));
            waiting.resize(waiting.size() - classes);
        }
    });
}

void ClassTrees::set_smoothing(double m, int threads) {
    smoothing_ = m;
    tabulate(threads);
}

void ClassTrees::restore(std::vector<ClassTree> trees, double smoothing, double unit, std::uint64_t bag_limit, int threads) {
    parallel_for(trees.size(), threads, [&](std::size_t number, int) { gather_counts(trees[number], settings_.classes); });
    trees_ = std::make_shared<const std::vector<ClassTree>>(std::move(trees));
    smoothing_ = smoothing;
    unit_ = unit;
    bag_limit_ = bag_limit;
    tabulate(threads);
}

}  // namespace bayou
