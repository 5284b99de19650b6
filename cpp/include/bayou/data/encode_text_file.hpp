// Encoding a regular CSV file straight from its bytes.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "bayou/data/encode.hpp"

namespace bayou {

struct TextFileColumn {
    bool numeric = false;
    TextEncoder texts;            // of a column of text
    CodeBuffer codes;
    std::vector<double> numbers;  // of a column of numbers, NaN for a gap
};

// Reads a decimal number that float64 tells from its neighbours, or a word for a gap (as NaN). False for
// anything else: text, a leading zero, an integer from 2^53 on.
bool read_number(const char* begin, const char* end, double& number);

// Reads files in which every record has the same number of fields, quotes enclose whole fields and
// all lines end alike. Anything else is declined, and a more patient reader must have a look at it.
class TextFileEncoder {
public:
    TextFileEncoder(char separator, std::size_t fields, std::vector<std::size_t> wanted, bool has_header, int threads);

    // Says that a wanted column (by its place among the wanted) is to be read as numbers.
    void expect_numbers(std::size_t index) { columns_[index].numeric = true; }

    // Encodes the whole file; false where it is declined.
    bool read(const std::string& path);

    std::size_t rows() const { return rows_; }
    std::deque<TextFileColumn>& columns() { return columns_; }

private:
    struct Field {
        std::uint32_t begin = 0, end = 0;  // a quoted field without its outer quotes
    };

    bool scan(std::size_t begin, std::size_t end, bool last, std::size_t& consumed);
    bool skip_quoted(std::size_t& start, std::size_t end, bool& complete);
    bool encode_block();
    void encode_column(std::size_t index);
    bool read_numbers(std::size_t index);
    std::uint32_t quoted_code(TextFileColumn& column, const Field& field, std::string& scratch);

    char separator_;
    std::size_t field_count_;
    std::vector<std::size_t> wanted_;
    bool skip_record_;
    int threads_;
    int line_end_ = 0;  // 0 unknown, 1 '\n', 2 '\r\n'
    std::vector<char> buffer_;
    std::vector<Field> fields_;            // of the records of this block, one after the other
    std::size_t first_ = 0, found_ = 0;  // those that count lie between the two (the header does not)
    std::size_t rows_ = 0;
    std::deque<TextFileColumn> columns_;
};

}  // namespace bayou
