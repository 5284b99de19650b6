// Python objects to codes: text, numbers, truth values and anything hashable, told apart by kind.
#include <nanobind/nanobind.h>

#include <array>
#include <cmath>
#include <deque>
#include <vector>

#include "bayou/base/portable.hpp"
#include "bayou/base/threads.hpp"
#include "bayou/data/encode.hpp"
#include "coded_arrays.hpp"
#include "python_types.hpp"
#include "register.hpp"

namespace nb = nanobind;

namespace bayou::bindings {
namespace {

constexpr double kLargestExact = 9007199254740992.0;  // 2^53
constexpr Py_ssize_t kAhead = 16;                     // objects are prefetched this far ahead

// One-dimensional memory with a stride, held through the buffer protocol.
class Buffer {
public:
    explicit Buffer(nb::handle owner) {
        if (PyObject_GetBuffer(owner.ptr(), &view_, PyBUF_STRIDES | PyBUF_FORMAT) != 0) throw nb::python_error();
        if (view_.ndim != 1) {
            PyBuffer_Release(&view_);
            throw nb::value_error("one-dimensional data expected");
        }
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { PyBuffer_Release(&view_); }

    const char* data() const { return static_cast<const char*>(view_.buf); }
    Py_ssize_t stride() const { return view_.strides[0]; }
    Py_ssize_t size() const { return view_.shape[0]; }
    std::size_t item_size() const { return static_cast<std::size_t>(view_.itemsize); }
    bool holds_objects() const { return view_.format != nullptr && std::string_view(view_.format) == "O"; }

private:
    Py_buffer view_;
};

// Codes of one column of objects, labelled by the first object of each kind and content.
class ObjectEncoder {
public:
    explicit ObjectEncoder(nb::handle source) {
        if (PyList_CheckExact(source.ptr()) || PyTuple_CheckExact(source.ptr())) {
            items_ = reinterpret_cast<const char*>(PySequence_Fast_ITEMS(source.ptr()));
            count_ = PySequence_Fast_GET_SIZE(source.ptr());
            stride_ = sizeof(PyObject*);
            return;
        }
        buffer_ = std::make_unique<Buffer>(source);
        if (!buffer_->holds_objects()) throw nb::type_error("an array of objects, a list or a tuple expected");
        items_ = buffer_->data();
        count_ = buffer_->size();
        stride_ = buffer_->stride();
    }

    // Reads on while the objects are plain: touches no reference count and calls no Python, so that other
    // columns may run beside it. The thread that started it holds the interpreter lock all the while.
    void read_plain() {
        std::array<std::uint32_t, kCodeBlock> block;
        while (done_ < count_) {
            const Py_ssize_t size = std::min<Py_ssize_t>(kCodeBlock, count_ - done_);
            Py_ssize_t row = 0;
            for (; row < size; ++row) {
                if (done_ + row + kAhead < count_) {
                    const char* next = reinterpret_cast<const char*>(item(done_ + row + kAhead));
                    BAYOU_PREFETCH(next);
                    BAYOU_PREFETCH(next + 40);
                }
                if (!plain_code(item(done_ + row), done_ + row, false, block[row])) break;
            }
            codes_.append(block.data(), row, labels_.size());
            done_ += row;
            if (row < size) return;
        }
    }

    // Reads the rest with the interpreter's help; true at the end, false at a value that cannot be a state.
    bool read_rest(const nb::callable& identify) {
        if (done_ == count_) return true;
        std::vector<nb::object> held;  // references, because user code may change the container meanwhile
        held.reserve(count_ - done_);
        for (Py_ssize_t row = done_; row < count_; ++row) held.push_back(nb::borrow(item(row)));
        cache_.fill({nullptr, 0});
        settle_labels();
        std::vector<std::uint32_t> coded;
        coded.reserve(held.size());
        for (const auto& object : held) {
            std::uint32_t code = kMissingCode;
            if (!plain_code(object.ptr(), done_, true, code) && !general_code(object, identify, code)) return false;
            coded.push_back(code);
            ++done_;
            settle_labels(object.ptr());
        }
        codes_.append(coded.data(), coded.size(), labels_.size());
        return true;
    }

