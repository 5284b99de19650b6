#include "bayou/data/encode_text_file.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "bayou/base/threads.hpp"

namespace bayou {
namespace {

constexpr std::size_t kBlock = 1 << 20;
constexpr std::uint64_t kSmallestPart = 1 << 21;  // a smaller part of a file is not worth a thread
constexpr std::size_t kLargestRecord = 1 << 26;
constexpr std::size_t kRoom = 8;  // bytes kept before the text, so that short words can be loaded backwards
constexpr std::uint32_t kQuoted = 0x80000000u;

// Whether a number is written as an integer: without a point and without an exponent.
bool is_written_whole(const char* begin, const char* end) {
    return std::none_of(begin, end, [](char byte) { return byte == '.' || byte == 'e' || byte == 'E'; });
}

// A bit for each of 64 bytes: whether it ends a field or may, as separators, line ends and quotes do.
std::uint64_t special_bytes(const char* bytes, char separator) {
    std::uint64_t found = 0;
#if defined(__SSE2__)
    const __m128i separators = _mm_set1_epi8(separator), quotes = _mm_set1_epi8('"');
    const __m128i returns = _mm_set1_epi8('\r'), ends = _mm_set1_epi8('\n');
    for (int at = 0; at < 64; at += 16) {
        const __m128i sixteen = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + at));
        const __m128i fields = _mm_or_si128(_mm_cmpeq_epi8(sixteen, separators), _mm_cmpeq_epi8(sixteen, quotes));
        const __m128i lines = _mm_or_si128(_mm_cmpeq_epi8(sixteen, returns), _mm_cmpeq_epi8(sixteen, ends));
        const auto bits = static_cast<std::uint16_t>(_mm_movemask_epi8(_mm_or_si128(fields, lines)));
        found |= std::uint64_t{bits} << at;
    }
#else
    for (int at = 0; at < 64; ++at) {
        const char byte = bytes[at];
        const bool special = (byte == separator) | (byte == '\n') | (byte == '"') | (byte == '\r');
        found |= std::uint64_t{special} << at;
    }
#endif
    return found;
}

bool go_to(std::FILE* file, std::uint64_t place) {
#ifdef _WIN32
    return _fseeki64(file, static_cast<long long>(place), SEEK_SET) == 0;
#else
    return fseeko(file, static_cast<off_t>(place), SEEK_SET) == 0;
#endif
}

std::uint64_t length_of(std::FILE* file) {
#ifdef _WIN32
    return _fseeki64(file, 0, SEEK_END) == 0 ? static_cast<std::uint64_t>(_ftelli64(file)) : 0;
#else
    return fseeko(file, 0, SEEK_END) == 0 ? static_cast<std::uint64_t>(ftello(file)) : 0;
#endif
}

// Places in the file at which lines start, 0 first, the file's length last: a large file is cut into several parts a
// thread. Empty if the file cannot be read.
std::vector<std::uint64_t> line_starts(const std::string& path, int threads) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
    if (!file) return {};
    const std::uint64_t length = length_of(file.get());
    const std::uint64_t parts = threads < 2 ? 1 : std::min<std::uint64_t>(4 * threads, length / kSmallestPart);
    std::vector<std::uint64_t> starts{0};
    std::vector<char> bytes(1 << 16);
    for (std::uint64_t part = 1; part < parts; ++part) {
        std::uint64_t at = std::max(length / parts * part, starts.back());
        if (!go_to(file.get(), at)) return {};
        while (const std::size_t got = std::fread(bytes.data(), 1, bytes.size(), file.get())) {
            const void* found = std::memchr(bytes.data(), '\n', got);
            at += found == nullptr ? got : static_cast<std::uint64_t>(static_cast<const char*>(found) - bytes.data()) + 1;
            if (found != nullptr) break;
        }
        if (at > starts.back() && at < length) starts.push_back(at);
    }
    starts.push_back(length);
    return starts;
}

}  // namespace

TextFileEncoder::TextFileEncoder(char separator, std::size_t fields, std::vector<std::size_t> wanted,
                                 bool has_header, int threads)
    : separator_(separator), field_count_(fields), wanted_(std::move(wanted)), skip_record_(has_header),
      threads_(threads), columns_(wanted_.size()) {}

bool TextFileEncoder::read(const std::string& path) {
    const std::vector<std::uint64_t> cuts = line_starts(path, usable_threads(threads_));
    if (cuts.empty()) return false;
    std::vector<Part> parts;
    for (std::size_t at = 0; at + 1 < cuts.size(); ++at) parts.push_back({cuts[at], cuts[at + 1], false});
    if (parts.size() > 1 && read_parts(path, parts)) return true;
    // Quotes may enclose line ends, so that a file that has quotes is read from its start to its end.
    return read_part(path, {0, cuts.back(), true}, nullptr);
}

