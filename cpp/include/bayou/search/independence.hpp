// Tests of independence, x and y given a set, on columns that are kept for many calls; and the search for sets
// that separate pairs, which is what constraint-based structure learning spends its time on.
#pragma once

#include <cstdint>
#include <vector>

#include "bayou/counting/bit_planes.hpp"
#include "bayou/data/codes.hpp"

namespace bayou {

enum class TestKind { g, pearson };

struct TestOutcome {
    double statistic = 0, p_value = 1;
    std::int64_t degrees = 0, rows = 0;
    std::int64_t telling = 0;  // rows in groups that leave a degree of freedom: the others say nothing
    std::int64_t groups = 0;   // with rows

    // Whether there are this many telling rows a degree of freedom. Without any degree of freedom x or y is
    // determined by the others: that takes as many rows a group, since in a group of one row everything is.
    bool counts(double reliable) const {
        const auto enough = [&](std::int64_t have, std::int64_t each) {
            return static_cast<double>(have) >= reliable * static_cast<double>(each);
        };
        return degrees > 0 ? enough(telling, degrees) : rows > 0 && enough(rows, groups);
    }
};

// The share of a chi-square distribution with this many degrees of freedom above the statistic.
double chi_square_tail(std::int64_t degrees, double statistic);

// A test that has fewer than `reliable` telling rows a degree of freedom, or a table of more than `most_cells` cells,
// does not count: it says neither yes nor no.
struct TestRule {
    TestKind kind = TestKind::g;
    double reliable = 0;
    std::size_t most_cells = 1 << 20;
};

struct Separation {
    TestOutcome best;                 // the test with the largest p-value
    std::vector<std::size_t> given;   // its set
    std::int64_t tests = 0;           // how many counted
    bool any = false;                 // whether one did
};

class IndependenceTester {
  public:
    // The columns' memory must outlive this. Checks every code.
    IndependenceTester(const std::vector<CodeColumn>& columns, int threads);

    struct Scratch;  // the memory of one thread

    // False if the table would have more than `most_cells` cells.
    bool test(std::size_t x, std::size_t y, const std::vector<std::size_t>& given, const TestRule& rule,
              Scratch& scratch, TestOutcome& outcome) const;

    // Of all sets of `size` neighbours of x (less y) or of y (less x) the one with the largest p-value.
    Separation separate(std::size_t x, std::size_t y, const std::vector<std::vector<std::size_t>>& neighbours,
                        std::size_t size, const TestRule& rule, Scratch& scratch) const;

    std::size_t size() const { return columns_.size(); }
    int threads() const { return threads_; }

  private:
    std::size_t count(std::size_t x, std::size_t y, const std::vector<std::size_t>& given, std::size_t cells,
                      Scratch& scratch) const;
    void count_planes(std::size_t x, std::size_t y, const std::vector<std::size_t>& given, Scratch& scratch) const;
    void count_rows(std::size_t x, std::size_t y, const std::vector<std::size_t>& given, Scratch& scratch) const;
    const std::uint64_t* planes(std::size_t column) const { return planes_.data() + starts_[column]; }
    double n_log_n(std::int64_t n) const;
    TestOutcome g(std::size_t rows, std::size_t columns, Scratch& scratch) const;

    std::vector<CodeColumn> columns_;
    std::size_t rows_ = 0, words_ = 0;
    int threads_;
    PlaneBuffer planes_;
    std::vector<std::size_t> starts_;  // of each column's planes; none for wide columns
    std::vector<double> logs_;         // n log n
};

struct IndependenceTester::Scratch {
    std::vector<std::int64_t> tables;   // one after the other for each set of states of `given` that occurs
    std::vector<std::uint64_t> words;
    std::vector<std::uint32_t> indices;
    std::vector<double> margins;
    std::size_t groups = 0;
};

}  // namespace bayou
