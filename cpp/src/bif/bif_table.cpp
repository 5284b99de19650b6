#include "bif_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace bayou::bif {

namespace {

std::string shown(double value) {
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, 10).ptr;
    return std::string(buffer, end);
}

// A row with a sum this close to 1 was normalised before: dividing again would only change its last bits.
bool is_exact(double sum, std::size_t cardinality) {
    const double rounding = 2.0 * static_cast<double>(cardinality) * std::numeric_limits<double>::epsilon();
    return std::abs(sum - 1) <= std::max(kExactRow, rounding);
}

bool is_rounded_one(double sum) { return std::abs(sum - 1) <= kRowTolerance * (1 + 1e-9); }

double sum_of(const double* values, std::size_t count, std::size_t stride) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += values[i * stride];
    return sum;
}

}  // namespace

void TableReader::run() {
    scan_.expect('{', "before the probabilities");
    size_table();
    read_rows();
    fill_missing_rows();
}

void TableReader::size_table() {
    cardinality_ = child_.states.size();
    const std::size_t limit = scan_.size() + kUnwrittenCells - cells_;
    std::size_t cells = cardinality_;
    bool fits = cells <= limit;
    for (const std::size_t parent : child_.parents) {
        const std::size_t states = variables_[parent].states.size();
        fits = fits && cells <= limit / states;
        cells = fits ? cells * states : cells;
    }
    if (!fits) {
        scan_.fail(start_, family_name() + " needs more numbers than the file can hold (" + std::to_string(limit) +
                               " are left to the tables of a file of this size)");
    }
    cells_ += cells;
    rows_ = cells / cardinality_;
    child_.table.resize(cells);
    given_.assign(rows_, 0);
}

void TableReader::read_rows() {
    while (!scan_.accept('}')) {
        if (scan_.peek() == '(') {
            read_row();
            continue;
        }
        const Named keyword = scan_.name("'(', 'table', 'default', 'property' or '}'");
        if (keyword.text == "table") {
            read_table();
        } else if (keyword.text == "default") {
            read_default();
        } else if (keyword.text == "property") {
            child_.properties.push_back(scan_.property_text());
        } else {
            scan_.jump(keyword.where);
            scan_.fail_expected("'(', 'table', 'default', 'property' or '}'");
        }
    }
}

void TableReader::read_row() {
    const std::size_t where = scan_.where();
    const std::size_t row = read_row_number();
    if (given_[row]) scan_.fail(where, row_title(row) + " is given twice");
    const std::size_t found = scan_.where();
    double* const cells = child_.table.data() + row * cardinality_;
    std::size_t count = 0;
    // The common case: the right number of numbers, straight into the table.
    for (; count < cardinality_ && scan_.peek() != ';'; ++count) {
        cells[count] = scan_.number();
        scan_.accept(',');
    }
    if (count < cardinality_ || scan_.peek() != ';') {
        scan_.jump(found);
        read_values(cardinality_, where, row_title(row));
    }
    scan_.expect(';', "after the row");
    take_row(row, cells, 1, where);
}

std::size_t TableReader::read_row_number() {
    const std::size_t where = scan_.where();
    scan_.accept('(');
    std::size_t row = 0;
    std::size_t count = 0;
    while (!scan_.accept(')')) {
        const Named state = scan_.name("a state's name or ')'");
        if (count == child_.parents.size()) {
            scan_.fail(state.where, family_name() + " has " + std::to_string(count) +
                                        " parents, but this row names more states (names with blanks or commas "
                                        "need double quotes)");
        }
        const std::size_t parent = child_.parents[count++];
        const auto found = codes_[parent].find(state.text);
        if (found == codes_[parent].end()) fail_unknown_state(state, variables_[parent]);
        row = row * variables_[parent].states.size() + found->second;
        if (!scan_.accept(',')) scan_.accept('|');
    }
    if (count != child_.parents.size()) {
        scan_.fail(where, family_name() + ": this row names " + std::to_string(count) +
                              " states; expected one for each of " +
                              std::to_string(child_.parents.size()) + " parents");
    }
    return row;
}

void TableReader::fail_unknown_state(const Named& state, const Variable& parent) const {
    Error error = scan_.error_at(state.where, quoted(state.text) + " is not a state of " + quoted(parent.name));
    error.fault = Fault::unknown_state;
    error.wanted = state.text;
    error.variable = parent.name;
    for (const std::string_view known : parent.states) error.known.emplace_back(known);
    throw error;
}

