#include <algorithm>
#include <numeric>
#include <utility>

#include "tree_growth.hpp"
#include "tree_random.hpp"

namespace bayou {
namespace {

void rank_ordered(std::uint64_t key, std::uint32_t card, std::uint8_t* ranks) {
    const std::uint32_t gap = card - 1;
    const bool gap_first = key >> 63;
    for (std::uint32_t code = 0; code < gap; ++code) ranks[code] = static_cast<std::uint8_t>(code + gap_first);
    ranks[gap] = static_cast<std::uint8_t>(gap_first ? 0 : gap);
}

void rank_drawn(std::uint64_t key, std::uint32_t card, std::uint8_t* ranks) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> drawn;
    for (std::uint32_t code = 0; code < card; ++code) drawn.emplace_back(key_below(key, code), code);
    std::sort(drawn.begin(), drawn.end());
    for (std::uint32_t rank = 0; rank < card; ++rank) ranks[drawn[rank].second] = static_cast<std::uint8_t>(rank);
}

}  // namespace

std::vector<std::uint8_t> drawn_ranks(const Growth& growth, std::uint64_t tree_key) {
    const TreeColumns& columns = growth.columns;
    std::vector<std::uint8_t> ranks(columns.first.back(), kNeverSeen);
    for (std::size_t column = 0; column < columns.size(); ++column) {
        const std::uint32_t card = columns.cards[column], first = columns.first[column];
        const std::uint64_t key = order_key(tree_key, column);
        if (columns.ordered[column]) rank_ordered(key, card, ranks.data() + first);
        else rank_drawn(key, card, ranks.data() + first);
        for (std::uint32_t code = 0; code < card; ++code) {
            const bool between = columns.ordered[column] && code + 1 < card;  // has a place even if no row was there
            if (!between && !growth.seen[first + code]) ranks[first + code] = kNeverSeen;
        }
    }
    return ranks;
}

}  // namespace bayou
