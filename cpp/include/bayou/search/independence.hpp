// Tests of independence, x and y given a set, on columns that are kept for many calls; and the search for sets
// that separate pairs, where constraint-based structure learning spends most of its time.
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
    std::int64_t telling = 0;  // rows in groups with a degree of freedom: other rows do not contribute
    std::int64_t groups = 0;   // the number of groups with rows

    // Whether there are at least this many telling rows per degree of freedom. Without any degree of freedom x or y is
    // constant in every group; then this many rows per group are needed, since in a group of one row everything is
    // constant.
    bool counts(double reliable) const {
        const auto enough = [&](std::int64_t have, std::int64_t each) {
            return static_cast<double>(have) >= reliable * static_cast<double>(each);
        };
        return degrees > 0 ? enough(telling, degrees) : rows > 0 && enough(rows, groups);
    }
};

// The probability that a chi-square variable with this many degrees of freedom exceeds the statistic.
double chi_square_tail(std::int64_t degrees, double statistic);

// A test with fewer than `reliable` telling rows per degree of freedom, or a table of more than `most_cells` cells,
// does not count: it is neither evidence for nor against independence.
struct TestRule {
    TestKind kind = TestKind::g;
    double reliable = 0;
    std::size_t most_cells = 1 << 20;
};

struct Separation {
    TestOutcome best;                 // the test with the largest p-value
    std::vector<std::size_t> given;   // its set
    std::int64_t tests = 0;           // the number of tests that counted
    bool any = false;                 // whether any test counted
};

class IndependenceTester {
  public:
    // The columns' memory must outlive this. Checks every code.
    IndependenceTester(const std::vector<CodeColumn>& columns, int threads);

    struct Scratch;  // the memory of one thread

    // False if the table would have more than `most_cells` cells.
    bool test(std::size_t x, std::size_t y, const std::vector<std::size_t>& given, const TestRule& rule,
              Scratch& scratch, TestOutcome& outcome) const;

    // Of all sets of `size` neighbours of x (without y) or of y (without x) the one with the largest p-value.
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
    std::vector<std::int64_t> tables;   // one after the other, for each combination of states of `given` that occurs
    std::vector<std::uint64_t> words;
    std::vector<std::uint32_t> indices;
    std::vector<double> margins;
    std::size_t groups = 0;
};

}  // namespace bayou
