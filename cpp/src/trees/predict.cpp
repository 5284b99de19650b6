#include <algorithm>
#include <vector>

#include "bayou/base/interrupt.hpp"
#include "bayou/base/thread_pool.hpp"
#include "bayou/trees/class_trees.hpp"
#include "pooled_trees.hpp"

namespace bayou {
namespace {

constexpr std::size_t kRowsInCache = 2048;  // walk down a tree while it is in the cache

}  // namespace

void ClassTrees::predict(const CodeTable& table, double* arithmetic, double* geometric, int threads) const {
    const std::size_t classes = settings_.classes, blocks = (table.rows + kRowsInCache - 1) / kRowsInCache;
    pooled_for(blocks, threads, [&](std::size_t block, int) {
        stop_if_interrupted();
        const std::size_t begin = block * kRowsInCache, end = std::min(begin + kRowsInCache, table.rows);
        std::vector<std::uint32_t> ends(end - begin), path;
        std::vector<double> posterior(classes);
        std::vector<PooledRow> pooled;
        for (std::size_t row = begin; row < end; ++row) {
            pooled.push_back({arithmetic + row * classes, geometric + row * classes, classes});
        }
        for (std::size_t number = 0; number < trees().size(); ++number) {
            const ClassTree& tree = trees()[number];
            end_nodes(tree, columns_, table, begin, end, ends.data());
            for (std::size_t row = begin; row < end; ++row) {
                const std::uint32_t node = ends[row - begin];
                if (tree.nodes[node].is_leaf() && !leaves_.empty()) {
                    const LeafTable& found = leaves_[number];
                    const double* of_leaf = found.posteriors.data() + 2 * classes * found.place[node];
                    pooled[row - begin].add(of_leaf, of_leaf + classes);
                    continue;
                }
                path_of_row(tree, columns_, table, row, path);
                std::fill(posterior.begin(), posterior.end(), 1.0 / static_cast<double>(classes));
                for (const std::uint32_t each : path) step(tree, each, posterior.data());
                pooled[row - begin].add(posterior.data());
            }
        }
        for (PooledRow& row : pooled) row.finish();
    });
}

}  // namespace bayou
