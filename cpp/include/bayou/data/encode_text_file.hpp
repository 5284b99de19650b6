// Encoding a regular CSV file straight from its bytes.
#pragma once

#include <atomic>
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
    bool written_whole = true;    // whether each number is written without a point and without an exponent
};

// Reads a decimal number that float64 represents, infinity, or a word for a missing value (as NaN). Returns false for
// anything else: text, a number with a leading zero, an integer of 2^53 or more.
bool read_number(const char* begin, const char* end, double& number);

// Reads files in which every record has the same number of fields, quotes enclose whole fields and all
// lines have the same line ending. Other files are declined; the caller must read them with another reader.
class TextFileEncoder {
public:
    TextFileEncoder(char separator, std::size_t fields, std::vector<std::size_t> wanted, bool has_header, int threads);

    // Reads a column as numbers; `index` is its position among the columns to be read.
    void expect_numbers(std::size_t index) { columns_[index].numeric = true; }

    // Encodes the whole file; returns false if the file is declined. A large file without quotes is cut at line ends
    // into parts, which threads read side by side.
    bool read(const std::string& path);

    std::size_t rows() const { return rows_; }
    std::deque<TextFileColumn>& columns() { return columns_; }

private:
    struct Field {
        std::uint32_t begin = 0, end = 0;  // a quoted field without its outer quotes
    };

    // A part of a file; the columns of all parts are joined afterwards.
    struct Part {
        std::uint64_t begin = 0, end = 0;  // in bytes
        bool is_whole = true;
    };

    bool read_part(const std::string& path, const Part& part, const std::atomic<bool>* stopped);
    bool read_parts(const std::string& path, const std::vector<Part>& parts);
    bool join(std::vector<TextFileEncoder>& parts);
    void join_column(std::size_t index, std::vector<TextFileEncoder>& parts);
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
    bool is_whole_ = true;  // not a part of a file: then a quote may enclose line ends
    int threads_;
    int line_end_ = 0;  // 0 unknown, 1 '\n', 2 '\r\n'
    std::vector<char> buffer_;
    std::vector<Field> fields_;            // of the records of this block, one after the other
    std::size_t first_ = 0, found_ = 0;  // those that count lie between the two (the header does not)
    std::size_t rows_ = 0;
    std::deque<TextFileColumn> columns_;
};

}  // namespace bayou
