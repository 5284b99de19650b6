// Text in; names, numbers and tables out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "bayou/bif/bif.hpp"
#include "python_types.hpp"
#include "register.hpp"

namespace nb = nanobind;

namespace bayou::bindings {

namespace {

using TableValues = nb::ndarray<nb::numpy, double>;
using FlatTable = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::str text_of(std::string_view view) { return nb::str(view.data(), view.size()); }

nb::tuple texts_of(const std::vector<std::string_view>& views) {
    nb::list texts;
    for (const std::string_view view : views) texts.append(text_of(view));
    return nb::tuple(texts);
}

// Hands the numbers over to numpy without copying them.
TableValues array_of(bif::Variable& variable, const std::vector<bif::Variable>& variables) {
    std::vector<std::size_t> shape;
    for (const std::size_t parent : variable.parents) shape.push_back(variables[parent].states.size());
    shape.push_back(variable.states.size());
    auto kept = std::make_unique<std::vector<double>>(std::move(variable.table));
    double* const data = kept->data();
    nb::capsule owner(kept.get(), [](void* held) noexcept { delete static_cast<std::vector<double>*>(held); });
    kept.release();
    return TableValues(data, shape.size(), shape.data(), owner);
}

// Name, states, properties, parents and table of a variable.
using Names = TupleOf<nb::str>;
using Variable = Tuple<nb::str, Names, Names, TupleOf<int>, Array<double>>;

Tuple<nb::str, Names, List<Variable>> parse(const nb::bytes& data) {
    bif::Network network;
    {
        const std::string_view text(data.c_str(), data.size());
        const nb::gil_scoped_release unlocked;
        network = bif::parse(text);
    }
    nb::list variables;
    for (bif::Variable& variable : network.variables) {
        variables.append(nb::make_tuple(text_of(variable.name), texts_of(variable.states),
                                        texts_of(variable.properties), nb::tuple(nb::cast(variable.parents)),
                                        array_of(variable, network.variables)));
    }
    return nb::make_tuple(text_of(network.name), texts_of(network.properties), variables);
}

std::string rows_text(const FlatTable& table, std::size_t cardinality,
                      const std::vector<std::vector<std::string>>& parent_states) {
    std::size_t cells = cardinality;
    for (const auto& states : parent_states) cells *= states.size();
    if (cells == 0 || cells != table.shape(0)) throw nb::value_error("the table does not have the stated shape");
    const nb::gil_scoped_release unlocked;
    return bif::rows_text(table.data(), cardinality, parent_states);
}

const char* fault_name(bif::Fault fault) {
    switch (fault) {
        case bif::Fault::unknown_variable: return "unknown variable";
        case bif::Fault::unknown_state: return "unknown state";
        default: return "syntax";
    }
}

}  // namespace

void register_bif(nb::module_& m) {
    const nb::object error = nb::steal(PyErr_NewException("bayou._native._core.BifError", PyExc_ValueError, nullptr));
    m.attr("BifError") = error;
    nb::register_exception_translator(
        [](const std::exception_ptr& thrown, void* type) {
            try {
                std::rethrow_exception(thrown);
            } catch (const bif::Error& e) {
                const nb::tuple details = nb::make_tuple(fault_name(e.fault), e.problem, e.line, e.column, e.wanted,
                                                         e.variable, e.known);
                PyErr_SetObject(static_cast<PyObject*>(type), details.ptr());
            }
        },
        error.ptr());
    m.attr("BIF_ROW_TOLERANCE") = bif::kRowTolerance;
    m.def("parse_bif", &parse, nb::arg("data"));
    m.def("bif_rows", &rows_text, nb::arg("table"), nb::arg("cardinality"), nb::arg("parent_states"));
}

}  // namespace bayou::bindings
