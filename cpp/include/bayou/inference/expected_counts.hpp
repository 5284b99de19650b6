// What incomplete rows are expected to count in each table of a product (the E-step of EM), one row at a time: a row
// walks only those entries of the cliques that agree with its findings, first up the tree, then down again. The tree
// depends on the scopes only; the tables are given anew at every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "bayou/data/codes.hpp"
#include "bayou/inference/clique_cursor.hpp"

namespace bayou {

class ExpectedCounts {
  public:
    // Throws std::length_error where a clique has too many entries to be numbered.
    ExpectedCounts(const std::vector<std::uint32_t>& cards, const std::vector<std::vector<std::uint32_t>>& scopes);

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
    // A message has two numbers for each state: what goes up, and the expected count of the state that comes down.
    struct Part : CliqueLayout {
        std::vector<std::uint32_t> factors;  // which tables live here
        std::size_t entries = 0;             // of its own table; a clique without factors has none

        explicit Part(CliqueLayout layout) : CliqueLayout(std::move(layout)) {}
    };
    // Where a row stands in a clique, and which of the desk's values are its own.
    struct Stand : CliqueCursor {
        std::size_t first_value, values;
    };
    struct Desk {
        std::unique_ptr<double[]> messages;
        std::vector<double> values;  // the products of the entries walked, clique after clique
        std::size_t most_values = 0;
        std::vector<Stand> stands;
        std::vector<OpenVariable> open;
    };

    void make_part(const CliqueTree& tree, std::size_t at);
    void fill(const Part& part, const std::vector<const double*>& tables, double* table) const;
    void collect(const Part& part, double* sums, std::size_t blocks, const std::vector<double*>& counts) const;
    std::size_t blocks_of(std::size_t rows) const;
    void open_desk(Desk& desk) const;
    void run_block(const double* tables, const Rows& rows, std::size_t first, std::size_t last, Desk& desk,
                   double* sums, double* logs) const;

    // Of one row (expected_counts_row.cpp).
    static void make_room(std::size_t values, Desk& desk);
    double go_up(const Part& part, const double* table, Stand& stand, Desk& desk) const;
    double go_up_scaled(const Part& part, const double* table, Stand& stand, Desk& desk) const;
    void go_down(const Part& part, Stand& stand, double weight, Desk& desk, double* sums) const;
    double run_row(const double* tables, const std::uint32_t* codes, double weight, Desk& desk, double* sums) const;

    std::vector<std::uint32_t> cards_;
    std::vector<std::vector<std::uint32_t>> scopes_;
    std::vector<Part> cliques_;
    std::size_t entries_ = 0, messages_ = 0, opened_ = 0;  // of all tables, messages and scopes
};

}  // namespace bayou
