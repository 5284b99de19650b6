// Reading the inside of one probability block into a table.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "bayou/bif/bif_scanner.hpp"

namespace bayou::bif {

class TableReader {
   public:
    using Index = std::unordered_map<std::string_view, std::size_t>;

    // `codes` finds the states of each variable; `cells` counts the numbers of all tables so far.
    TableReader(Scanner& scan, std::vector<Variable>& variables, const std::vector<Index>& codes,
                std::size_t child, std::size_t start, std::size_t& cells)
        : scan_(scan), variables_(variables), codes_(codes), child_(variables[child]), start_(start), cells_(cells) {}

    void run();

   private:
    void size_table();
    void read_rows();
    void read_row();
    void read_table();
    void check_order(std::size_t where) const;
    void read_default();
    void fill_missing_rows();
    std::size_t read_row_number();
    // Reads numbers up to the ';' and checks that there are `count`.
    void read_values(std::size_t count, std::size_t start, const std::string& what);
    void take_row(std::size_t row, const double* values, std::size_t stride, std::size_t where);
    std::string row_name(std::size_t row) const;
    std::string row_title(std::size_t row) const;
    std::string family_name() const;
    [[noreturn]] void fail_unknown_state(const Named& state, const Variable& parent) const;

    Scanner& scan_;
    std::vector<Variable>& variables_;
    const std::vector<Index>& codes_;
    Variable& child_;
    std::size_t start_;
    std::size_t& cells_;
    std::size_t rows_ = 1;
    std::size_t cardinality_ = 0;
    std::vector<unsigned char> given_;
    std::vector<double> values_;
    std::vector<double> default_;
    std::size_t default_where_ = 0;
};

}  // namespace bayou::bif
