// Reading through the Arrow C stream interface: batches become codes and numbers, without any Arrow package.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bayou/base/threads.hpp"
#include "bayou/data/encode_arrow.hpp"
#include "coded_arrays.hpp"
#include "python_types.hpp"
#include "register.hpp"
#include "unlocked.hpp"

namespace nb = nanobind;

namespace bayou::bindings {
namespace {

// Chunks are gathered until they hold this many rows, so that threads are worth starting.
constexpr std::int64_t kGatherRows = 1 << 16;
// Where labels are limited, the first rows are taken in smaller steps, which show how long texts are.
constexpr std::int64_t kFirstRows = 1 << 12;
constexpr std::size_t kAnyBytes = std::numeric_limits<std::size_t>::max();

nb::object label_of(const ArrowColumn& column, std::size_t code) {
    switch (column.type().kind) {
        case ValueKind::text: {
            const auto text = column.texts.label(code);
            PyObject* label = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "strict");
            if (label == nullptr) throw nb::python_error();
            return nb::steal(label);
        }
        case ValueKind::bytes: {
            const auto text = column.texts.label(code);
            return nb::bytes(text.data(), text.size());
        }
        case ValueKind::truth: return nb::bool_(code == 1);
        case ValueKind::natural: return nb::int_(column.words.label(code));
        case ValueKind::real: return nb::float_(std::bit_cast<double>(column.words.label(code)));
        default: return nb::int_(static_cast<std::int64_t>(column.words.label(code)));
    }
}

const char* kind_name(ValueKind kind) {
    switch (kind) {
        case ValueKind::null: return "null";
        case ValueKind::truth: return "truth";
        case ValueKind::whole:
        case ValueKind::natural: return "int";
        case ValueKind::real: return "float";
        case ValueKind::text: return "text";
        case ValueKind::bytes: return "bytes";
        default: return "time";
    }
}

// (kind, numbers or codes, labels or None for numbers, format, integral, declared, ordered); of the kind "few" are
// whole numbers of a small range, as codes whose labels are ascending
using ReadColumn = Tuple<nb::str, AnyArray, std::optional<List<AnyValue>>, nb::str, bool, bool, bool>;

ReadColumn hand_over(ArrowColumn& column) {
    const auto& type = column.type();
    if (column.is_few()) {
        auto few = column.integers.take();
        nb::list numbers;
        for (const std::int64_t number : few.numbers) numbers.append(nb::int_(number));
        nb::object codes = few.width == 1 ? own_array<std::uint8_t>(std::move(few.bytes))
                                          : own_array<std::uint16_t>(std::move(few.bytes));
        return nb::make_tuple("few", codes, numbers, type.format, true, false, false);
    }
    if (column.is_numeric()) {
        nb::object values = own_array<double>(std::move(column.numbers));
        return nb::make_tuple(kind_name(type.kind), values, nb::none(), type.format, column.is_integral(), false, false);
    }
    nb::list labels;
    const bool text = type.kind == ValueKind::text || type.kind == ValueKind::bytes;
    const std::size_t count = type.kind == ValueKind::truth ? 2 : text ? column.texts.size() : column.words.size();
    for (std::size_t code = 0; code < count; ++code) labels.append(label_of(column, code));
    return nb::make_tuple(kind_name(type.kind), own_codes(column.codes), labels, type.format, true,
                          column.is_declared(), column.is_ordered());
}

// Appends rows of a table's column; where the table itself has gaps (null structs), so has the column.
void append_child(ArrowColumn& column, const ArrowArray& table, std::size_t position, std::int64_t start,
                  std::int64_t count) {
    const ArrowArray& child = *table.children[position];
    const bool has_gaps = table.null_count != 0 && table.n_buffers > 0;
    const auto* rows = has_gaps ? static_cast<const std::uint8_t*>(table.buffers[0]) : nullptr;
    start += table.offset;
    if (rows == nullptr || child.n_buffers == 0) return column.append(child, start, count);
    const auto* values = child.null_count == 0 ? nullptr : static_cast<const std::uint8_t*>(child.buffers[0]);
    const auto is_set = [](const std::uint8_t* bitmap, std::int64_t at) { return (bitmap[at >> 3] >> (at & 7)) & 1; };
    std::vector<std::uint8_t> both((child.offset + start + count + 7) / 8);
    for (std::int64_t row = start; row < start + count; ++row) {
        const std::int64_t at = child.offset + row;
        if (is_set(rows, row) && (values == nullptr || is_set(values, at))) both[at >> 3] |= 1u << (at & 7);
    }
    std::vector<const void*> buffers(child.buffers, child.buffers + child.n_buffers);
    buffers[0] = both.data();
    ArrowArray masked = child;
    masked.null_count = -1;  // not known
    masked.buffers = buffers.data();
    column.append(masked, start, count);
}

class ArrowReader {
public:
    ArrowReader(const Object<AnyValue>& source, int threads) : source_(source), threads_(threads) {
        const bool is_capsule = PyCapsule_CheckExact(source.ptr());
        const nb::object capsule = is_capsule ? nb::object(source) : source.attr("__arrow_c_stream__")();
        void* pointer = PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream");
        if (pointer == nullptr) throw nb::python_error();
        stream_ = ArrowOwner<ArrowArrayStream>(static_cast<ArrowArrayStream*>(pointer));
        check(stream_->get_schema(stream_.get(), schema_.get()));
        is_table_ = std::string(schema_->format) == "+s";
    }

    // The names and Arrow formats of the columns.
    List<Tuple<nb::str, nb::str>> fields() const {
        nb::list listed;
        for (std::size_t position = 0; position < width(); ++position) {
            const ArrowSchema& each = field(position);
            listed.append(nb::make_tuple(each.name == nullptr ? "" : each.name, each.format));
        }
        return listed;
    }