bool TextFileEncoder::read_parts(const std::string& path, const std::vector<Part>& parts) {
    std::vector<TextFileEncoder> readers;
    for (const Part& part : parts) {
        readers.emplace_back(separator_, field_count_, wanted_, skip_record_ && part.begin == 0, 1);
        for (std::size_t index = 0; index < columns_.size(); ++index) {
            if (columns_[index].numeric) readers.back().expect_numbers(index);
        }
    }
    std::atomic<bool> stopped{false};
    parallel_for(parts.size(), threads_, [&](std::size_t at, int) {
        if (stopped || !readers[at].read_part(path, parts[at], &stopped)) stopped = true;
    });
    return !stopped && join(readers);
}

// Appends the columns of all parts to those of this encoder; false where their line endings differ.
bool TextFileEncoder::join(std::vector<TextFileEncoder>& parts) {
    for (const TextFileEncoder& part : parts) {
        if (part.line_end_ != parts.front().line_end_) return false;
    }
    parallel_for(columns_.size(), threads_, [&](std::size_t index, int) { join_column(index, parts); });
    for (const TextFileEncoder& part : parts) rows_ += part.rows_;
    return true;
}

void TextFileEncoder::join_column(std::size_t index, std::vector<TextFileEncoder>& parts) {
    TextFileColumn& column = columns_[index];
    if (column.numeric) {
        std::size_t rows = 0;
        for (const TextFileEncoder& part : parts) rows += part.rows_;
        column.numbers.reserve(rows);
    }
    for (TextFileEncoder& part : parts) {
        TextFileColumn& other = part.columns_[index];
        column.numbers.insert(column.numbers.end(), other.numbers.begin(), other.numbers.end());
        other.numbers = {};
        column.written_whole = column.written_whole && other.written_whole;
        // The labels of the first part come first, then the new ones of the second: as if one had read them all.
        std::vector<std::uint32_t> meaning;
        for (std::size_t code = 0; code < other.texts.size(); ++code) {
            const std::string_view label = other.texts.label(code);
            meaning.push_back(column.texts.code(label.data(), label.size(), false));
        }
        column.codes.append_recoded(other.codes, meaning, column.texts.size());
    }
}

// Reads the records of a part, block by block; false if it is declined, or if another part has `stopped` all.
bool TextFileEncoder::read_part(const std::string& path, const Part& part, const std::atomic<bool>* stopped) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
    if (!file || !go_to(file.get(), part.begin)) return false;
    is_whole_ = part.is_whole;
    std::uint64_t left = part.end - part.begin;
    buffer_.resize(kRoom + kBlock + 64);
    std::size_t begin = kRoom, end = kRoom;
    bool first = part.begin == 0, last = false;
    while (!last) {
        if (stopped != nullptr && *stopped) return false;
        if (buffer_.size() < end + kBlock + 64) {
            if (end - begin > kLargestRecord) return false;
            buffer_.resize(end + kBlock + 64);
        }
        const std::size_t got = std::fread(buffer_.data() + end, 1, std::min<std::uint64_t>(kBlock, left), file.get());
        if (std::ferror(file.get())) return false;
        end += got;
        left -= got;
        last = got < kBlock || left == 0;
        if (first && got >= 3 && std::string_view(buffer_.data() + begin, 3) == "\xEF\xBB\xBF") begin += 3;
        first = false;
        if (last && end > begin && buffer_[end - 1] != '\n') {
            if (line_end_ == 2) buffer_[end++] = '\r';
            buffer_[end++] = '\n';
        }
        std::size_t consumed = begin;
        if (!scan(begin, end, last, consumed)) return false;
        if (!encode_block()) return false;
        // What is left of an unfinished record moves to the front.
        std::copy(buffer_.begin() + consumed, buffer_.begin() + end, buffer_.begin() + kRoom);
        end = kRoom + (end - consumed);
        begin = kRoom;
    }
    return end == begin;
}