    nb::object result(bool complete) {
        settle_labels();
        nb::list labels;
        for (const auto& label : labels_) labels.append(label.object);
        return nb::make_tuple(own_codes(codes_), labels, complete ? -1 : static_cast<long long>(done_));
    }

private:
    struct Label {
        Py_ssize_t row;     // where it was first seen
        nb::object object;  // filled in while the interpreter lock is ours alone
    };
    struct Cached {
        PyObject* object;
        std::uint32_t code;
    };
    // Codes of one encoder in terms of the whole column's.
    using Translation = std::vector<std::uint32_t>;

    PyObject* item(Py_ssize_t row) const { return *reinterpret_cast<PyObject* const*>(items_ + row * stride_); }

    std::uint32_t translate(Translation& known, std::uint32_t local, Py_ssize_t row) {
        if (local < known.size()) return known[local];
        known.push_back(static_cast<std::uint32_t>(labels_.size()));
        labels_.push_back({row, nb::object()});
        return known.back();
    }

    // Codes None, text, truth values, floats and (where the lock is ours alone) integers.
    bool plain_code(PyObject* object, Py_ssize_t row, bool locked, std::uint32_t& code) {
        Cached& cached = cache_[(reinterpret_cast<std::uintptr_t>(object) >> 4) % cache_.size()];
        if (cached.object == object) {
            code = cached.code;
            return true;
        }
        if (!fresh_code(object, row, locked, code)) return false;
        cached = {object, code};
        return true;
    }

    bool fresh_code(PyObject* object, Py_ssize_t row, bool locked, std::uint32_t& code) {
        if (PyUnicode_CheckExact(object)) {
            code = text_code(object, row);
        } else if (object == Py_None) {
            code = kMissingCode;
        } else if (object == Py_False || object == Py_True) {
            code = translate(truths_, truth_words_.code(object == Py_True), row);
        } else if (PyFloat_CheckExact(object)) {
            const double value = PyFloat_AS_DOUBLE(object);
            if (value != value) {
                code = kMissingCode;
            } else {
                if (!(std::fabs(value) < kLargestExact)) return false;
                code = translate(numbers_, number_words_.code(real_word(value)), row);
            }
        } else if (locked && PyLong_CheckExact(object)) {
            int overflow = 0;
            const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
            if (overflow != 0 || !(std::fabs(static_cast<double>(value)) < kLargestExact)) return false;
            code = translate(numbers_, number_words_.code(real_word(static_cast<double>(value))), row);
        } else {
            return false;
        }
        return true;
    }

    std::uint32_t text_code(PyObject* text, Py_ssize_t row) {
        // Equal text has an equal layout, so the layout's width is part of the key, and the bytes are the rest.
        const int width = PyUnicode_KIND(text);
        const bool ascii = PyUnicode_IS_ASCII(text);
        const std::size_t encoder = ascii ? 0 : width == 4 ? 3 : width;
        const auto length = static_cast<std::size_t>(PyUnicode_GET_LENGTH(text)) * width;
        const char* data = static_cast<const char*>(PyUnicode_DATA(text));
        return translate(texts_known_[encoder], texts_[encoder].code(data, length, PyUnicode_IS_COMPACT(text)), row);
    }

    // Everything else: `identify` gives None for a gap, or (key, plain value).
    bool general_code(const nb::object& object, const nb::callable& identify, std::uint32_t& code) {
        nb::object identity = identify(object);
        if (identity.is_none()) {
            code = kMissingCode;
            return true;
        }
        nb::object key = identity[0], value = identity[1];
        made_ = value;
        if (fresh_code(value.ptr(), done_, true, code)) return true;
        double number = 0;
        if (equals_a_double(value, number)) {
            code = translate(numbers_, number_words_.code(real_word(number)), done_);
            return true;
        }
        if (PyObject_Hash(key.ptr()) == -1) {
            PyErr_Clear();
            return false;
        }
        if (others_.contains(key)) {
            code = nb::cast<std::uint32_t>(others_[key]);
            return true;
        }
        code = static_cast<std::uint32_t>(labels_.size());
        labels_.push_back({done_, value});
        others_[key] = code;
        return true;
    }

