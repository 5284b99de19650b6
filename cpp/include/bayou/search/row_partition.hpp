// Data kept for many questions, and the rows divided by the states of some columns: frequent combinations as
// bit masks, rare ones as lists of rows.
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
struct HeldColumn {
    std::uint32_t card = 0;
    bool complete = false;                // no missing cell
    std::vector<std::uint8_t> bytes;      // card <= 255
    std::vector<std::uint32_t> numbers;   // otherwise
    PlaneBuffer planes;
    std::vector<std::uint32_t> margin;    // rows a state

    bool has_planes() const { return card <= most_plane_states; }
    bool is_narrow() const { return card <= 255; }
};

struct HeldRows {
    std::size_t rows = 0, words = 0;  // words of a plane
    std::vector<HeldColumn> columns;

    // Checks every code.
    HeldRows(const std::vector<CodeColumn>& columns, int threads);
};

// Some rows: those of a mask, of a list, or both; neither means that they are never looked at.
struct RowSet {
    std::uint32_t count = 0;
    std::uint32_t group = 0;  // sets that differ in the last column only have the same
    const std::uint64_t* mask = nullptr;
    const std::uint32_t* list = nullptr;
};

class RowPartition {
  public:
    // Divides all rows by the states of these columns (at least one), the last varying fastest within a
    // group. Rows with a missing cell are in no set. Sets of at most `most_listed` rows get a list.
    void divide(const HeldRows& held, const std::vector<std::size_t>& members, std::size_t most_listed);

    // Those with rows; group by group.
    const std::vector<RowSet>& sets() const { return sets_; }
    // The largest set where every row is in some set, else as many as there are sets. It has no rows to look
    // at: its counts are what the others leave.
    std::size_t left_out() const { return left_out_; }

  private:
    // Memory that only grows, not cleared.
    template <typename T>
    struct Room {
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
        Room<std::uint64_t> masks;
        Room<std::uint32_t> lists;
        std::size_t masks_used = 0, rows_used = 0;
    };

    void start(const HeldRows& held, const HeldColumn& column, Level& level);
    void divide_mask(const HeldRows& held, const HeldColumn& column, const RowSet& set, Level& level);
    void divide_list(const HeldColumn& column, const RowSet& set, Level& level);
    void keep(const HeldRows& held, const std::uint64_t* mask, std::uint32_t count, std::uint32_t group, Level& level,
              bool is_own);
    void finish(const HeldRows& held, std::size_t most_listed, Level& last);
    std::uint32_t* list_of(const std::uint64_t* mask, std::size_t words, std::uint32_t* out) const;

    Level levels_[2];
    Room<std::uint32_t> spare_;
    std::vector<RowSet> sets_, next_;
    std::vector<std::uint32_t> places_;
    std::size_t left_out_ = 0;
};

}  // namespace bayou
