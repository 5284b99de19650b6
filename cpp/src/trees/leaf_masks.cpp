#include "leaf_masks.hpp"

#include <algorithm>

#include "bayou/base/portable.hpp"

namespace bayou {

LeafMasks::LeafMasks(const BoostedTree& tree, const TreeColumns& columns) {
    const auto leaves = std::count_if(tree.begin(), tree.end(), [](const BoostedNode& node) { return node.is_leaf(); });
    if (static_cast<std::size_t>(leaves) > kMostLeaves) return;
    place_.assign(columns.size(), UINT32_MAX);
    for (const BoostedNode& node : tree) {
        if (node.is_leaf() || place_[node.column] != UINT32_MAX) continue;
        place_[node.column] = static_cast<std::uint32_t>(used_.size());
        used_.push_back({node.column, static_cast<std::uint32_t>(masks_.size())});
        masks_.resize(masks_.size() + columns.cards[node.column] + 1, ~std::uint32_t{0});
    }
    enter(tree, 0);
}

std::uint32_t LeafMasks::enter(const BoostedTree& tree, std::uint32_t at) {
    const BoostedNode& node = tree[at];
    if (node.is_leaf()) {
        values_.push_back(node.value);
        return std::uint32_t{1} << (values_.size() - 1);
    }
    const std::uint32_t left = enter(tree, node.left), right = enter(tree, node.left + 1);
    rule_out(node, left, right);
    return left | right;
}

// A code that goes neither way rules nothing out.
void LeafMasks::rule_out(const BoostedNode& node, std::uint32_t left, std::uint32_t right) {
    const std::size_t place = place_[node.column], first = used_[place].first;
    const std::size_t end = place + 1 < used_.size() ? used_[place + 1].first : masks_.size();
    for (std::size_t code = 0; first + code < end; ++code) {
        const auto asked = static_cast<std::uint8_t>(code);
        if (node.goes_left(asked)) {
            masks_[first + code] &= ~right;
        } else if (node.goes_right(asked)) {
            masks_[first + code] &= ~left;
        }
    }
}

void LeafMasks::left_of(const CodeTable& table, std::size_t begin, std::size_t count, std::uint32_t* left) const {
    std::fill_n(left, count, values_.size() == kMostLeaves ? ~std::uint32_t{0} : (std::uint32_t{1} << values_.size()) - 1);
    for (const UsedColumn& each : used_) {
        const std::uint8_t* codes = table.column(each.column) + begin;
        const std::uint32_t* masks = masks_.data() + each.first;
        BAYOU_INDEPENDENT_TURNS
        for (std::size_t row = 0; row < count; ++row) left[row] &= masks[codes[row]];
    }
}

void LeafMasks::add_values(const BoostedTree& tree, const CodeTable& table, std::size_t begin, std::size_t count,
                           double* scores, std::size_t stride) const {
    if (values_.empty()) {
        add_leaf_values(tree, table, begin, count, scores, stride);
        return;
    }
    std::uint32_t left[kRowsAtOnce];
    for (std::size_t done = 0; done < count; done += kRowsAtOnce) {
        const std::size_t rows = std::min(kRowsAtOnce, count - done);
        left_of(table, begin + done, rows, left);
        for (std::size_t row = 0; row < rows; ++row) {
            double* score = scores + (done + row) * stride;
            if ((left[row] & (left[row] - 1)) == 0) {
                *score += values_[static_cast<std::size_t>(lowest_bit(left[row]))];
            } else {  // an unknown code: it goes both ways
                add_leaf_values(tree, table, begin + done + row, 1, score, stride);
            }
        }
    }
}

}  // namespace bayou
