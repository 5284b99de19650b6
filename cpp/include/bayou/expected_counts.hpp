// What incomplete rows are expected to count in each table of a product (the E-step of EM), one row at a time: a row
// walks only those entries of the cliques that agree with its findings, first up the tree, then down again. The tree
// depends on the scopes only; the tables are given anew at every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "bayou/clique_tree.hpp"
#include "bayou/codes.hpp"

namespace bayou {

class ExpectedCounts {
  public:
    // Throws std::length_error where a clique has too many entries to be numbered.
    ExpectedCounts(const std::vector<std::uint32_t>& cards, const std::vector<std::vector<std::uint32_t>>& scopes);
    ExpectedCounts(const ExpectedCounts&) = delete;  // cliques point into places_
    ExpectedCounts& operator=(const ExpectedCounts&) = delete;

    // `tables[k]` has the values over `scopes[k]`, `counts[k]` (zeros at first) takes the expected counts.
    // `columns[k]` are the findings about `variables[k]`, `weights` (null: all 1) says how often each row counts.
    // `logs` takes log P of each row (minus infinity: impossible, it counts nowhere; 0 where the weight is 0).
    // The result does not depend on the number of threads. Throws std::bad_alloc rather than take more memory.
    struct Rows {
        const std::vector<CodeColumn>& columns;
        const std::vector<std::uint32_t>& variables;
        std::size_t count;
        const double* weights;
    };
    void run(const std::vector<const double*>& tables, const Rows& rows, const std::vector<double*>& counts,
             double* logs, int threads, double most_bytes) const;

    // How many entries a row walks on average, where each variable is missing in such a share of the rows.
    double expected_entries(const std::vector<double>& missing) const;
    // What a run on so many rows allocates at least, on one thread; more where rows leave more open.
    double bytes(std::size_t rows) const;
    std::size_t cliques() const { return cliques_.size(); }

  private:
    static constexpr std::size_t width = most_children + 2;  // the clique's table, the children's messages, its own
    struct Places {
        std::int32_t at[width];
    };
    struct Part {
        std::vector<std::uint32_t> scope;  // what is passed on first, then what is summed out
        std::size_t kept = 0;              // how many are passed on
        std::size_t table = 0, entries = 1;  // a clique without factors has no table
        std::vector<std::uint32_t> inputs;   // the children
        std::vector<std::uint32_t> factors;  // which tables live here
        std::size_t message = 0, size = 1;   // where its message starts, of so many numbers
        std::vector<const Places*> places;   // for each variable: how far its states move each place
        bool is_top = false;
    };
    // A message has two numbers a state: what goes up, and the expected count of the state that comes down.
    struct Open {
        const Places* step;
        std::uint32_t size, left;
    };
    // Where a row stands in a clique: its place in each table, and the variables that it leaves open.
    struct Stand {
        Places here;
        Open* open;
        std::uint32_t count, kept;
        std::size_t first, entries;  // which of the desk's values are its own

        void move(const Places& by);
        void move_back(const Places& by);
        bool advance(std::size_t first, std::size_t last);
    };
    struct Desk {
        std::unique_ptr<double[]> messages;
        std::vector<double> values;  // the products of the entries walked, clique after clique
        std::size_t most_values = 0;
        std::vector<Stand> stands;
        std::vector<Open> open;
    };

    void make_part(const CliqueTree& tree, std::size_t at);
    void fill(const Part& part, const std::vector<const double*>& tables, double* table) const;
    void collect(const Part& part, double* sums, std::size_t blocks, const std::vector<double*>& counts) const;
    std::size_t blocks_of(std::size_t rows) const;
    void open_desk(Desk& desk) const;
    void run_block(const double* tables, const Rows& rows, std::size_t first, std::size_t last, Desk& desk,
                   double* sums, double* logs) const;

    // Of one row (expected_counts_row.cpp).
    void find_stand(const Part& part, const std::uint32_t* codes, Stand& stand) const;
    static void make_room(std::size_t values, Desk& desk);
    double go_up(const Part& part, const double* table, Stand& stand, Desk& desk) const;
    double go_up_scaled(const Part& part, const double* table, Stand& stand, Desk& desk) const;
    void go_down(const Part& part, Stand& stand, double weight, Desk& desk, double* sums) const;
    double run_row(const double* tables, const std::uint32_t* codes, double weight, Desk& desk, double* sums) const;

    std::vector<std::uint32_t> cards_;
    std::vector<std::vector<std::uint32_t>> scopes_;
    std::vector<Part> cliques_;
    std::vector<std::vector<Places>> places_;  // a list a variable of a clique
    std::size_t entries_ = 0, messages_ = 0, opened_ = 0;  // of all tables, messages and scopes
};

}  // namespace bayou
