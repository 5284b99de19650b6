#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <tuple>

#include "bayou/base/interrupt.hpp"
#include "bayou/base/threads.hpp"
#include "bayou/trees/class_trees.hpp"
#include "pooled_trees.hpp"

namespace bayou {
namespace {

constexpr std::array<double, 7> kSmoothings{0.1, 0.18, 0.3, 0.55, 1.0, 1.7, 3.0};
constexpr std::size_t kRowsAtOnce = 32;

using Likelihoods = std::array<double, kSmoothings.size()>;

// A count without a row: fractional weights leave a little less than nothing, by rounding, where nothing is left.
double without(double count, double taken) { return std::max(0.0, count - taken); }

// P(class | parents) of the row's own class at the end of its path, without the row, for each smoothing.
Likelihoods own_class(const ClassTree& tree, const std::vector<std::uint32_t>& path, std::uint16_t label, double taken,
                      std::size_t classes) {
    Likelihoods found;
    found.fill(1.0 / static_cast<double>(classes));
    for (const std::uint32_t node : path) {
        const double total = without(tree.totals[node], taken), count = without(tree.through(node).of(label), taken);
        for (std::size_t at = 0; at < found.size(); ++at) {
            found[at] = (count + kSmoothings[at] * found[at]) / (total + kSmoothings[at]);
        }
    }
    return found;
}

}  // namespace

void ClassTrees::choose_smoothing(const HeldOutRows& held, int threads) {
    const std::size_t rows = held.rows.table.rows;
    std::vector<std::size_t> order(rows);  // the sums are the same in whatever order the rows come
    std::iota(order.begin(), order.end(), 0);
    const auto key = [&](std::size_t row) {
        return std::make_tuple(held.rows.hashes[row], held.rows.weights == nullptr ? 1.0 : held.rows.weights[row], held.taken[row]);
    };
    std::sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) { return key(one) < key(other); });
    const std::size_t blocks = (rows + kRowsAtOnce - 1) / kRowsAtOnce;
    std::vector<Likelihoods> logs(rows, Likelihoods{});
    parallel_for(blocks, threads, [&](std::size_t block, int) {
        stop_if_interrupted();
        std::vector<std::uint32_t> path;
        for (std::size_t at = block * kRowsAtOnce; at < std::min((block + 1) * kRowsAtOnce, rows); ++at) {
            const std::size_t row = order[at];
            const double weight = held.rows.weights == nullptr ? 1.0 : held.rows.weights[row];
            Likelihoods sums{};
            std::size_t used = 0;
            for (std::size_t number = 0; number < trees().size(); ++number) {
                if (in_bag(number, held.rows.hashes[row])) continue;
                path_of_row(trees()[number], columns_, held.rows.table, row, path);
                const Likelihoods each = own_class(trees()[number], path, static_cast<std::uint16_t>(held.rows.classes[row]),
                                                   held.taken[row], settings_.classes);
                for (std::size_t m = 0; m < each.size(); ++m) sums[m] += each[m];
                ++used;
            }
            if (used == 0) continue;
            for (std::size_t m = 0; m < sums.size(); ++m) {
                logs[at][m] = weight * std::log(std::max(sums[m] / static_cast<double>(used), 1e-300));
            }
        }
    });
    Likelihoods total{};
    for (const Likelihoods& each : logs) {
        for (std::size_t m = 0; m < each.size(); ++m) total[m] += each[m];
    }
    const auto best = static_cast<std::size_t>(std::max_element(total.begin(), total.end()) - total.begin());
    set_smoothing(rows == 0 ? 1.0 : kSmoothings[best], threads);
}

void ClassTrees::held_out(const HeldOutRows& held, const std::uint8_t* grown, double* arithmetic, double* geometric,
                          int threads) const {
    const std::size_t rows = held.rows.table.rows, classes = settings_.classes;
    const std::size_t blocks = (rows + kRowsAtOnce - 1) / kRowsAtOnce;
    parallel_for(blocks, threads, [&](std::size_t block, int) {
        stop_if_interrupted();
        std::vector<std::uint32_t> path;
        std::vector<double> posterior(classes);
        for (std::size_t row = block * kRowsAtOnce; row < std::min((block + 1) * kRowsAtOnce, rows); ++row) {
            PooledRow pooled{arithmetic + row * classes, geometric + row * classes, classes};
            for (std::size_t number = 0; number < trees().size(); ++number) {
                const bool was_grown = grown == nullptr || grown[row];
                if (was_grown && in_bag(number, held.rows.hashes[row])) continue;
                const ClassTree& tree = trees()[number];
                path_of_row(tree, columns_, held.rows.table, row, path);
                std::fill(posterior.begin(), posterior.end(), 1.0 / static_cast<double>(classes));
                for (const std::uint32_t node : path) step_without(tree, node, held.rows.classes[row], held.taken[row], posterior.data());
                pooled.add(posterior.data());
            }
            if (pooled.trees == 0) {  // in every bag: what is known without columns
                std::fill(posterior.begin(), posterior.end(), 1.0 / static_cast<double>(classes));
                step_without(trees().front(), 0, held.rows.classes[row], held.taken[row], posterior.data());
                pooled.add(posterior.data());
            }
            pooled.finish();
        }
    });
}

void ClassTrees::step_without(const ClassTree& tree, std::uint32_t node, std::int32_t label, double taken,
                              double* posterior) const {
    const double scale = 1.0 / (without(tree.totals[node], taken) + smoothing_), parent = smoothing_ * scale;
    for (std::size_t each = 0; each < settings_.classes; ++each) posterior[each] *= parent;
    const CountedClasses found = tree.through(node);
    for (std::uint32_t at = 0; at < found.length; ++at) {
        const double own = found.classes[at] == label ? taken : 0.0;
        posterior[found.classes[at]] += without(found.counts[at], own) * scale;
    }
}

}  // namespace bayou
