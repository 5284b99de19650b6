#include <algorithm>
#include <numeric>
#include <utility>

#include "bayou/trees/class_tree.hpp"

namespace bayou {
namespace {

// Sums of a few classes at a time, written out as the list of one node.
class ClassSums {
  public:
    explicit ClassSums(std::size_t classes) : sums_(classes, 0.0) {}

    void add(std::uint16_t label, double count) {
        if (sums_[label] == 0) touched_.push_back(label);
        sums_[label] += count;
    }

    void add(const CountedClasses& more) {
        for (std::uint32_t at = 0; at < more.length; ++at) add(more.classes[at], more.counts[at]);
    }

    void write(NodeCounts& to, std::uint32_t node) {
        std::sort(touched_.begin(), touched_.end());
        to.first[node] = static_cast<std::uint32_t>(to.classes.size());
        to.length[node] = static_cast<std::uint32_t>(touched_.size());
        for (const std::uint16_t label : touched_) {
            to.classes.push_back(label);
            to.counts.push_back(sums_[label]);
            sums_[label] = 0;
        }
        touched_.clear();
    }

  private:
    std::vector<double> sums_;
    std::vector<std::uint16_t> touched_;
};

}  // namespace

void count_ends(ClassTree& tree, const std::vector<std::uint32_t>& ends, const std::int32_t* classes,
                const double* weights, std::size_t n_classes) {
    const std::size_t nodes = tree.nodes.size();
    std::vector<std::uint32_t> begin(nodes + 1, 0), order(ends.size());
    for (const std::uint32_t node : ends) ++begin[node + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    for (std::size_t row = 0; row < ends.size(); ++row) order[begin[ends[row]]++] = static_cast<std::uint32_t>(row);
    // Each begin has moved to where the next one was.
    NodeCounts counts;
    counts.first.resize(nodes);
    counts.length.resize(nodes);
    ClassSums sums(n_classes);
    for (std::uint32_t node = 0; node < nodes; ++node) {
        if (!tree.own.first.empty()) sums.add(tree.own.of(node));
        for (std::uint32_t at = node == 0 ? 0 : begin[node - 1]; at < begin[node]; ++at) {
            const double weight = weights == nullptr ? 1.0 : weights[order[at]];
            if (weight > 0) sums.add(static_cast<std::uint16_t>(classes[order[at]]), weight);
        }
        sums.write(counts, node);
    }
    counts.shrink();
    tree.own = std::move(counts);
}

void gather_counts(ClassTree& tree, std::size_t n_classes) {
    const std::size_t nodes = tree.nodes.size();
    NodeCounts& all = tree.all;
    all = NodeCounts();
    all.first.resize(nodes);
    all.length.resize(nodes);
    tree.totals.assign(nodes, 0.0);
    ClassSums sums(n_classes);
    for (std::uint32_t node = static_cast<std::uint32_t>(nodes); node-- > 0;) {  // children come after their parents
        if (!tree.nodes[node].is_leaf()) {
            sums.add(tree.own.of(node));
            sums.add(tree.through(node + 1));
            sums.add(tree.through(tree.nodes[node].right));
            sums.write(all, node);
        }
        const CountedClasses found = tree.through(node);
        tree.totals[node] = std::accumulate(found.counts, found.counts + found.length, 0.0);
    }
    all.shrink();
}

}  // namespace bayou
