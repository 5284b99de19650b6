#include "boosted_growth.hpp"

#include <algorithm>
#include <utility>

namespace bayou {
namespace {

constexpr double kLeastCurve = 1.0;    // on each side of a split: that of four rows whose classes are open
constexpr double kMostSum = 0x1p62;    // no sum of curvatures is as large
constexpr double kLeastGain = 1e-6;
constexpr double kCategoryRidge = 10;  // more for columns of many categories, whose order is chosen by their gradients
constexpr std::uint32_t kFewCategories = 4;

}  // namespace

double BoostedGrower::gain(const Gradient& sum, double ridge) const {
    const double slope = static_cast<double>(sum.slope) / scale_;
    return slope * slope / (static_cast<double>(sum.curve) / scale_ + ridge);
}

double BoostedGrower::value(const Gradient& sum) const {
    return -settings_.rate * (static_cast<double>(sum.slope) / scale_) / (static_cast<double>(sum.curve) / scale_ + settings_.ridge);
}

void BoostedGrower::fill(Leaf& leaf, const std::vector<std::uint32_t>& rows, const std::vector<Gradient>& gradients) {
    leaf.histogram.assign(columns_.first.back(), {});
    gathered_.clear();
    for (std::uint32_t at = leaf.begin; at < leaf.end; ++at) gathered_.push_back(gradients[rows[at]]);
    for (const Gradient& each : gathered_) leaf.total += each;
    for (std::size_t column = 0; column < columns_.size(); ++column) {
        const std::uint8_t* codes = table_.column(column);
        Gradient* histogram = leaf.histogram.data() + columns_.first[column];
        for (std::uint32_t at = leaf.begin; at < leaf.end; ++at) histogram[codes[rows[at]]] += gathered_[at - leaf.begin];
    }
}

// Moves the codes to the left side, one after the other in this order.
void BoostedGrower::try_order(const Leaf& leaf, std::size_t column, const std::vector<std::uint8_t>& order, double ridge,
                              Split& best) const {
    const Gradient* histogram = leaf.histogram.data() + columns_.first[column];
    const double before = gain(leaf.total, ridge);
    const std::int64_t least = scale_ < kMostSum ? static_cast<std::int64_t>(kLeastCurve * scale_) : INT64_MAX;
    Gradient left;
    std::size_t taken = 0;
    for (std::size_t at = 0; at + 1 < order.size(); ++at) {
        left += histogram[order[at]];
        const Gradient right = leaf.total - left;
        if (left.curve < least || right.curve < least) continue;
        const double found = gain(left, ridge) + gain(right, ridge) - before;
        if (found <= best.gain) continue;
        best.gain = found;
        best.column = column;
        taken = at + 1;
    }
    if (taken == 0) return;
    best.left_codes = {};
    for (std::size_t at = 0; at < taken; ++at) best.left_codes[order[at] >> 6] |= 1ull << (order[at] & 63);
}

void BoostedGrower::find_split(Leaf& leaf) const {
    leaf.split = {};
    leaf.split.gain = kLeastGain;
    std::vector<std::uint8_t> order;
    for (std::size_t column = 0; column < columns_.size(); ++column) {
        const std::uint32_t card = columns_.cards[column];
        const Gradient* histogram = leaf.histogram.data() + columns_.first[column];
        order.clear();
        if (columns_.ordered[column]) {  // gaps first, then gaps last
            for (std::uint32_t code = 0; code + 1 < card; ++code) order.push_back(static_cast<std::uint8_t>(code));
            order.push_back(static_cast<std::uint8_t>(card - 1));
            try_order(leaf, column, order, settings_.ridge, leaf.split);
            if (histogram[card - 1].curve == 0) continue;
            std::rotate(order.begin(), order.end() - 1, order.end());
            try_order(leaf, column, order, settings_.ridge, leaf.split);
            continue;
        }
        for (std::uint32_t code = 0; code < card; ++code) {
            if (histogram[code].curve > 0) order.push_back(static_cast<std::uint8_t>(code));
        }
        const double ridge = settings_.ridge + (order.size() > kFewCategories ? kCategoryRidge : 0.0);
        std::stable_sort(order.begin(), order.end(), [&](std::uint8_t one, std::uint8_t other) {
            const auto of = [&](std::uint8_t code) {
                return static_cast<double>(histogram[code].slope) / (static_cast<double>(histogram[code].curve) + kCategoryRidge * scale_);
            };
            return of(one) < of(other);
        });
        try_order(leaf, column, order, ridge, leaf.split);
    }
}

void BoostedGrower::split(std::size_t at, std::vector<Leaf>& leaves, std::vector<std::uint32_t>& rows,
                          const std::vector<Gradient>& gradients, BoostedTree& tree) {
    Leaf whole = std::move(leaves[at]);
    const auto left = static_cast<std::uint32_t>(tree.size());
    BoostedNode& node = tree[whole.node];
    node.column = static_cast<std::uint16_t>(whole.split.column);
    node.left_codes = whole.split.left_codes;
    node.left = left;
    const std::uint8_t* codes = table_.column(node.column);
    const auto middle = static_cast<std::uint32_t>(
        std::partition(rows.begin() + whole.begin, rows.begin() + whole.end,
                       [&](std::uint32_t row) { return node.goes_left(codes[row]); }) - rows.begin());
    set_right_codes(whole, rows, middle, node);
    Leaf small{left, whole.begin, middle, {}, {}, {}}, large{left + 1, middle, whole.end, {}, {}, {}};
    if (small.end - small.begin > large.end - large.begin) std::swap(small, large);
    fill(small, rows, gradients);
    large.histogram = std::move(whole.histogram);
    for (std::size_t cell = 0; cell < large.histogram.size(); ++cell) large.histogram[cell] = large.histogram[cell] - small.histogram[cell];
    large.total = whole.total - small.total;
    tree.resize(tree.size() + 2);
    for (Leaf* leaf : {&small, &large}) {
        tree[leaf->node].value = value(leaf->total);
        find_split(*leaf);
    }
    leaves[at] = std::move(small);
    leaves.push_back(std::move(large));
}

// Ordered codes between the cuts have a side whether or not a row had them; others only if a row in this node had them.
void BoostedGrower::set_right_codes(const Leaf& whole, const std::vector<std::uint32_t>& rows, std::uint32_t middle, BoostedNode& node) const {
    const std::uint8_t* codes = table_.column(node.column);
    const std::uint32_t between = columns_.ordered[node.column] ? columns_.cards[node.column] - 1 : 0;
    for (std::uint32_t code = 0; code < between; ++code) node.right_codes[code >> 6] |= 1ull << (code & 63);
    std::int64_t all = 0, to_left = 0;
    for (std::uint32_t at = whole.begin; at < whole.end; ++at) {
        const std::int64_t weight = units_.empty() ? 1 : units_[rows[at]];
        const std::uint8_t code = codes[rows[at]];
        node.right_codes[code >> 6] |= 1ull << (code & 63);
        all += weight;
        if (at < middle) to_left += weight;
    }
    for (std::size_t word = 0; word < node.right_codes.size(); ++word) node.right_codes[word] &= ~node.left_codes[word];
    node.left_share = static_cast<double>(to_left) / static_cast<double>(all);
}

BoostedTree BoostedGrower::grow(std::vector<std::uint32_t>& rows, const std::vector<Gradient>& gradients) {
    BoostedTree tree(1);
    std::vector<Leaf> leaves(1);
    leaves[0].node = 0;
    leaves[0].begin = 0;
    leaves[0].end = static_cast<std::uint32_t>(rows.size());
    fill(leaves[0], rows, gradients);
    tree[0].value = value(leaves[0].total);
    find_split(leaves[0]);
    while (leaves.size() < settings_.leaves) {
        std::size_t best = 0;  // of equal gains, the node that is older
        for (std::size_t at = 1; at < leaves.size(); ++at) {
            const double found = leaves[at].split.gain, most = leaves[best].split.gain;
            if (found > most || (found == most && leaves[at].node < leaves[best].node)) best = at;
        }
        if (leaves[best].split.gain <= kLeastGain) break;
        split(best, leaves, rows, gradients, tree);
    }
    return tree;
}

}  // namespace bayou
