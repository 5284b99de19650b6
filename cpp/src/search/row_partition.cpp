#include "bayou/search/row_partition.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "bayou/base/threads.hpp"

namespace bayou {

namespace {

// Sets with fewer rows than this are lists: reading a mask takes as long as reading this many rows of a list.
std::size_t least_masked(std::size_t words) { return words / 2; }

std::uint32_t popcount_of(const std::uint64_t* mask, std::size_t words) {
    std::int64_t count = 0;
    plane_kernels().count_grid(mask, 1, mask, 1, words, &count, 0);
    return static_cast<std::uint32_t>(count);
}

// Codes in another width with `card` for missing. False if one is neither below card nor missing.
template <typename From, typename To>
bool copy_codes(const void* given, std::uint32_t card, std::vector<To>& out) {
    const From* codes = static_cast<const From*>(given);
    // All operations have the width of the codes, so that a register holds many of them.
    constexpr From all = static_cast<From>(~From{0});
    const From limit = static_cast<From>(card);
    From bad = 0;
    for (std::size_t row = 0; row < out.size(); ++row) {
        const From code = codes[row];
        bad |= static_cast<From>((code >= limit ? all : From{0}) & (code != all ? all : From{0}));
        out[row] = static_cast<To>(std::min(code, limit));
    }
    return bad == 0;
}

template <typename To>
std::vector<To> copied(const CodeColumn& column) {
    std::vector<To> codes(column.rows);
    const auto copy = column.bytes == 1   ? copy_codes<std::uint8_t, To>
                      : column.bytes == 2 ? copy_codes<std::uint16_t, To>
                                          : copy_codes<std::uint32_t, To>;
    if (!copy(column.codes, column.card, codes)) report_bad_code(column, 0, column.rows);
    return codes;
}

template <typename Code>
void count_margin(PlaneColumn& made, const std::vector<Code>& codes) {
    made.margin.assign(std::size_t{made.card} + 1, 0);
    for (const Code code : codes) ++made.margin[code];
    made.margin.pop_back();
}

void make_planes(PlaneColumn& made, const CodeColumn& column, std::size_t words) {
    std::vector<std::uint8_t> buffer(column.bytes == 1 ? 0 : column.rows);
    made.planes = PlaneBuffer(words * made.card);
    const std::uint8_t* codes = byte_codes(column, 0, column.rows, buffer.data());
    plane_kernels().one_hot(codes, column.rows, made.card, words, made.planes.data());
    for (std::uint32_t state = 0; state < made.card; ++state) {
        made.margin.push_back(popcount_of(made.planes.data() + state * words, words));
    }
}

PlaneColumn plane_column(const CodeColumn& column, std::size_t words) {
    PlaneColumn made;
    made.card = column.card;
    if (made.is_narrow()) {
        made.bytes = copied<std::uint8_t>(column);
    } else {
        made.numbers = copied<std::uint32_t>(column);
    }
    if (made.has_planes()) {
        make_planes(made, column, words);
    } else if (made.is_narrow()) {
        count_margin(made, made.bytes);
    } else {
        count_margin(made, made.numbers);
    }
    const auto present = std::accumulate(made.margin.begin(), made.margin.end(), std::size_t{0});
    made.complete = present == column.rows;
    return made;
}

// Sorts the rows of a list by the column's states (stable); `places` gets the end of each state's rows.
template <typename Code>
void bucket(const Code* codes, std::uint32_t card, const std::uint32_t* rows, std::uint32_t count,
            std::vector<std::uint32_t>& places, std::uint32_t* out) {
    places.assign(std::size_t{card} + 2, 0);
    for (std::uint32_t at = 0; at < count; ++at) ++places[codes[rows[at]] + 1];
    std::partial_sum(places.begin(), places.end(), places.begin());
    for (std::uint32_t at = 0; at < count; ++at) out[places[codes[rows[at]]]++] = rows[at];
}

}  // namespace

PlaneRows::PlaneRows(const std::vector<CodeColumn>& given, int threads)
    : rows(given.empty() ? 0 : given.front().rows), words(plane_words(rows)), columns(given.size()) {
    parallel_for(given.size(), threads, [&](std::size_t at, int) { columns[at] = plane_column(given[at], words); });
}

std::uint32_t* RowPartition::list_of(const std::uint64_t* mask, std::size_t words, std::uint32_t* out) const {
    for (std::size_t word = 0; word < words; ++word) {
        for (std::uint64_t bits = mask[word]; bits != 0; bits &= bits - 1) {
            *out++ = static_cast<std::uint32_t>(64 * word + std::countr_zero(bits));
        }
    }
    return out;
}

// Adds a set given by a mask; a rare set becomes a list. `is_own`: the mask is the next free one of the level.
void RowPartition::keep(const PlaneRows& data, const std::uint64_t* mask, std::uint32_t count, std::uint32_t group,
                        Level& level, bool is_own) {
    RowSet set{count, group, mask, nullptr};
    if (count < least_masked(data.words)) {
        std::uint32_t* list = level.lists.memory.get() + level.rows_used;
        list_of(mask, data.words, list);
        level.rows_used += count;
        set.mask = nullptr;
        set.list = list;
    } else if (is_own) {
        ++level.masks_used;
    }
    next_.push_back(set);
}

void RowPartition::start(const PlaneRows& data, const PlaneColumn& column, Level& level) {
    if (column.has_planes()) {
        for (std::uint32_t state = 0; state < column.card; ++state) {
            if (column.margin[state] == 0) continue;
            keep(data, column.planes.data() + state * data.words, column.margin[state], 0, level, false);
        }
        return;
    }
    std::uint32_t* every = spare_.at_least(data.rows);
    std::iota(every, every + data.rows, 0u);
    divide_list(column, {static_cast<std::uint32_t>(data.rows), 0, nullptr, every}, level);
}

void RowPartition::divide_mask(const PlaneRows& data, const PlaneColumn& column, const RowSet& set, Level& level) {
    const PlaneKernels& kernels = plane_kernels();
    std::uint32_t left = set.count;
    for (std::uint32_t state = 0; state < column.card && left > 0; ++state) {
        std::uint64_t* mask = level.masks.memory.get() + level.masks_used * data.words;
        if (!kernels.intersect(set.mask, column.planes.data() + state * data.words, data.words, mask)) continue;
        const bool is_rest = column.complete && state + 1 == column.card;
        const std::uint32_t count = is_rest ? left : popcount_of(mask, data.words);
        left -= count;
        keep(data, mask, count, set.group, level, true);
    }
}

void RowPartition::divide_list(const PlaneColumn& column, const RowSet& set, Level& level) {
    std::uint32_t* out = level.lists.memory.get() + level.rows_used;
    if (column.is_narrow()) {
        bucket(column.bytes.data(), column.card, set.list, set.count, places_, out);
    } else {
        bucket(column.numbers.data(), column.card, set.list, set.count, places_, out);
    }
    std::uint32_t begin = 0;
    for (std::uint32_t state = 0; state < column.card; ++state) {
        const std::uint32_t end = places_[state];
        if (end > begin) next_.push_back({end - begin, set.group, nullptr, out + begin});
        begin = end;
    }
    level.rows_used += set.count;
}

void RowPartition::divide(const PlaneRows& data, const std::vector<std::size_t>& members, std::size_t most_listed) {
    // Every level has each row at most once, hence at most this many masks; plus the one that is being made.
    const std::size_t most_masks = data.rows / std::max<std::size_t>(least_masked(data.words), 1) + 1;
    sets_.clear();
    for (std::size_t depth = 0; depth < members.size(); ++depth) {
        const PlaneColumn& column = data.columns[members[depth]];
        Level& level = levels_[depth % 2];
        level.masks_used = level.rows_used = 0;
        level.lists.at_least(data.rows + 1);
        next_.clear();
        if (depth == 0) {
            start(data, column, level);
        } else if (column.has_planes()) {
            level.masks.at_least(most_masks * data.words);
        }
        for (std::size_t at = 0; at < sets_.size(); ++at) {
            RowSet set = sets_[at];
            set.group = static_cast<std::uint32_t>(at);
            if (set.mask && column.has_planes()) {
                divide_mask(data, column, set, level);
                continue;
            }
            if (!set.list) {
                std::uint32_t* rows = spare_.at_least(data.rows);
                list_of(set.mask, data.words, rows);
                set.list = rows;
            }
            divide_list(column, set, level);
        }
        std::swap(sets_, next_);
    }
    finish(data, most_listed, levels_[(members.size() - 1) % 2]);
}

// Chooses the set to leave out, and writes the lists that are needed beside masks.
void RowPartition::finish(const PlaneRows& data, std::size_t most_listed, Level& last) {
    std::size_t total = 0, largest = 0;
    for (std::size_t at = 0; at < sets_.size(); ++at) {
        total += sets_[at].count;
        if (sets_[at].count > sets_[largest].count) largest = at;
    }
    left_out_ = total == data.rows ? largest : sets_.size();
    for (std::size_t at = 0; at < sets_.size(); ++at) {
        RowSet& set = sets_[at];
        if (at == left_out_ || set.list || set.count > most_listed) continue;
        std::uint32_t* list = last.lists.memory.get() + last.rows_used;
        list_of(set.mask, data.words, list);
        last.rows_used += set.count;
        set.list = list;
    }
}

}  // namespace bayou
