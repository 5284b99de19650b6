#include "tree_growth.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "bayou/base/interrupt.hpp"
#include "tree_random.hpp"

namespace bayou {
namespace {

constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kMostCopied = 256;  // columns of which a tree copies its rows, so that they lie close together

struct Split {
    std::int64_t score = std::numeric_limits<std::int64_t>::min();
    std::size_t column = 0;
    int threshold = -1;

    bool is_found() const { return threshold >= 0; }
};

// Rows from begin to end wait to become a node; if they go right, `parent` is where from.
struct OpenNode {
    std::uint32_t begin, end, parent;
    std::uint64_t key;
};

struct BagRow {
    std::uint32_t row, label;
};

// Count is uint32 where every row counts as 1, otherwise double (whole numbers).
template <typename Count>
class TreeGrower {
  public:
    TreeGrower(const Growth& growth, std::uint64_t key, ClassTree& tree)
        : growth_(growth), key_(key), tree_(tree), local_(growth.settings.classes, kNobody), drawn_(growth.columns.size()) {
        std::iota(drawn_.begin(), drawn_.end(), 0);
        fill_bag();
    }

    void grow() {
        std::vector<OpenNode> open{{0, static_cast<std::uint32_t>(bag_.size()), kNobody, root_key(key_)}};
        while (!open.empty()) {
            if (tree_.nodes.size() % 64 == 0) stop_if_interrupted();
            const OpenNode rows = open.back();
            open.pop_back();
            const auto node = static_cast<std::uint32_t>(tree_.nodes.size());
            if (rows.parent != kNobody) tree_.nodes[rows.parent].right = node;
            const Split split = best_split(rows);
            tree_.nodes.push_back({static_cast<std::uint16_t>(split.column), static_cast<std::int16_t>(split.threshold), node});
            if (!split.is_found()) continue;
            const std::uint32_t middle = parted(rows, split);
            open.push_back({middle, rows.end, node, right_key(rows.key)});
            open.push_back({rows.begin, middle, kNobody, left_key(rows.key)});
        }
    }

  private:
    void fill_bag() {
        const TrainingRows& rows = growth_.rows;
        const std::uint64_t key = bag_key(key_);
        std::vector<std::uint32_t> chosen;
        for (std::size_t row = 0; row < rows.table.rows; ++row) {
            if (!growth_.units.empty() && growth_.units[row] == 0) continue;
            if (mixed(rows.hashes[row] ^ key) < growth_.bag_limit) chosen.push_back(static_cast<std::uint32_t>(row));
        }
        const bool copies = growth_.columns.size() <= kMostCopied;
        for (std::size_t at = 0; at < chosen.size(); ++at) {
            bag_.push_back({copies ? static_cast<std::uint32_t>(at) : chosen[at],
                            static_cast<std::uint32_t>(rows.classes[chosen[at]])});
        }
        view_ = rows.table;
        units_ = growth_.units;
        if (copies) copy_rows(chosen);
    }

    void copy_rows(const std::vector<std::uint32_t>& chosen) {
        copy_.resize(chosen.size() * view_.columns);
        for (std::size_t column = 0; column < view_.columns; ++column) {
            const std::uint8_t* codes = view_.column(column);
            std::uint8_t* to = copy_.data() + column * chosen.size();
            for (std::size_t at = 0; at < chosen.size(); ++at) to[at] = codes[chosen[at]];
        }
        view_ = {copy_.data(), view_.columns, chosen.size()};
        if (units_.empty()) return;
        std::vector<double> units;
        for (const std::uint32_t row : chosen) units.push_back(units_[row]);
        units_ = std::move(units);
    }

    Count count_of(const BagRow& each) const {
        if constexpr (std::is_same_v<Count, double>) return units_[each.row];
        else return 1;
    }

    // The best of the columns drawn for this node: only those that differ among its rows count as tried.
    Split best_split(const OpenNode& rows) {
        Split best;
        count_classes(rows);
        if (totals_.size() < 2) return best;
        const std::size_t wanted = growth_.settings.tried, columns = drawn_.size();
        std::size_t draws = 0, tried = 0;
        std::vector<std::size_t>& swaps = swaps_;
        swaps.clear();
        for (; draws < columns && tried < wanted && (draws < 4 * wanted || tried == 0); ++draws) {
            const std::size_t other = draws + below(draw_key(rows.key, draws), columns - draws);
            std::swap(drawn_[draws], drawn_[other]);
            swaps.push_back(other);
            tried += try_column(rows, drawn_[draws], best);
        }
        while (draws-- > 0) std::swap(drawn_[draws], drawn_[swaps[draws]]);
        return best;
    }

