#include "bayou/moments/class_moments.hpp"

#include "matrices.hpp"
#include "register.hpp"
#include "unlocked.hpp"

namespace bayou::bindings {

namespace {

// The arrays of a call, kept alive while the kernel reads them.
struct ClassedMatrix {
    RealMatrixArray matrix;
    Vector<std::uint32_t> classes;
    Vector<double> weights;
    ClassedRows rows;

    ClassedMatrix(nb::handle matrix_array, nb::handle class_array, std::int64_t n_classes, nb::handle weight_array)
        : matrix(matrix_array) {
        classes = array_from<Vector<std::uint32_t>>(class_array, "classes", "a contiguous one-dimensional uint32 array");
        check_length("classes", classes.shape(0), matrix.view.rows);
        if (!weight_array.is_none()) {
            weights = array_from<Vector<double>>(weight_array, "weights", "a contiguous one-dimensional float64 array");
            check_length("weights", weights.shape(0), matrix.view.rows);
            rows.weights = weights.data();
        }
        rows.matrix = matrix.view;
        rows.classes = classes.data();
        rows.n_classes = natural(n_classes, "n_classes", UINT32_MAX);
    }
};

Tuple<Array<double>, Array<double>, Array<double>> class_moments_py(
    const Object<RealArray>& matrix, const Object<Array<std::uint32_t>>& classes, std::int64_t n_classes,
    const Object<Array<double>>& weights, int threads) {
    const ClassedMatrix arrays(matrix, classes, n_classes, weights);
    const std::size_t k = arrays.rows.n_classes, d = arrays.rows.matrix.columns;
    Output<double> n({k, d}), mean({k, d}), squares({k, d});
    {
        const Unlocked unlocked;
        class_moments(arrays.rows, n.data(), mean.data(), squares.data(), threads);
    }
    return nb::make_tuple(n.release(), mean.release(), squares.release());
}

Tuple<Array<double>, Array<double>, Array<double>> class_scatter_py(
    const Object<RealArray>& matrix, const Object<Array<std::uint32_t>>& classes, std::int64_t n_classes,
    const Object<Array<double>>& weights, bool pooled, int threads) {
    const ClassedMatrix arrays(matrix, classes, n_classes, weights);
    const std::size_t k = arrays.rows.n_classes, d = arrays.rows.matrix.columns;
    Output<double> n({k}), mean({k, d});
    Output<double> scatter(pooled ? std::vector<std::size_t>{d, d} : std::vector<std::size_t>{k, d, d});
    {
        const Unlocked unlocked;
        class_scatter(arrays.rows, pooled, n.data(), mean.data(), scatter.data(), threads);
    }
    return nb::make_tuple(n.release(), mean.release(), scatter.release());
}

}  // namespace

void register_class_moments(nb::module_& m) {
    using namespace nb::literals;
    m.def("class_moments", &class_moments_py, "matrix"_a, "classes"_a, "n_classes"_a, "weights"_a = nb::none(),
          "threads"_a = 0, "(weight, mean, sum of squared deviations) of each column by class; NaN cells are left out.");
    m.def("class_scatter", &class_scatter_py, "matrix"_a, "classes"_a, "n_classes"_a, "weights"_a = nb::none(),
          "pooled"_a = false, "threads"_a = 0,
          "(weight, mean, centred scatter matrix) by class, the scatter summed over the classes if pooled.");
}

}  // namespace bayou::bindings
