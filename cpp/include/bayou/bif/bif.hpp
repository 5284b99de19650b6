// The BIF file format: text to variables and tables, and tables to text.
#pragma once

#include <cstddef>
#include <deque>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace bayou::bif {

// The sum of a row may differ from 1 by this much (rounded for printing); the row is then divided by it.
inline constexpr double kRowTolerance = 1e-3;
// A row whose sum is closer to 1 than this (or than its own float rounding) is kept bit for bit.
inline constexpr double kExactRow = 1e-12;
// All tables of a file together hold at most this many numbers more than the file has bytes, so
// neither a stated count nor a `default` row can ask for memory that the file does not account for.
inline constexpr std::size_t kUnwrittenCells = std::size_t{1} << 24;

enum class Fault { syntax, unknown_variable, unknown_state };

// What is wrong and where: line and column count from 1, columns in characters.
struct Error : std::exception {
    Fault fault = Fault::syntax;
    std::string problem;
    std::size_t line = 0;
    std::size_t column = 0;
    // For an unknown name: the name, the variable whose state it should be, and the known names.
    std::string wanted;
    std::string variable;
    std::vector<std::string> known;

    const char* what() const noexcept override { return problem.c_str(); }
};

struct Variable {
    std::string_view name;
    std::vector<std::string_view> states;
    std::vector<std::string_view> properties;
    std::vector<std::size_t> parents;
    std::vector<double> table;  // parents' axes in order, then the child's; C order
};

// Every view points into the text that was parsed or into `unescaped`.
struct Network {
    std::string_view name;
    std::vector<std::string_view> properties;
    std::vector<Variable> variables;
    std::deque<std::string> unescaped;
};

Network parse(std::string_view text);

// The body of a probability block, the first parent varying fastest (as bnlearn writes it), each
// number the shortest that reads back to the same double. Names come quoted where they need it.
std::string rows_text(const double* table, std::size_t cardinality,
                      const std::vector<std::vector<std::string>>& parent_states);

}  // namespace bayou::bif
