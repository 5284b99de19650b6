#include "candidate_counts.hpp"

#include <algorithm>

namespace bayou {

namespace {

constexpr std::size_t tile_words = 512;  // 32,768 rows: a tile of a mask and of a few planes stay in the first cache
constexpr std::uint32_t copied_from = 24;  // longer lists get two histograms, so that equal neighbours do not wait

// Writes v where it is not zero.
inline void emit(std::uint32_t v, std::uint32_t* out, std::size_t& size) {
    out[size] = v;
    size += v != 0;
}

}  // namespace

void CandidateCounts::make_room(std::size_t rows, std::size_t card, std::size_t sets) {
    if (rows + 1 > room_) {
        room_ = rows + 1;
        cells_.reset(new std::uint32_t[room_]);
        sums_.reset(new std::uint32_t[room_]);
        set_sums_.reset(new std::uint32_t[room_]);
        codes_.reset();
    }
    copies_.assign(2 * (card + 1), 0);
    group_.assign(card + 1, 0);
    all_.assign(card + 1, 0);
    plane_places_.assign(sets, -1);
    n_cells_ = n_sums_ = n_set_sums_ = 0;
}

void CandidateCounts::count_by_planes(const HeldRows& held, const std::vector<RowSet>& sets, std::size_t left_out,
                                      const HeldColumn& column) {
    std::size_t used = 0;
    for (std::size_t at = 0; at < sets.size(); ++at) {
        if (at == left_out || is_listed(sets[at], column, held.words)) continue;
        plane_places_[at] = static_cast<std::int64_t>(used);
        used += column.card;
    }
    planned_.assign(used, 0);
    if (used == 0) return;
    const PlaneKernels& kernels = plane_kernels();
    const std::uint32_t counted = counted_states(column);
    const bool tiled = held.words > tile_words + tile_words / 2;
    const std::size_t step = tiled ? tile_words : held.words;
    for (std::size_t word = 0; word < held.words; word += step) {
        const std::size_t words = std::min(step, held.words - word);
        for (std::size_t at = 0; at < sets.size(); ++at) {
            if (plane_places_[at] < 0) continue;
            std::int64_t* counts = planned_.data() + plane_places_[at];
            if (!tiled) {
                kernels.count_grid(sets[at].mask, 1, column.planes.data(), counted, words, counts, 0);
                continue;
            }
            for (std::uint32_t state = 0; state < counted; ++state) {
                kernels.count_grid(sets[at].mask + word, 1, column.planes.data() + state * held.words + word, 1,
                                   words, counts + state, 0);
            }
        }
    }
    if (counted == column.card) return;
    for (std::size_t at = 0; at < sets.size(); ++at) {
        if (plane_places_[at] < 0) continue;
        std::int64_t* counts = planned_.data() + plane_places_[at];
        counts[counted] = sets[at].count;
        for (std::uint32_t state = 0; state < counted; ++state) counts[counted] -= counts[state];
    }
}

// The histogram of a list goes to the first of copies_; its last place takes the missing cells.
template <typename Code>
void CandidateCounts::count_list(const Code* codes, const RowSet& set) {
    const std::size_t places = std::size_t{column_->card} + 1;
    std::uint32_t* one = copies_.data();
    const std::uint32_t* rows = set.list;
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

// Takes the histogram of one set to the cells, the group and the total, and clears it.
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

// A group with far fewer rows than places of its table: sorting its codes takes less than clearing a table.
template <typename Code>
void CandidateCounts::count_rare_group(const Code* codes, const RowPartition& partition, std::size_t begin,
                                       std::size_t end) {
    if (!codes_) codes_.reset(new std::uint32_t[room_]);
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
        if (plane_places_[at] >= 0) {
            const std::int64_t* counts = planned_.data() + plane_places_[at];
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
    std::size_t last_begin = 0, last_end = 0;  // of the group with the set that is left out: it comes last
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

void CandidateCounts::count(const HeldRows& held, const RowPartition& partition, const HeldColumn& column) {
    column_ = &column;
    make_room(held.rows, column.card, partition.sets().size());
    count_by_planes(held, partition.sets(), partition.left_out(), column);
    if (column.is_narrow()) {
        count_groups(column.bytes.data(), partition);
    } else {
        count_groups(column.numbers.data(), partition);
    }
}

}  // namespace bayou
