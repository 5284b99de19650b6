#include "candidate_counts.hpp"

#include <algorithm>

namespace bayou {

namespace {

constexpr std::size_t tile_words = 512;  // 32,768 rows: a tile of a mask and of a few planes stay in the first cache
constexpr std::uint32_t most_packed_states = 7;  // with missing, a byte of a word each
constexpr std::uint32_t copied_from = 24;  // longer lists get two histograms, so that equal codes in a row do not wait

// Writes v where it is not zero.
inline void emit(std::uint32_t v, std::uint32_t* out, std::size_t& size) {
    out[size] = v;
    size += v != 0;
}

}  // namespace

void CandidateCounts::reserve(std::size_t rows, std::size_t card) {
    if (rows + 1 > capacity_) {
        capacity_ = rows + 1;
        cells_.reset(new std::uint32_t[capacity_]);
        sums_.reset(new std::uint32_t[capacity_]);
        set_sums_.reset(new std::uint32_t[capacity_]);
        codes_.reset();
    }
    copies_.assign(2 * (card + 1), 0);
    group_.assign(card + 1, 0);
    all_.assign(card + 1, 0);
    n_cells_ = n_sums_ = n_set_sums_ = 0;
}

void CandidateCounts::prepare(const PlaneRows& data, const RowPartition& partition, const Columns& columns) {
    const std::vector<RowSet>& sets = partition.sets();
    columns_ = columns;
    grids_.clear();
    grid_places_.assign(columns.size() * sets.size(), -1);
    std::size_t used = 0;
    for (std::size_t at = 0; at < columns.size(); ++at) {
        for (std::size_t set = 0; set < sets.size(); ++set) {
            if (set == partition.left_out() || is_listed(sets[set], *columns[at], data.words)) continue;
            grid_places_[at * sets.size() + set] = static_cast<std::int64_t>(used);
            grids_.push_back({columns[at], &sets[set], used});
            used += columns[at]->card;
        }
    }
    grid_counts_.assign(used, 0);
    count_grids(data.words);
}

void CandidateCounts::count_grids(std::size_t words) {
    const PlaneKernels& kernels = plane_kernels();
    const std::size_t step = words > tile_words + tile_words / 2 ? tile_words : words;
    for (std::size_t word = 0; word < words; word += step) {
        const std::size_t length = std::min(step, words - word);
        for (const Grid& grid : grids_) {
            const std::uint64_t* planes = grid.column->planes.data() + word;
            std::int64_t* counts = grid_counts_.data() + grid.place;
            const std::uint32_t states = counted_states(*grid.column);
            if (length == words) {
                kernels.count_grid(grid.set->mask, 1, planes, states, words, counts, 0);
                continue;
            }
            for (std::uint32_t state = 0; state < states; ++state) {
                kernels.count_grid(grid.set->mask + word, 1, planes + state * words, 1, length, counts + state, 0);
            }
        }
    }
    for (const Grid& grid : grids_) {
        if (!grid.column->complete || grid.column->card == 0) continue;
        std::int64_t* counts = grid_counts_.data() + grid.place;
        const std::uint32_t last = grid.column->card - 1;
        counts[last] = grid.set->count;
        for (std::uint32_t state = 0; state < last; ++state) counts[last] -= counts[state];
    }
}

// For few states: counted in the bytes of two words in registers, without waiting for stores.
template <typename Code>
void count_packed(const Code* codes, const std::uint32_t* rows, std::uint32_t count, std::uint32_t card,
                  std::uint32_t* counts) {
    constexpr std::uint32_t block = 254;  // halves of it fit a byte
    for (std::uint32_t at = 0; at < count;) {
        const std::uint32_t stop = at + std::min(block, count - at);
        std::uint64_t one = 0, two = 0;
        for (; at + 2 <= stop; at += 2) {
            one += std::uint64_t{1} << (8 * codes[rows[at]]);
            two += std::uint64_t{1} << (8 * codes[rows[at + 1]]);
        }
        if (at < stop) one += std::uint64_t{1} << (8 * codes[rows[at++]]);
        one += two;
        for (std::uint32_t state = 0; state < card; ++state) counts[state] += one >> (8 * state) & 255;
    }
}

// Writes the histogram of a list to the first of copies_; its last entry counts the missing cells.
template <typename Code>
void CandidateCounts::count_list(const Code* codes, const RowSet& set) {
    const std::uint32_t* rows = set.list;
    std::uint32_t* one = copies_.data();
    if (column_->card <= most_packed_states) return count_packed(codes, rows, set.count, column_->card, one);
    const std::size_t places = std::size_t{column_->card} + 1;
    std::uint32_t at = 0;
    if (set.count >= copied_from) {
        std::uint32_t* two = one + places;
        std::fill_n(two, places, 0u);
        for (; at + 2 <= set.count; at += 2) {
            ++one[codes[rows[at]]];
            ++two[codes[rows[at + 1]]];
        }
        for (std::size_t place = 0; place < places; ++place) one[place] += two[place];
    }
    for (; at < set.count; ++at) ++one[codes[rows[at]]];
}

// Adds the histogram of one set to the cells, the group and the total, and clears it.
void CandidateCounts::add_set() {
    std::uint32_t* counts = copies_.data();
    std::uint32_t total = 0;
    for (std::uint32_t state = 0; state < column_->card; ++state) {
        const std::uint32_t n = counts[state];
        counts[state] = 0;
        emit(n, cells_.get(), n_cells_);
        group_[state] += n;
        total += n;
    }
    counts[column_->card] = 0;
    emit(total, set_sums_.get(), n_set_sums_);
}

void CandidateCounts::add_group() {
    for (std::uint32_t state = 0; state < column_->card; ++state) {
        const std::uint32_t n = group_[state];
        group_[state] = 0;
        all_[state] += n;
        emit(n, sums_.get(), n_sums_);
    }
}

std::size_t CandidateCounts::sort_and_emit(std::size_t begin, std::size_t end, std::uint32_t* out) {
    std::uint32_t* codes = codes_.get();
    std::sort(codes + begin, codes + end);
    std::size_t runs = 0;
    for (std::size_t at = begin; at < end;) {
        const std::size_t first = at;
        while (at < end && codes[at] == codes[first]) ++at;
        if (codes[first] < column_->card) out[runs++] = static_cast<std::uint32_t>(at - first);
    }
    return runs;
}

// For a group with far fewer rows than entries of its table: sorting its codes is faster than clearing a table.
template <typename Code>
void CandidateCounts::count_rare_group(const Code* codes, const RowPartition& partition, std::size_t begin,
                                       std::size_t end) {
    if (!codes_) codes_.reset(new std::uint32_t[capacity_]);
    std::size_t size = 0;
    for (std::size_t at = begin; at < end; ++at) {
        const RowSet& set = partition.sets()[at];
        const std::size_t first = size;
        for (std::uint32_t row = 0; row < set.count; ++row) {
            const Code code = codes[set.list[row]];
            ++all_[code];
            codes_[size++] = code;
        }
        std::uint32_t present = 0;
        for (std::size_t row = first; row < size; ++row) present += codes_[row] < column_->card;
        emit(present, set_sums_.get(), n_set_sums_);
        n_cells_ += sort_and_emit(first, size, cells_.get() + n_cells_);
    }
    n_sums_ += sort_and_emit(0, size, sums_.get() + n_sums_);
}

template <typename Code>
void CandidateCounts::count_group(const Code* codes, const RowPartition& partition, std::size_t begin,
                                  std::size_t end) {
    const std::vector<RowSet>& sets = partition.sets();
    for (std::size_t at = begin; at < end; ++at) {
        if (at == partition.left_out()) continue;
        if (places_[at] >= 0) {
            const std::int64_t* counts = grid_counts_.data() + places_[at];
            for (std::uint32_t state = 0; state < column_->card; ++state) {
                copies_[state] = static_cast<std::uint32_t>(counts[state]);
            }
        } else {
            count_list(codes, sets[at]);
        }
        add_set();
    }
    const bool is_last = begin <= partition.left_out() && partition.left_out() < end;
    if (is_last) {
        for (std::uint32_t state = 0; state < column_->card; ++state) {
            copies_[state] = column_->margin[state] - all_[state] - group_[state];
        }
        add_set();
    }
    add_group();
}

template <typename Code>
void CandidateCounts::count_groups(const Code* codes, const RowPartition& partition) {
    const std::vector<RowSet>& sets = partition.sets();
    std::size_t last_begin = 0, last_end = 0;  // the group with the set that is left out, which is counted last
    for (std::size_t begin = 0, end = 0; begin < sets.size(); begin = end) {
        std::size_t rows = 0;
        bool listed = true;
        for (end = begin; end < sets.size() && sets[end].group == sets[begin].group; ++end) {
            rows += sets[end].count;
            listed = listed && sets[end].list;
        }
        if (begin <= partition.left_out() && partition.left_out() < end) {
            last_begin = begin;
            last_end = end;
        } else if (listed && rows == 1) {
            const Code code = codes[sets[begin].list[0]];
            const bool present = code < column_->card;
            ++all_[code];
            emit(present, cells_.get(), n_cells_);
            emit(present, sums_.get(), n_sums_);
            emit(present, set_sums_.get(), n_set_sums_);
        } else if (listed && (end - begin) * column_->card > 16 * rows + 64) {
            count_rare_group(codes, partition, begin, end);
        } else {
            count_group(codes, partition, begin, end);
        }
    }
    if (last_end > last_begin) count_group(codes, partition, last_begin, last_end);
}

void CandidateCounts::count(const PlaneRows& data, const RowPartition& partition, std::size_t at) {
    column_ = columns_[at];
    places_ = grid_places_.data() + at * partition.sets().size();
    reserve(data.rows, column_->card);
    if (column_->is_narrow()) {
        count_groups(column_->bytes.data(), partition);
    } else {
        count_groups(column_->numbers.data(), partition);
    }
}

}  // namespace bayou
