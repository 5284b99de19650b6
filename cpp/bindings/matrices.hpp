// Two-dimensional numpy arrays as the kernels' views, in any order and with any strides.
#pragma once

#include <string>

#include "arrays.hpp"
#include "bayou/data/real_matrix.hpp"

namespace bayou::bindings {

using AnyMatrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;

struct RealMatrixArray {
    AnyMatrix array;
    RealMatrix view;

    explicit RealMatrixArray(nb::handle item) {
        constexpr auto expected = "a two-dimensional float64 or float32 array";
        array = array_from<AnyMatrix>(item, "matrix", expected);
        view.single = array.dtype() == nb::dtype<float>();
        if (!view.single && array.dtype() != nb::dtype<double>()) {
            throw std::invalid_argument(std::string("matrix: expected ") + expected);
        }
        view.cells = array.data();
        view.rows = array.shape(0);
        view.columns = array.shape(1);
        view.row_step = array.stride(0);
        view.column_step = array.stride(1);
    }
};

inline void check_length(const char* name, std::size_t length, std::size_t expected) {
    if (length == expected) return;
    throw std::invalid_argument(std::string(name) + " has length " + std::to_string(length) + ", expected " +
                                std::to_string(expected));
}

// A contiguous float64 array of this shape.
inline Tensor<double> table_from(nb::handle item, const char* name, const std::vector<std::size_t>& shape) {
    auto array = array_from<Tensor<double>>(item, name, "a contiguous float64 array");
    bool good = array.ndim() == shape.size();
    std::string expected;
    for (std::size_t at = 0; at < shape.size(); ++at) {
        good = good && array.shape(at) == shape[at];
        expected += (at ? ", " : "") + std::to_string(shape[at]);
    }
    if (!good) throw std::invalid_argument(std::string(name) + ": expected an array of shape (" + expected + ")");
    return array;
}

}  // namespace bayou::bindings
