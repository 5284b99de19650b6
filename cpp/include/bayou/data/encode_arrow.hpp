// Reading columns through the Arrow C data and stream interfaces.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bayou/data/encode.hpp"
#include "bayou/data/few_integers.hpp"

// The binary interface, as the Arrow project publishes it (names and layout are part of the contract).
extern "C" {
struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    std::int64_t flags;
    std::int64_t n_children;
    ArrowSchema** children;
    ArrowSchema* dictionary;
    void (*release)(ArrowSchema*);
    void* private_data;
};
struct ArrowArray {
    std::int64_t length;
    std::int64_t null_count;
    std::int64_t offset;
    std::int64_t n_buffers;
    std::int64_t n_children;
    const void** buffers;
    ArrowArray** children;
    ArrowArray* dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};
struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
    int (*get_next)(ArrowArrayStream*, ArrowArray*);
    const char* (*get_last_error)(ArrowArrayStream*);
    void (*release)(ArrowArrayStream*);
    void* private_data;
};
}

namespace bayou {

// Owns one structure of the interface and releases it exactly once.
template <typename Struct>
class ArrowOwner {
public:
    ArrowOwner() { value_.release = nullptr; }
    explicit ArrowOwner(Struct* other) : value_(*other) { other->release = nullptr; }
    ArrowOwner(ArrowOwner&& other) noexcept : value_(other.value_) { other.value_.release = nullptr; }
    ArrowOwner& operator=(ArrowOwner&& other) noexcept {
        if (this != &other) {
            reset();
            value_ = other.value_;
            other.value_.release = nullptr;
        }
        return *this;
    }
    ~ArrowOwner() { reset(); }

    void reset() {
        if (value_.release != nullptr) value_.release(&value_);
        value_.release = nullptr;
    }
    bool empty() const { return value_.release == nullptr; }
    Struct* get() { return &value_; }
    const Struct& operator*() const { return value_; }
    const Struct* operator->() const { return &value_; }

private:
    Struct value_{};
};

// The kind of values in a column; it decides in what form its labels are returned.
enum class ValueKind { null, truth, whole, natural, real, text, bytes, time };

struct ColumnType {
    ValueKind kind;
    char letter = 0;   // the storage: c C s S i I l L e f g, u U v (text), d (decimal), b, n
    int scale = 0;     // of a decimal
    int bits = 128;    // of a decimal
    std::string format;
};

// Throws std::invalid_argument for types that bayou does not read (lists, structs, …).
ColumnType column_type(const char* format);

// Collects one column chunk by chunk: whole numbers of a small range in a byte or two, other numbers as doubles,
// everything else as codes.
class ArrowColumn {
public:
    ArrowColumn(const ArrowSchema& schema, bool empty_is_missing);

    // Appends `count` rows of the array from row `start` (the array's own offset comes on top).
    void append(const ArrowArray& array, std::int64_t start, std::int64_t count);

    bool is_numeric() const { return numeric_; }
    bool is_few() const { return few_; }  // whole numbers of a small range: in `integers`, not in `numbers`
    bool is_integral() const { return integral_; }
    bool is_declared() const { return declared_; }
    bool is_ordered() const { return ordered_; }
    const ColumnType& type() const { return type_; }  // of the values, where dictionary-encoded

    // The collected rows, for the bindings; taking them leaves the column ready for the next batch.
    CodeBuffer codes;
    std::vector<double> numbers;
    FewIntegers integers;
    TextEncoder texts;
    WordEncoder words;

    // Where the labels take more bytes than `most_label_bytes`, they are forgotten: codes get new meanings.
    void start_batch(std::size_t most_label_bytes);
    std::size_t label_bytes() const { return texts.bytes() + words.bytes(); }

private:
    void encode_block(const ArrowArray& array, std::int64_t first, std::int64_t count, std::uint32_t* out);
    void append_dictionary(const ArrowArray& array, std::int64_t first, std::int64_t count);
    bool append_few(const ArrowArray& array, std::int64_t first, std::int64_t count);
    void append_numbers(const ArrowArray& array, std::int64_t first, std::int64_t count);
    void give_up_numbers();
    std::size_t labels() const;

    ColumnType type_;
    char index_letter_ = 0;  // of the indices, where dictionary-encoded
    bool numeric_, few_ = false, integral_ = true, declared_, ordered_, empty_is_missing_;
};

}  // namespace bayou
