#include "boosted_growth.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace bayou {
namespace {

constexpr double kLeastCurve = 1.0;    // on each side of a split: that of four rows whose classes are open
constexpr double kMostSum = 0x1p62;    // no sum of curvatures is as large
constexpr double kLeastGain = 1e-6;
constexpr double kCategoryRidge = 10;  // more for columns of many categories, whose order is chosen by their gradients
constexpr std::uint32_t kFewCategories = 4;
constexpr std::size_t kColumnsAtOnce = 4;

}  // namespace

double BoostedGrower::gain(const Gradient& sum, double ridge) const {
    const double slope = static_cast<double>(sum.slope) / scale_;
    return slope * slope / (static_cast<double>(sum.curve) / scale_ + ridge);
}

double BoostedGrower::value(const Gradient& sum) const {
    return -settings_.rate * (static_cast<double>(sum.slope) / scale_) / (static_cast<double>(sum.curve) / scale_ + settings_.ridge);
}

void BoostedGrower::gather(Leaf& leaf, const std::vector<std::uint32_t>& rows, const std::vector<Gradient>& gradients) {
    gathered_.resize(leaf.end - leaf.begin);
    for (std::uint32_t at = leaf.begin; at < leaf.end; ++at) leaf.total += gathered_[at - leaf.begin] = gradients[rows[at]];
}

// Some columns at once: a sum of few codes waits for the row before it, those of other columns do not.
template <std::size_t count>
void BoostedGrower::fill_columns(Leaf& leaf, const std::uint32_t* rows, std::size_t first) const {
    std::array<const std::uint8_t*, count> codes;
    std::array<Gradient*, count> histograms;
    for (std::size_t each = 0; each < count; ++each) {
        codes[each] = table_.column(first + each);
        histograms[each] = leaf.histogram.data() + columns_.first[first + each];
    }
    for (std::size_t at = 0; at < gathered_.size(); ++at) {
        const Gradient gradient = gathered_[at];
        const std::uint32_t row = rows[at];
        for (std::size_t each = 0; each < count; ++each) histograms[each][codes[each][row]] += gradient;
    }
}

// The histogram of the rows that were gathered.
void BoostedGrower::fill(Leaf& leaf, const std::vector<std::uint32_t>& rows) const {
    leaf.histogram.assign(columns_.first.back(), {});
    std::size_t column = 0;
    for (; column + kColumnsAtOnce <= columns_.size(); column += kColumnsAtOnce) {
        fill_columns<kColumnsAtOnce>(leaf, rows.data() + leaf.begin, column);
    }
    for (; column < columns_.size(); ++column) fill_columns<1>(leaf, rows.data() + leaf.begin, column);
}

std::int64_t BoostedGrower::least_curve() const {
    return scale_ < kMostSum ? static_cast<std::int64_t>(kLeastCurve * scale_) : INT64_MAX;
}

// Moves the codes to the left side, one after the other in this order.
void BoostedGrower::try_order(const Leaf& leaf, std::size_t column, std::span<const std::uint8_t> order, double ridge,
                              Split& best) const {
    const Gradient* histogram = leaf.histogram.data() + columns_.first[column];
    const double before = gain(leaf.total, ridge);
    const std::int64_t least = least_curve();
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
    std::array<std::uint8_t, 256> order;
    for (std::size_t column = 0; column < columns_.size(); ++column) {
        const std::uint32_t card = columns_.cards[column];
        const Gradient* histogram = leaf.histogram.data() + columns_.first[column];
        if (!columns_.ordered[column]) {
            const std::size_t seen = order_by_slope(histogram, card, order.data());
            const double ridge = settings_.ridge + (seen > kFewCategories ? kCategoryRidge : 0.0);
            try_order(leaf, column, {order.data(), seen}, ridge, leaf.split);
            continue;
        }
        std::iota(order.begin(), order.begin() + card, std::uint8_t{0});
        try_order(leaf, column, {order.data(), card}, settings_.ridge, leaf.split);
        if (histogram[card - 1].curve == 0) continue;
        std::rotate(order.begin(), order.begin() + card - 1, order.begin() + card);  // gaps first
        try_order(leaf, column, {order.data(), card}, settings_.ridge, leaf.split);
    }
}

// The codes that occur, by slope; returns how many. Most columns have few: each goes to its place among those before it.
std::size_t BoostedGrower::order_by_slope(const Gradient* histogram, std::uint32_t card, std::uint8_t* order) const {
    std::array<double, 256> keys;
    std::size_t seen = 0;
    for (std::uint32_t code = 0; code < card; ++code) {
        if (histogram[code].curve <= 0) continue;
        keys[code] = static_cast<double>(histogram[code].slope) / (static_cast<double>(histogram[code].curve) + kCategoryRidge * scale_);
        std::size_t place = seen++;
        for (; place > 0 && keys[code] < keys[order[place - 1]]; --place) order[place] = order[place - 1];
        order[place] = static_cast<std::uint8_t>(code);
    }
    return seen;
}

// The children have no histogram where it would not be asked for: where no split leaves enough on both sides.
void BoostedGrower::find_splits(Leaf& whole, Leaf& small, Leaf& large, const std::vector<std::uint32_t>& rows) const {
    const std::int64_t least = least_curve();
    const bool small_splits = small.total.curve / 2 >= least, large_splits = large.total.curve / 2 >= least;
    if (small_splits || large_splits) fill(small, rows);
    if (large_splits) {
        large.histogram = std::move(whole.histogram);
        for (std::size_t cell = 0; cell < large.histogram.size(); ++cell) large.histogram[cell] = large.histogram[cell] - small.histogram[cell];
        find_split(large);
    }
    if (small_splits) find_split(small);
}

void BoostedGrower::split(std::size_t at, std::vector<std::uint32_t>& rows, const std::vector<Gradient>& gradients, BoostedTree& tree) {
    std::vector<Leaf>& leaves = leaves_;
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
    gather(small, rows, gradients);
    large.total = whole.total - small.total;
    tree.resize(tree.size() + 2);
    for (const Leaf* leaf : {&small, &large}) tree[leaf->node].value = value(leaf->total);
    if (leaves.size() + 1 < settings_.leaves) find_splits(whole, small, large, rows);
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
    std::vector<Leaf>& leaves = leaves_;
    leaves.assign(1, {});
    leaves[0].node = 0;
    leaves[0].begin = 0;
    leaves[0].end = static_cast<std::uint32_t>(rows.size());
    gather(leaves[0], rows, gradients);
    fill(leaves[0], rows);
    tree[0].value = value(leaves[0].total);
    find_split(leaves[0]);
    while (leaves.size() < settings_.leaves) {
        std::size_t best = 0;  // of equal gains, the node that is older
        for (std::size_t at = 1; at < leaves.size(); ++at) {
            const double found = leaves[at].split.gain, most = leaves[best].split.gain;
            if (found > most || (found == most && leaves[at].node < leaves[best].node)) best = at;
        }
        if (leaves[best].split.gain <= kLeastGain) break;
        split(best, rows, gradients, tree);
    }
    return tree;
}

void BoostedGrower::add_values(const BoostedTree& tree, const std::vector<std::uint32_t>& rows, double* scores, std::size_t stride) const {
    for (const Leaf& leaf : leaves_) {
        for (std::uint32_t at = leaf.begin; at < leaf.end; ++at) scores[rows[at] * stride] += tree[leaf.node].value;
    }
}

}  // namespace bayou
