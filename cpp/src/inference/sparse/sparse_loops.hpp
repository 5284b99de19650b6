// The loops over the runs of a clique.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace bayou {

constexpr std::size_t most_run_tables = 64;

// `words` of each run: its length, its start in the message to the parent, its starts in the other tables.
struct Runs {
    const std::uint32_t* words;
    std::size_t run_words, count;
};

template <class Number>
struct RunTable {
    Number* values;
    std::uint32_t word;
};

// Tables of which a run has one cell (fixed), and tables of which it has a cell for each combination (moving).
template <class Number>
struct RunTables {
    std::array<RunTable<Number>, most_run_tables> fixed, moving;
    std::size_t fixed_count = 0, moving_count = 0;

    void add(RunTable<Number> table, bool moves) {
        std::size_t& count = moves ? moving_count : fixed_count;
        if (count == most_run_tables) throw std::logic_error("a clique of this tree has too many tables");
        (moves ? moving : fixed)[count++] = table;
    }
};
using RunProduct = RunTables<const double>;
using RunSums = RunTables<double>;

// Adds each product to its cell of `message`.
void sum_runs(const Runs& runs, const RunProduct& product, double* message, bool message_moves);

// Adds each product to its cell of every table of `sums`.
void spread_runs(const Runs& runs, const RunProduct& product, const RunSums& sums);

}  // namespace bayou
