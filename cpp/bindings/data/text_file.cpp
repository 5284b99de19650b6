// Regular CSV files straight to codes.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bayou/data/encode_text_file.hpp"
#include "coded_arrays.hpp"
#include "python_types.hpp"
#include "register.hpp"
#include "unlocked.hpp"

namespace nb = nanobind;

namespace bayou::bindings {
namespace {

// (rows, [(codes, labels, False) or (numbers, None, whether all are written as integers)]), or None for a file that is
// not regular enough.
using TextColumn = Tuple<AnyArray, std::optional<List<nb::str>>, bool>;

Object<std::optional<Tuple<int, List<TextColumn>>>> encode_text_file(
    nb::bytes path, char separator, std::size_t fields, std::vector<std::size_t> wanted,
    const std::vector<std::size_t>& numeric, bool has_header, int threads) {
    for (const std::size_t position : wanted)
        if (position >= fields) throw nb::index_error("no such column in the file");
    TextFileEncoder encoder(separator, fields, std::move(wanted), has_header, threads);
    for (const std::size_t index : numeric) {
        if (index >= encoder.columns().size()) throw nb::index_error("no such column among the wanted");
        encoder.expect_numbers(index);
    }
    bool regular = false;
    {
        const Unlocked unlocked;
        regular = encoder.read(path.c_str());
    }
    if (!regular) return nb::none();
    nb::list columns;
    for (auto& column : encoder.columns()) {
        if (column.numeric) {
            columns.append(nb::make_tuple(own_array<double>(std::move(column.numbers)), nb::none(), column.written_whole));
            continue;
        }
        nb::list labels;
        for (std::size_t code = 0; code < column.texts.size(); ++code) {
            const auto text = column.texts.label(code);
            PyObject* label = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "strict");
            if (label == nullptr) {
                PyErr_Clear();
                return nb::none();
            }
            labels.append(nb::steal(label));
        }
        columns.append(nb::make_tuple(own_codes(column.codes), labels, false));
    }
    return nb::make_tuple(encoder.rows(), columns);
}

}  // namespace

void register_text_file(nb::module_& m) {
    m.def("encode_text_file", &encode_text_file, nb::arg("path"), nb::arg("separator"), nb::arg("fields"),
          nb::arg("wanted"), nb::arg("numeric"), nb::arg("has_header"), nb::arg("threads") = 0);
}

}  // namespace bayou::bindings