// Finds the fields of all whole records between the two positions.
bool TextFileEncoder::scan(std::size_t begin, std::size_t end, bool last, std::size_t& consumed) {
    // A field takes a byte at least, with its separator; what is found is written without a check for room.
    if (fields_.size() < end - begin + 1) fields_.resize(end - begin + 1);
    Field* next = fields_.data();
    Field* record = next;
    const char* bytes = buffer_.data();
    const char separator = separator_;
    std::size_t start = begin, skip_to = begin;
    if (end >= kQuoted) return false;
    const auto close_field = [&](std::size_t at) {
        const bool quoted = at > start && bytes[start] == '"';
        next->begin = static_cast<std::uint32_t>(quoted ? (start + 1) | kQuoted : start);
        next->end = static_cast<std::uint32_t>(quoted ? at - 1 : at);
        ++next;
        start = at + 1;
    };
    for (std::size_t base = begin; base < end; base += 64) {
        // The buffer has 64 spare bytes, so that the last stride may read past the text.
        for (std::uint64_t found = special_bytes(bytes + base, separator); found != 0; found &= found - 1) {
            const std::size_t at = base + std::countr_zero(found);
            if (at < skip_to) continue;
            if (at >= end) break;
            const char byte = bytes[at];
            if (byte == separator) {
                close_field(at);
            } else if (byte == '\n') {
                const bool returned = at > begin && bytes[at - 1] == '\r';
                if (line_end_ == 0) line_end_ = returned ? 2 : 1;
                if (returned != (line_end_ == 2)) return false;
                const std::size_t stop = returned ? at - 1 : at;
                if (next != record || stop != start || field_count_ == 1) {
                    close_field(stop);
                    if (static_cast<std::size_t>(next - record) != field_count_) return false;
                }
                start = consumed = at + 1;
                record = next;
            } else if (byte == '\r') {
                if (at + 1 < end ? bytes[at + 1] != '\n' : last) return false;
            } else {
                if (at != start || !is_whole_) return false;  // a quote within a field, or in a part
                bool complete = true;
                if (!skip_quoted(skip_to = at, end, complete)) return false;
                if (complete) continue;
                if (last) return false;  // never closed
                base = end;
                break;
            }
        }
    }
    found_ = static_cast<std::size_t>(record - fields_.data());
    return true;
}

// Moves from an opening quote to behind its closing one; not `complete` where the block ends before that.
bool TextFileEncoder::skip_quoted(std::size_t& start, std::size_t end, bool& complete) {
    std::size_t at = start + 1;
    while (true) {
        const auto* close = static_cast<const char*>(std::memchr(buffer_.data() + at, '"', end - at));
        if (close == nullptr || close + 1 == buffer_.data() + end) {
            complete = false;
            return true;
        }
        at = static_cast<std::size_t>(close - buffer_.data()) + 1;
        if (buffer_[at] != '"') break;
        ++at;
    }
    start = at;
    const char next = buffer_[at];
    return next == separator_ || next == '\n' || next == '\r';
}

bool TextFileEncoder::encode_block() {
    first_ = skip_record_ && found_ > 0 ? field_count_ : 0;
    if (found_ > 0) skip_record_ = false;
    if (found_ == first_) return true;
    std::atomic<bool> regular{true};
    parallel_for(columns_.size(), threads_, [&](std::size_t index, int) {
        if (!columns_[index].numeric) {
            encode_column(index);
        } else if (!read_numbers(index)) {
            regular = false;
        }
    });
    rows_ += (found_ - first_) / field_count_;
    return regular;
}

bool TextFileEncoder::read_numbers(std::size_t index) {
    TextFileColumn& column = columns_[index];
    for (std::size_t at = first_ + wanted_[index]; at < found_; at += field_count_) {
        const Field& field = fields_[at];
        double number = std::numeric_limits<double>::quiet_NaN();
        const char* begin = buffer_.data() + (field.begin & ~kQuoted);
        const char* end = buffer_.data() + field.end;
        if (begin != end && !read_number(begin, end, number)) return false;
        if (column.written_whole && !std::isnan(number)) column.written_whole = is_written_whole(begin, end);
        column.numbers.push_back(number);
    }
    return true;
}

void TextFileEncoder::encode_column(std::size_t index) {
    TextFileColumn& column = columns_[index];
    const Field* field = fields_.data() + first_ + wanted_[index];
    const std::size_t count = (found_ - first_) / field_count_;
    std::array<std::uint32_t, kCodeBlock> block;
    std::string scratch;
    for (std::size_t done = 0; done < count;) {
        const std::size_t size = std::min(kCodeBlock, count - done);
        for (std::size_t row = 0; row < size; ++row, field += field_count_) {
            if (field->begin & kQuoted) {
                block[row] = quoted_code(column, *field, scratch);
            } else if (field->begin == field->end) {
                block[row] = kMissingCode;
            } else {
                block[row] = column.texts.code(buffer_.data() + field->begin, field->end - field->begin, true);
            }
        }
        column.codes.append(block.data(), size, column.texts.size());
        done += size;
    }
}

std::uint32_t TextFileEncoder::quoted_code(TextFileColumn& column, const Field& field, std::string& scratch) {
    scratch.clear();
    for (std::size_t at = field.begin & ~kQuoted; at < field.end; ++at) {
        scratch.push_back(buffer_[at]);
        if (buffer_[at] == '"') ++at;  // doubled
    }
    return scratch.empty() ? kMissingCode : column.texts.code(scratch.data(), scratch.size(), false);
}

}  // namespace bayou