    // Whether a number of another type (Decimal, Fraction, numpy's) is one of those that `numbers_` holds.
    static bool equals_a_double(const nb::object& value, double& number) {
        if (!PyNumber_Check(value.ptr())) return false;
        number = PyFloat_AsDouble(value.ptr());
        const nb::object same = nb::steal(PyErr_Occurred() ? nullptr : PyFloat_FromDouble(number));
        const int equal = same.is_valid() ? PyObject_RichCompareBool(value.ptr(), same.ptr(), Py_EQ) : 0;
        PyErr_Clear();
        return equal == 1 && std::fabs(number) < kLargestExact;
    }

    void settle_labels(PyObject* latest = nullptr) {
        for (; settled_ < labels_.size(); ++settled_) {
            Label& label = labels_[settled_];
            if (label.object.is_valid()) continue;
            label.object = made_.is_valid() ? made_ : nb::borrow(latest != nullptr ? latest : item(label.row));
        }
        made_.reset();
    }

    std::unique_ptr<Buffer> buffer_;
    const char* items_ = nullptr;
    Py_ssize_t stride_ = 0, count_ = 0, done_ = 0;
    CodeBuffer codes_;
    std::array<Cached, 256> cache_{};
    std::array<TextEncoder, 4> texts_;  // by layout: ASCII, one, two and four bytes a character
    std::array<Translation, 4> texts_known_;
    WordEncoder truth_words_, number_words_;
    Translation truths_, numbers_;
    nb::dict others_;
    nb::object made_;  // the plain value of the object that is being coded, where it is not the object
    std::vector<Label> labels_;
    std::size_t settled_ = 0;
};

// Gives the key by which equal values are one, and the value itself; None: missing.
using Identify = nb::typed<nb::callable, std::optional<Tuple<HashValue, HashValue>>(AnyValue)>;

List<Tuple<CodeArray, List<AnyValue>, int>> encode_objects(const nb::typed<nb::sequence, AnyValue>& columns,
                                                           const Identify& identify, int threads) {
    std::deque<ObjectEncoder> encoders;
    for (nb::handle column : columns) encoders.emplace_back(column);
    parallel_for(encoders.size(), threads, [&](std::size_t index, int) { encoders[index].read_plain(); });
    nb::list results;
    for (auto& encoder : encoders) {
        const bool complete = encoder.read_rest(identify);
        results.append(encoder.result(complete));
    }
    return results;
}

// Codes of fixed-width values by their bytes, and the row where each label was first seen.
Tuple<CodeArray, Array<std::int64_t>> encode_fixed_width(const Object<AnyArray>& array) {
    const Buffer buffer(array);
    CodeBuffer codes;
    std::vector<std::int64_t> first_rows;
    {
        nb::gil_scoped_release unlocked;
        TextEncoder texts;
        std::array<std::uint32_t, kCodeBlock> block;
        for (Py_ssize_t done = 0; done < buffer.size();) {
            const Py_ssize_t size = std::min<Py_ssize_t>(kCodeBlock, buffer.size() - done);
            for (Py_ssize_t row = 0; row < size; ++row) {
                const char* value = buffer.data() + (done + row) * buffer.stride();
                std::size_t length = buffer.item_size();
                while (length > 8 && load_word(value + length - 8) == 0) length -= 8;
                block[row] = texts.code(value, length, false);
                if (block[row] == first_rows.size()) first_rows.push_back(done + row);
            }
            codes.append(block.data(), size, texts.size());
            done += size;
        }
    }
    nb::object rows = own_array<std::int64_t>(std::move(first_rows));
    return nb::make_tuple(own_codes(codes), rows);
}

}  // namespace

void register_objects(nb::module_& m) {
    m.def("encode_objects", &encode_objects, nb::arg("columns"), nb::arg("identify"), nb::arg("threads") = 0);
    m.def("encode_fixed_width", &encode_fixed_width, nb::arg("array"));
}

}  // namespace bayou::bindings
