// Columns kept as codes and bit planes for many calls, and their rows divided by the states of some columns: frequent
// combinations as bit masks, rare ones as lists of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "bayou/counting/bit_planes.hpp"
#include "bayou/data/codes.hpp"

namespace bayou {

constexpr std::uint32_t most_plane_states = 20;  // columns with more states have no planes

// A column's own copy of its codes (missing is `card`), as bytes where they fit, and its planes.
struct PlaneColumn {
    std::uint32_t card = 0;
    bool complete = false;                // no missing cell
    std::vector<std::uint8_t> bytes;      // card <= 255
    std::vector<std::uint32_t> numbers;   // otherwise
    PlaneBuffer planes;
    std::vector<std::uint32_t> margin;    // how many rows are in each state

    bool has_planes() const { return card <= most_plane_states; }
    bool is_narrow() const { return card <= 255; }
};

struct PlaneRows {
    std::size_t rows = 0, words = 0;  // words of a plane
    std::vector<PlaneColumn> columns;

    // Checks every code.
    PlaneRows(const std::vector<CodeColumn>& columns, int threads);
};

// A set of rows, given by a mask, a list, or both; with neither its rows are never read.
struct RowSet {
    std::uint32_t count = 0;
    std::uint32_t group = 0;  // the same for sets that differ only in the last column
    const std::uint64_t* mask = nullptr;
    const std::uint32_t* list = nullptr;
};

class RowPartition {
  public:
    // Divides all rows by the states of these columns (at least one), the last varying fastest within a
    // group. Rows with a missing cell are in no set. Sets of at most `most_listed` rows get a list.
    void divide(const PlaneRows& data, const std::vector<std::size_t>& members, std::size_t most_listed);

    // The sets with rows, group by group.
    const std::vector<RowSet>& sets() const { return sets_; }
    // The position of the largest set if every row is in some set, else the number of sets. That set has neither mask
    // nor list: its counts are the totals minus those of the other sets.
    std::size_t left_out() const { return left_out_; }

  private:
    // Memory that only grows and is not cleared.
    template <typename T>
    struct GrowingArray {
        std::unique_ptr<T[]> memory;
        std::size_t size = 0;
        T* at_least(std::size_t wanted) {
            if (wanted > size) {
                memory.reset();
                memory.reset(new T[wanted]);
                size = wanted;
            }
            return memory.get();
        }
    };
    struct Level {
        GrowingArray<std::uint64_t> masks;
        GrowingArray<std::uint32_t> lists;
        std::size_t masks_used = 0, rows_used = 0;
    };

    void start(const PlaneRows& data, const PlaneColumn& column, Level& level);
    void divide_mask(const PlaneRows& data, const PlaneColumn& column, const RowSet& set, Level& level);
    void divide_list(const PlaneColumn& column, const RowSet& set, Level& level);
    void keep(const PlaneRows& data, const std::uint64_t* mask, std::uint32_t count, std::uint32_t group, Level& level,
              bool is_own);
    void finish(const PlaneRows& data, std::size_t most_listed, Level& last);
    std::uint32_t* list_of(const std::uint64_t* mask, std::size_t words, std::uint32_t* out) const;

    Level levels_[2];
    GrowingArray<std::uint32_t> spare_;
    std::vector<RowSet> sets_, next_;
    std::vector<std::uint32_t> places_;
    std::size_t left_out_ = 0;
};

}  // namespace bayou
