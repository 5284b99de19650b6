// Expected counts of incomplete rows in each table of a product (the E-step of EM), one row at a time. A row visits only
// the entries of the cliques that agree with its findings, first up the tree, then down again:
//     up:    message(s) = sum over the entries x of the clique with separator state s of table(x) * children's messages
//     down:  count(x)   = table(x) * children's messages * count(s) / message(s),   count at a top = the row's weight
// so that count(x) = weight * P(x | row). The tree depends on the scopes only; the tables are given at every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "bayou/base/wide_number.hpp"
#include "bayou/data/codes.hpp"
#include "bayou/inference/clique_cursor.hpp"

namespace bayou {

class ExpectedCounts {
  public:
    // A missing variable runs through its first `open_cards[v]` states; the others only occur where they are found.
    // Throws std::length_error where a clique has too many entries to be numbered.
    ExpectedCounts(const std::vector<std::uint32_t>& cards, const std::vector<std::vector<std::uint32_t>>& scopes,
                   const std::vector<std::uint32_t>& open_cards);

    // `tables[k]` has the values over `scopes[k]`, `counts[k]` (zeros at first) takes the expected counts.
    // `columns[k]` are the findings about `variables[k]`, `weights` (null: all 1) the weights of the rows. `logs` takes
    // log P of each row (minus infinity: the row is impossible and not counted; 0 if its weight is 0). The result does
    // not depend on the number of threads. Throws std::bad_alloc if more memory than allowed is needed.
    struct Rows {
        const std::vector<CodeColumn>& columns;
        const std::vector<std::uint32_t>& variables;
        std::size_t count;
        const double* weights;
    };
    void run(const std::vector<const double*>& tables, const Rows& rows, const std::vector<double*>& counts,
             double* logs, int threads, double most_bytes) const;

    // The mean number of entries visited per row; `missing` is the share of rows in which each variable is missing.
    double expected_entries(const std::vector<double>& missing) const;
    // The least number of bytes that a run on this many rows allocates, with one thread; rows with more gaps need more.
    double bytes(std::size_t rows) const;
    std::size_t cliques() const { return cliques_.size(); }

  private:
    // A message has two numbers per state: the message up, and the expected count of the state, which comes down.
    struct CountedClique : CliqueLayout {
        std::vector<std::uint32_t> factors;  // which tables live here
        std::size_t entries = 0;             // of its own table; a clique without factors has none

        explicit CountedClique(CliqueLayout layout) : CliqueLayout(std::move(layout)) {}
    };
    // The position of a row in a clique, and which of the workspace's values belong to the clique.
    struct RowCursor : CliqueCursor {
        std::size_t first_value, values;
    };
    template <class Number>
    struct RowNumbers {
        std::unique_ptr<Number[]> messages;
        std::vector<Number> values;  // the products of the entries walked, clique after clique
    };
    struct RowWorkspace {
        RowNumbers<double> doubles;
        RowNumbers<WideNumber> wide;  // of rows whose products underflow as doubles
        std::size_t most_values = 0;
        std::vector<RowCursor> cursors;
        std::vector<OpenVariable> open;
    };
    // The products of the cliques' tables; the wide ones are made when a row first needs them.
    struct Products {
        const std::vector<const double*>& given;
        std::unique_ptr<double[]> doubles;
        std::unique_ptr<WideNumber[]> wide;
        std::once_flag wide_made;
        bool underflowed = false;
    };

    void add_clique(const CliqueTree& tree, std::size_t at);
    template <class Number>
    void fill_table(const CountedClique& clique, const std::vector<const double*>& tables, Number* table) const;
    const WideNumber* wide_tables(Products& products) const;
    void add_counts(const CountedClique& clique, double* sums, std::size_t blocks,
                    const std::vector<double*>& counts) const;
    std::size_t block_count(std::size_t rows) const;
    void prepare(RowWorkspace& work) const;
    void run_block(Products& products, const Rows& rows, std::size_t first, std::size_t last, RowWorkspace& work,
                   double* sums, double* logs) const;

    // Of one row (expected_counts_row.cpp).
    template <class Number>
    static void reserve_values(std::size_t values, std::size_t most, std::vector<Number>& reserved);
    template <class Number>
    Number collect(const CountedClique& clique, const Number* table, RowCursor& cursor,
                   RowNumbers<Number>& numbers) const;
    template <class Number>
    double collect_scaled(const CountedClique& clique, const Number* table, RowCursor& cursor,
                          RowNumbers<Number>& numbers) const;
    template <class Number>
    double collect_row(const Number* tables, const std::uint32_t* codes, RowWorkspace& work,
                       RowNumbers<Number>& numbers, double* before_underflow = nullptr) const;
    template <class Number>
    void distribute(const CountedClique& clique, RowCursor& cursor, double weight, RowNumbers<Number>& numbers,
                    double* sums) const;
    template <class Number>
    void distribute_row(double weight, RowWorkspace& work, RowNumbers<Number>& numbers, double* sums) const;
    bool is_doubtful(double log, const Products& products, const std::uint32_t* codes, RowWorkspace& work) const;
    double run_row(Products& products, const std::uint32_t* codes, double weight, RowWorkspace& work,
                   double* sums) const;

    std::vector<std::uint32_t> cards_, open_cards_;
    std::vector<std::vector<std::uint32_t>> scopes_;
    std::vector<CountedClique> cliques_;
    std::size_t entries_ = 0, messages_ = 0, open_variables_ = 0;  // of all tables, messages and scopes
};

}  // namespace bayou
