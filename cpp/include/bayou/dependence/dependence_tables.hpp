// Tables P(x | up to two parents, class) of many columns at once: counting, backing off, leaving rows out, scoring.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bayou {

// Which columns are the parents of each column, and where its tables are.
//
// The table of a column with parents p1 and p2 has the axes (p2, p1, x, class), those without parents fewer; the
// tables of all columns lie one after the other. A column without parents has parents[...] == -1.
struct DependenceLayout {
    DependenceLayout(const std::uint32_t* cards, const std::int32_t* parents, std::size_t columns, std::size_t classes);

    std::size_t columns() const { return cards.size(); }
    std::size_t cells() const { return starts.back(); }
    // The number of parents of a column: 0, 1 or 2.
    int depth(std::size_t column) const { return second[column] >= 0 ? 2 : first[column] >= 0 ? 1 : 0; }
    std::size_t first_card(std::size_t column) const { return first[column] < 0 ? 1 : cards[first[column]]; }
    std::size_t second_card(std::size_t column) const { return second[column] < 0 ? 1 : cards[second[column]]; }
    // The cells of the table with this many parents.
    std::size_t level_cells(std::size_t column, int level) const;
    // Where the logarithms of all levels of each column start; the last entry is their number.
    std::vector<std::size_t> log_starts() const;

    std::size_t classes;
    std::vector<std::uint32_t> cards;
    std::vector<std::int32_t> first, second;
    std::vector<std::size_t> starts;
};

// Rows as codes, [column, row]. A code of at least the column's card means: unknown.
struct CodedRows {
    const std::uint8_t* codes;
    std::size_t rows;

    std::uint8_t at(std::size_t column, std::size_t row) const { return codes[column * rows + row]; }
};

// The counts of one column with 0, 1 and 2 parents, and their sums over the column's own states.
struct LevelCounts {
    LevelCounts(const double* top, const DependenceLayout& layout, std::size_t column);

    std::size_t card, classes;
    int depth;
    std::vector<double> cells[3];   // [parents, x, class]
    std::vector<double> totals[3];  // [parents, class]
    std::vector<double> states;     // of each state, in all classes
    double all = 0;
};

// Adds rows to counts (laid out by `layout`); weights may be null. Rows with an unknown code are not allowed.
void count_dependences(const DependenceLayout& layout, const CodedRows& rows, const std::uint32_t* own,
                       const double* weights, double* counts, int threads);

// The strengths [column, 3] with the largest likelihood of each row given the others, from a grid of candidates.
void backoff_strengths(const DependenceLayout& layout, const double* counts, const std::vector<double>& grid,
                       double* strengths, int threads);

// log P(x | parents, class) of all levels of all columns, laid out by log_starts().
void backoff_logs(const DependenceLayout& layout, const double* counts, const double* strengths, double* logs,
                  int threads);

// log P(x | parents, class) [row, class, column] of counted rows, each without `part` of its own weight.
void left_out_dependences(const DependenceLayout& layout, const double* counts, const double* strengths,
                          const CodedRows& rows, const std::uint32_t* own, const double* part, double* terms,
                          int threads);

// log P(x | parents, class) [row, class, column] of new rows; 0 for a column whose own value is unknown.
void dependence_terms(const DependenceLayout& layout, const double* logs, const CodedRows& rows, double* terms,
                      int threads);

// The sums over the columns of weights[column] * log P(x | parents, class), [row, class].
void dependence_scores(const DependenceLayout& layout, const double* logs, const CodedRows& rows,
                       const double* weights, double* scores, int threads);

// I(x; z | class) of all pairs of columns and, on the diagonal, I(x; class), each less its chance level.
void class_informations(const std::uint32_t* cards, std::size_t columns, std::size_t classes, const CodedRows& rows,
                        const std::uint32_t* own, const double* weights, double* information, int threads);

}  // namespace bayou