    // Selects the columns to read; the others are never decoded. Labels of all columns together take up to about
    // `label_bytes`: a batch with more of them ends early, and the next one begins without those of columns that have
    // more than their share.
    void select(const std::vector<std::size_t>& positions, bool empty_is_missing, std::optional<std::size_t> label_bytes) {
        if (!columns_.empty() || started_) throw nb::value_error("the columns are selected already");
        label_bytes_ = label_bytes.value_or(kAnyBytes);
        step_ = label_bytes ? kFirstRows : kGatherRows;
        for (const std::size_t position : positions) {
            if (position >= width()) throw nb::index_error("no such column in the stream");
            positions_.push_back(position);
            add_column(position, empty_is_missing);
        }
    }

    Object<std::optional<Tuple<int, List<ReadColumn>>>> read(std::int64_t max_rows) {
        if (max_rows < 1) throw nb::value_error("max_rows must be positive");
        std::int64_t rows = 0;
        {
            const Unlocked unlocked;
            for (auto& column : columns_) column.start_batch(label_bytes_ / columns_.size());
            const std::size_t before = labels_taken();
            while (rows < max_rows && labels_taken() - before <= label_bytes_ / 2) {
                const std::int64_t gathered = gather(max_rows - rows);
                if (gathered == 0) break;
                const std::size_t known = labels_taken();
                consume(gathered);
                if (labels_taken() - known < label_bytes_ / 16) step_ = std::min(2 * step_, kGatherRows);
                rows += gathered;
                stop_if_interrupted();
            }
        }
        if (rows == 0 && started_) return nb::none();
        started_ = true;
        nb::list columns;
        for (auto& column : columns_) columns.append(hand_over(column));
        return nb::make_tuple(rows, columns);
    }

private:
    std::size_t width() const { return is_table_ ? static_cast<std::size_t>(schema_->n_children) : 1; }

    const ArrowSchema& field(std::size_t position) const { return is_table_ ? *schema_->children[position] : *schema_; }

    void add_column(std::size_t position, bool empty_is_missing) {
        const ArrowSchema& wanted = field(position);
        try {
            columns_.emplace_back(wanted, empty_is_missing);
        } catch (const std::invalid_argument&) {
            const std::string name = wanted.name == nullptr ? "" : wanted.name;
            throw nb::type_error(("The column '" + name + "' has the Arrow type '" + wanted.format + "'").c_str());
        }
    }

    std::size_t labels_taken() const {
        std::size_t bytes = 0;
        for (const auto& column : columns_) bytes += column.label_bytes();
        return bytes;
    }

    void check(int outcome) {
        if (outcome == 0) return;
        const char* text = stream_->get_last_error(stream_.get());
        throw std::runtime_error(text == nullptr ? "the stream failed without saying why" : text);
    }

    // Fetches chunks until rows are available; returns how many to consume, at most `wanted`; 0 at the end.
    std::int64_t gather(std::int64_t wanted) {
        const std::int64_t target = std::min(wanted, step_);
        std::int64_t ready = -start_;
        for (const auto& chunk : chunks_) ready += chunk->length;
        while (ready < target && !ended_) {
            ArrowOwner<ArrowArray> chunk;
            check(stream_->get_next(stream_.get(), chunk.get()));
            if (chunk.empty()) {
                ended_ = true;
            } else {
                ready += chunk->length;
                chunks_.push_back(std::move(chunk));
            }
        }
        return std::min(ready, label_bytes_ == kAnyBytes ? wanted : target);
    }

    void consume(std::int64_t rows) {
        parallel_for(columns_.size(), rows < kGatherRows / 16 ? 1 : threads_, [&](std::size_t index, int) {
            std::int64_t start = start_, left = rows;
            for (const auto& chunk : chunks_) {
                const std::int64_t count = std::min(left, chunk->length - start);
                if (is_table_) {
                    append_child(columns_[index], *chunk, positions_[index], start, count);
                } else {
                    columns_[index].append(*chunk, start, count);
                }
                left -= count;
                start = 0;
                if (left == 0) break;
            }
        });
        start_ += rows;
        while (!chunks_.empty() && start_ >= chunks_.front()->length) {
            start_ -= chunks_.front()->length;
            chunks_.pop_front();
        }
    }

    nb::object source_;  // a producer may need to outlive its stream
    ArrowOwner<ArrowArrayStream> stream_;
    ArrowOwner<ArrowSchema> schema_;
    std::vector<std::size_t> positions_;
    std::deque<ArrowColumn> columns_;
    std::deque<ArrowOwner<ArrowArray>> chunks_;
    std::size_t label_bytes_ = kAnyBytes;
    std::int64_t step_ = kGatherRows;  // rows that are consumed at a time
    std::int64_t start_ = 0;  // rows of the first chunk that are consumed already
    int threads_;
    bool is_table_ = true, ended_ = false, started_ = false;
};

}  // namespace

void register_arrow(nb::module_& m) {
    nb::class_<ArrowReader>(m, "ArrowReader", "Reads a stream of Arrow batches into codes and numbers.")
        .def(nb::init<const Object<AnyValue>&, int>(), nb::arg("source"), nb::arg("threads") = 0)
        .def_prop_ro("fields", &ArrowReader::fields)
        .def("select", &ArrowReader::select, nb::arg("positions"), nb::arg("empty_is_missing") = false,
             nb::arg("label_bytes") = nb::none())
        .def("read", &ArrowReader::read, nb::arg("max_rows") = std::numeric_limits<std::int64_t>::max());
}

}  // namespace bayou::bindings