void TableReader::read_values(std::size_t count, std::size_t start, const std::string& what) {
    values_.clear();
    std::size_t found = 0;
    while (scan_.peek() != ';') {
        if (scan_.peek() == Scanner::kEnd || scan_.peek() == '}' || scan_.peek() == '(') {
            scan_.fail_expected("a number or ';' in " + what);
        }
        const double value = scan_.number();
        if (found++ < count) values_.push_back(value);
        scan_.accept(',');
    }
    if (found != count) {
        scan_.fail(start, what + " has " + std::to_string(found) + " numbers; expected " + std::to_string(count));
    }
    scan_.accept(';');
}

// In the numbers of a 'table' the child's states change slowest and those of the last parent fastest.
void TableReader::read_table() {
    const std::size_t where = scan_.where();
    read_values(rows_ * cardinality_, where, "the table of " + family_name());
    check_order(where);
    for (std::size_t row = 0; row < rows_; ++row) {
        if (given_[row]) scan_.fail(where, row_title(row) + " is given twice");
        take_row(row, values_.data() + row, rows_, where);
    }
}

// Numbers whose rows sum to 1 only with the child fastest come from a program that writes them in that order.
void TableReader::check_order(std::size_t where) const {
    bool as_stated = true;
    bool child_fastest = true;
    for (std::size_t row = 0; row < rows_; ++row) {
        as_stated = as_stated && is_rounded_one(sum_of(values_.data() + row, cardinality_, rows_));
        child_fastest = child_fastest && is_rounded_one(sum_of(values_.data() + row * cardinality_, cardinality_, 1));
    }
    if (as_stated || !child_fastest) return;
    scan_.fail(where, "the table of " + family_name() + " is ordered with " + quoted(child_.name) +
                          " fastest; BIF has it slowest (or write rows: '(parent states) numbers;')");
}

void TableReader::read_default() {
    if (!default_.empty()) scan_.fail(scan_.where(), family_name() + " has a second 'default'");
    default_where_ = scan_.where();
    read_values(cardinality_, default_where_, "the default row of " + family_name());
    default_ = values_;
}

void TableReader::fill_missing_rows() {
    const auto missing = static_cast<std::size_t>(std::count(given_.begin(), given_.end(), 0));
    if (missing == 0) return;
    if (default_.empty()) {
        const auto first = static_cast<std::size_t>(std::find(given_.begin(), given_.end(), 0) - given_.begin());
        const std::string others = missing == 1 ? "" : " and " + std::to_string(missing - 1) + " more";
        const std::string row = child_.parents.empty() ? "its row" : "the row " + row_name(first);
        scan_.fail(start_, family_name() + " lacks " + row + others + "; expected every row, a 'table' or a 'default'");
    }
    for (std::size_t row = 0; row < rows_; ++row) {
        if (!given_[row]) take_row(row, default_.data(), 1, default_where_);
    }
}

// Stores a row, divided by its sum; refuses it if the sum differs from 1 by more than rounding.
void TableReader::take_row(std::size_t row, const double* values, std::size_t stride, std::size_t where) {
    const double sum = sum_of(values, cardinality_, stride);
    if (!is_rounded_one(sum)) {
        scan_.fail(where, row_title(row) + " sums to " + shown(sum) +
                              "; expected 1 (up to rounding of " + shown(kRowTolerance) + ")");
    }
    const double divisor = is_exact(sum, cardinality_) ? 1.0 : sum;
    double* const cells = child_.table.data() + row * cardinality_;
    for (std::size_t i = 0; i < cardinality_; ++i) cells[i] = values[i * stride] / divisor;
    given_[row] = 1;
}

std::string TableReader::row_name(std::size_t row) const {
    std::string name;
    for (std::size_t i = child_.parents.size(); i-- > 0;) {
        const Variable& parent = variables_[child_.parents[i]];
        const std::size_t states = parent.states.size();
        const std::string finding = std::string(parent.name) + "=" + std::string(parent.states[row % states]);
        name = name.empty() ? finding : finding + ", " + name;
        row /= states;
    }
    return "(" + name + ")";
}

std::string TableReader::row_title(std::size_t row) const {
    return child_.parents.empty() ? "the row of " + family_name() : "the row " + row_name(row) + " of " + family_name();
}

std::string TableReader::family_name() const {
    std::string name = "P(" + std::string(child_.name);
    for (std::size_t i = 0; i < child_.parents.size(); ++i) {
        name += (i == 0 ? " | " : ", ") + std::string(variables_[child_.parents[i]].name);
    }
    return name + ")";
}

}  // namespace bayou::bif
