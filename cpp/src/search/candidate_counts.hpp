// The table of one candidate parent against rows that are divided by the other parents and the child.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bayou/search/row_partition.hpp"

namespace bayou {

// Estimated nanoseconds; those of planes come from the rates in pairs.cpp. Only their ratios matter.
constexpr double plane_call_cost = 14, plane_word_cost = 0.19, listed_row_cost = 0.7;

inline double plane_cost(std::size_t words) { return plane_call_cost + plane_word_cost * words; }

// The number of states that must be counted: without missing cells the last count is the total minus the others.
inline std::uint32_t counted_states(const PlaneColumn& column) {
    return column.complete && column.card > 0 ? column.card - 1 : column.card;
}

// Whether the rows of a set are counted one by one rather than by planes of this column.
inline bool is_listed(const RowSet& set, const PlaneColumn& column, std::size_t words) {
    if (!set.mask || !column.has_planes()) return true;
    return set.list && set.count * listed_row_cost < counted_states(column) * plane_cost(words);
}

class CandidateCounts {
  public:
    using Columns = std::vector<const PlaneColumn*>;

    // Counts by planes for several columns at once, so that masks are read once for all of them.
    void prepare(const PlaneRows& data, const RowPartition& partition, const Columns& columns);
    // Counts the sets by the states of one of these columns, group by group.
    void count(const PlaneRows& data, const RowPartition& partition, std::size_t at);

    // The non-zero counts: of sets by states, and of groups by states.
    const std::uint32_t* cells() const { return cells_.get(); }
    std::size_t n_cells() const { return n_cells_; }
    const std::uint32_t* sums() const { return sums_.get(); }
    std::size_t n_sums() const { return n_sums_; }
    // The number of rows of each set where the column is not missing.
    const std::uint32_t* set_sums() const { return set_sums_.get(); }
    std::size_t n_set_sums() const { return n_set_sums_; }

  private:
    // A set and a column that are counted by planes.
    struct Grid {
        const PlaneColumn* column;
        const RowSet* set;
        std::size_t place;  // where its counts start
    };

    void reserve(std::size_t rows, std::size_t card);
    void count_grids(std::size_t words);
    template <typename Code>
    void count_group(const Code* codes, const RowPartition& partition, std::size_t begin, std::size_t end);
    template <typename Code>
    void count_rare_group(const Code* codes, const RowPartition& partition, std::size_t begin, std::size_t end);
    template <typename Code>
    void count_list(const Code* codes, const RowSet& set);
    template <typename Code>
    void count_groups(const Code* codes, const RowPartition& partition);
    void add_set();
    void add_group();
    std::size_t sort_and_emit(std::size_t begin, std::size_t end, std::uint32_t* out);

    std::unique_ptr<std::uint32_t[]> cells_, sums_, set_sums_, codes_;
    std::size_t capacity_ = 0, n_cells_ = 0, n_sums_ = 0, n_set_sums_ = 0;
    Columns columns_;
    const PlaneColumn* column_ = nullptr;  // the column that is being counted
    std::vector<std::uint32_t> copies_;        // histograms of one set
    std::vector<std::uint32_t> group_, all_;   // by state, of the group and of all sets so far
    std::vector<Grid> grids_;
    std::vector<std::int64_t> grid_counts_;
    std::vector<std::int64_t> grid_places_;    // in grid_counts_ by column and set, or -1
    const std::int64_t* places_ = nullptr;     // the places of the column that is being counted
};

}  // namespace bayou