    // Counts the classes of the rows, and numbers those that occur.
    void count_classes(const OpenNode& rows) {
        for (const std::uint32_t label : present_classes_) local_[label] = kNobody;
        present_classes_.clear();
        totals_.clear();
        for (std::uint32_t at = rows.begin; at < rows.end; ++at) {
            const BagRow& each = bag_[at];
            if (local_[each.label] == kNobody) {
                local_[each.label] = static_cast<std::uint32_t>(totals_.size());
                present_classes_.push_back(each.label);
                totals_.push_back(0);
            }
            totals_[local_[each.label]] += count_of(each);
        }
    }

    bool try_column(const OpenNode& rows, std::size_t column, Split& best) {
        const std::uint8_t* codes = view_.column(column);
        const std::uint8_t* ranks = tree_.ranks.data() + growth_.columns.first[column];
        const std::size_t classes = totals_.size(), card = growth_.columns.cards[column];
        if (histogram_.size() < card * classes) histogram_.resize(card * classes, 0);
        Count* histogram = histogram_.data();
        const bool few = rows.end - rows.begin < card;
        std::uint64_t marks[4] = {0, 0, 0, 0};
        for (std::uint32_t at = rows.begin; at < rows.end; ++at) {
            const BagRow each = bag_[at];
            const std::uint8_t rank = ranks[codes[each.row]];
            histogram[rank * classes + local_[each.label]] += count_of(each);
            if (few) marks[rank >> 6] |= 1ull << (rank & 63);
        }
        if (few) list_marked(marks);
        else list_counted(card, classes);
        if (present_.size() > 1) find_threshold(column, best);
        for (const std::uint8_t rank : present_) std::fill_n(histogram + rank * classes, classes, Count{0});
        return present_.size() > 1;
    }

    void list_marked(const std::uint64_t* marks) {
        present_.clear();
        for (std::size_t word = 0; word < 4; ++word) {
            for (std::uint64_t left = marks[word]; left != 0; left &= left - 1) {
                present_.push_back(static_cast<std::uint8_t>(word * 64 + std::countr_zero(left)));
            }
        }
    }

    void list_counted(std::size_t card, std::size_t classes) {
        present_.clear();
        for (std::size_t rank = 0; rank < card; ++rank) {
            const Count* counts = histogram_.data() + rank * classes;
            if (std::any_of(counts, counts + classes, [](Count count) { return count > 0; })) {
                present_.push_back(static_cast<std::uint8_t>(rank));
            }
        }
    }

    // Moves ranks one after the other to the left side and keeps the best threshold, in the middle of two ranks.
    void find_threshold(std::size_t column, Split& best) {
        const WholeEntropy& entropy = growth_.entropy;
        const std::size_t classes = totals_.size();
        Count left_total = 0, right_total = 0;
        std::int64_t left = 0, right = 0;  // sums of count log count
        left_.assign(classes, 0);
        for (const Count count : totals_) {
            right += entropy(count);
            right_total += count;
        }
        for (std::size_t at = 0; at + 1 < present_.size(); ++at) {
            const Count* counts = histogram_.data() + present_[at] * classes;
            for (std::size_t label = 0; label < classes; ++label) {
                const Count moved = counts[label];
                if (moved == 0) continue;
                const Count before = left_[label], after = before + moved, rest = totals_[label] - before;
                left += entropy(after) - entropy(before);
                right += entropy(static_cast<Count>(rest - moved)) - entropy(rest);
                left_[label] = after;
                left_total += moved;
                right_total -= moved;
            }
            const std::int64_t score = left - entropy(left_total) + right - entropy(right_total);
            if (score > best.score) best = {score, column, (present_[at] + present_[at + 1]) / 2};
        }
    }

    std::uint32_t parted(const OpenNode& rows, const Split& split) {
        const std::uint8_t* codes = view_.column(split.column);
        const std::uint8_t* ranks = tree_.ranks.data() + growth_.columns.first[split.column];
        const auto middle = std::partition(bag_.begin() + rows.begin, bag_.begin() + rows.end, [&](const BagRow& each) {
            return static_cast<int>(ranks[codes[each.row]]) <= split.threshold;
        });
        return static_cast<std::uint32_t>(middle - bag_.begin());
    }

    const Growth& growth_;
    std::uint64_t key_;
    ClassTree& tree_;
    CodeTable view_;
    std::vector<std::uint8_t> copy_;
    std::vector<double> units_;
    std::vector<BagRow> bag_;

    std::vector<std::uint32_t> local_, present_classes_;  // the number of a class among those of the node
    std::vector<Count> totals_, left_, histogram_;
    std::vector<std::uint8_t> present_;
    std::vector<std::size_t> drawn_, swaps_;
};

}  // namespace

void grow_tree(const Growth& growth, std::size_t number, ClassTree& tree) {
    const std::uint64_t key = tree_key(growth.settings.seed, number);
    tree.ranks = drawn_ranks(growth, key);
    tree.nodes.clear();
    if (growth.units.empty()) TreeGrower<std::uint32_t>(growth, key, tree).grow();
    else TreeGrower<double>(growth, key, tree).grow();
}

}  // namespace bayou
