#include "bayou/density/held_out_losses.hpp"
#include "bayou/density/kernel_density.hpp"
#include "bayou/density/mdl_cuts.hpp"
#include "bayou/density/value_counts.hpp"

#include "arrays.hpp"
#include "coded_arrays.hpp"
#include "register.hpp"
#include "unlocked.hpp"

namespace bayou::bindings {

namespace {

// A column of a matrix is read in place.
using StridedReals = nb::ndarray<const double, nb::ndim<1>, nb::device::cpu>;

constexpr auto reals = "a contiguous one-dimensional float64 array";

void check_rows(const std::string& name, std::size_t found, std::size_t rows) {
    if (found == rows) return;
    throw std::invalid_argument(name + " has " + std::to_string(found) + " rows, column 0 has " + std::to_string(rows));
}

// The arrays of a call, kept alive while the kernels read them.
struct ClassedColumns {
    std::vector<StridedReals> values;
    Vector<std::uint32_t> classes;
    Vector<double> weights;
    std::vector<ClassedColumn> columns;

    ClassedColumns(const nb::list& list, nb::handle class_array, std::int64_t n_classes, nb::handle weight_array) {
        if (!class_array.is_none()) {
            classes = array_from<Vector<std::uint32_t>>(class_array, "classes",
                                                        "None or a contiguous one-dimensional uint32 array");
        }
        if (!weight_array.is_none()) weights = array_from<Vector<double>>(weight_array, "weights", reals);
        ClassedColumn column;
        column.n_classes = natural(n_classes, "n_classes", UINT32_MAX);
        if (class_array.is_none() && column.n_classes != 1) {
            throw std::invalid_argument("without classes every row is in class 0: n_classes must be 1");
        }
        for (std::size_t at = 0; at < list.size(); ++at) {
            const std::string name = "column " + std::to_string(at);
            values.push_back(array_from<StridedReals>(list[at], name, "a one-dimensional float64 array"));
            column.rows = values[0].shape(0);
            check_rows(name, values[at].shape(0), column.rows);
            column.values = values[at].data();
            column.stride = values[at].stride(0);
            if (!class_array.is_none()) column.classes = classes.data();
            if (!weight_array.is_none()) column.weights = weights.data();
            columns.push_back(column);
        }
        if (!class_array.is_none() && !list.empty()) check_rows("classes", classes.shape(0), column.rows);
        if (!weight_array.is_none() && !list.empty()) check_rows("weights", weights.shape(0), column.rows);
    }
};

List<Array<double>> mdl_cuts_py(const List<Array<double>>& columns, const Object<Array<std::uint32_t>>& classes,
                                std::int64_t n_classes, const Object<Array<double>>& weights, int threads) {
    const ClassedColumns arrays(columns, classes, n_classes, weights);
    std::vector<std::vector<double>> cuts;
    {
        const Unlocked unlocked;
        cuts = mdl_cuts(arrays.columns, threads);
    }
    nb::list result;
    for (auto& each : cuts) result.append(own_array<double>(std::move(each)));
    return result;
}

Tuple<Array<double>, Array<std::uint32_t>, Array<double>> value_counts_py(const Object<Array<double>>& values,
                                                                          const Object<Array<std::uint32_t>>& classes,
                                                                          std::int64_t n_classes,
                                                                          const Object<Array<double>>& weights) {
    nb::list one;
    one.append(values);
    const ClassedColumns arrays(one, classes, n_classes, weights);
    ValueCounts counts;
    {
        const Unlocked unlocked;
        check_classes_and_weights(arrays.columns[0]);
        counts = value_counts(arrays.columns[0]);
    }
    return nb::make_tuple(own_array<double>(std::move(counts.values)),
                          own_array<std::uint32_t>(std::move(counts.classes)),
                          own_array<double>(std::move(counts.weights)));
}

// The values of many columns one after the other, and where those of each column start.
Tuple<Array<double>, Array<std::uint32_t>, Array<double>, Array<std::int64_t>> values_by_class_py(
    const List<Array<double>>& columns, const Object<Array<std::uint32_t>>& classes, std::int64_t n_classes,
    const Object<Array<double>>& weights, int threads) {
    const ClassedColumns arrays(columns, classes, n_classes, weights);
    ValueCounts all;
    std::vector<std::int64_t> starts;
    {
        const Unlocked unlocked;
        starts = values_by_class(arrays.columns, all, threads);
    }
    return nb::make_tuple(own_array<double>(std::move(all.values)), own_array<std::uint32_t>(std::move(all.classes)),
                          own_array<double>(std::move(all.weights)), own_array<std::int64_t>(std::move(starts)));
}

void check_entries(const char* name, std::size_t found, std::size_t wanted) {
    if (found == wanted) return;
    throw std::invalid_argument(std::string(name) + " has " + std::to_string(found) + " entries: expected " +
                                std::to_string(wanted));
}

Array<double> held_out_losses_py(const Vector<double>& values, const Vector<std::uint32_t>& classes,
                                 const Vector<double>& weights, const Vector<std::int64_t>& starts,
                                 const Vector<std::uint8_t>& whole, const Vector<double>& strength,
                                 std::int64_t n_classes, double least_spread, int threads) {
    if (starts.shape(0) == 0) throw std::invalid_argument("starts is empty: expected one entry more than features");
    ValuesByClass given;
    given.features = starts.shape(0) - 1;
    check_entries("classes", classes.shape(0), values.shape(0));
    check_entries("weights", weights.shape(0), values.shape(0));
    check_entries("whole", whole.shape(0), given.features);
    check_entries("strength", strength.shape(0), given.features);
    for (std::size_t k = 0; k <= given.features; ++k) {
        const std::int64_t least = k == 0 ? 0 : starts(k - 1);
        if (starts(k) < least || static_cast<std::size_t>(starts(k)) > values.shape(0)) {
            throw std::invalid_argument("starts: expected ascending positions of values");
        }
    }
    given.values = values.data();
    given.classes = classes.data();
    given.weights = weights.data();
    given.starts = starts.data();
    given.whole = whole.data();
    given.strength = strength.data();
    given.n_classes = natural(n_classes, "n_classes", UINT32_MAX);
    given.least_spread = least_spread;
    Output<double> losses({given.features, static_cast<std::size_t>(feature_models)});
    {
        const Unlocked unlocked;
        held_out_losses(given, losses.data(), threads);
    }
    return losses.release();
}

// The points of the classes; keeps their arrays alive.
struct PointArrays {
    std::vector<Vector<double>> values, weights;
    std::vector<KernelPoints> classes;

    PointArrays(const nb::list& points, const nb::list& weight_list, const std::vector<double>& bandwidths) {
        if (points.size() != weight_list.size() || points.size() != bandwidths.size()) {
            throw std::invalid_argument("there are " + std::to_string(points.size()) + " arrays of points, " +
                                        std::to_string(weight_list.size()) + " of weights and " +
                                        std::to_string(bandwidths.size()) + " bandwidths: expected one each a class");
        }
        for (std::size_t k = 0; k < points.size(); ++k) add(k, points[k], weight_list[k], bandwidths[k]);
    }

  private:
    void add(std::size_t k, nb::handle point_array, nb::handle weight_array, double bandwidth) {
        const std::string name = "class " + std::to_string(k);
        KernelPoints points;
        values.push_back(array_from<Vector<double>>(point_array, "the points of " + name, reals));
        points.values = values.back().data();
        points.count = values.back().shape(0);
        points.bandwidth = bandwidth;
        if (!weight_array.is_none()) {
            weights.push_back(array_from<Vector<double>>(weight_array, "the weights of " + name, reals));
            points.weights = weights.back().data();
            if (weights.back().shape(0) != points.count) {
                throw std::invalid_argument(name + " has " + std::to_string(points.count) + " points and " +
                                            std::to_string(weights.back().shape(0)) + " weights");
            }
        }
        classes.push_back(points);
    }
};

Array<double> kernel_log_density_py(const List<Array<double>>& points, const List<std::optional<Array<double>>>& weights,
                                     const std::vector<double>& bandwidths, const Object<Array<double>>& queries,
                                     double relative_error, int threads) {
    const PointArrays arrays(points, weights, bandwidths);
    const auto asked = array_from<Vector<double>>(queries, "queries", reals);
    Output<double> log({asked.shape(0), arrays.classes.size()});
    {
        const Unlocked unlocked;
        kernel_log_density(arrays.classes, asked.data(), asked.shape(0), relative_error, log.data(), threads);
    }
    return log.release();
}

Array<double> kernel_held_out_py(const Object<Array<double>>& points, const Object<Array<double>>& weights,
                                 double bandwidth, int threads) {
    nb::list one_points, one_weights;
    one_points.append(points);
    one_weights.append(weights);
    const PointArrays arrays(one_points, one_weights, {bandwidth});
    Output<double> log({arrays.classes[0].count});
    {
        const Unlocked unlocked;
        kernel_held_out(arrays.classes[0], log.data(), threads);
    }
    return log.release();
}

}  // namespace

void register_density(nb::module_& m) {
    using namespace nb::literals;
    m.def("mdl_cuts", &mdl_cuts_py, "columns"_a, "classes"_a.none(), "n_classes"_a, "weights"_a = nb::none(),
          "threads"_a = 0, "Cut points of each column by entropy splits and the minimum description length rule.");
    m.def("value_counts", &value_counts_py, "values"_a, "classes"_a.none(), "n_classes"_a, "weights"_a = nb::none(),
          "(values, classes, weights): each distinct value and class once, ascending.");
    m.def("values_by_class", &values_by_class_py, "columns"_a, "classes"_a.none(), "n_classes"_a,
          "weights"_a = nb::none(), "threads"_a = 0,
          "(values, classes, weights, starts): each distinct value and class of every column once, ascending.");
    m.def("held_out_losses", &held_out_losses_py, "values"_a, "classes"_a, "weights"_a, "starts"_a, "whole"_a,
          "strength"_a, "n_classes"_a, "least_spread"_a = 0.0, "threads"_a = 0,
          "The held-out log-loss of the class by table, gaussian, discretised, kernel and poisson, [feature, model].");
    m.def("kernel_log_density", &kernel_log_density_py, "points"_a, "weights"_a, "bandwidths"_a, "queries"_a,
          "relative_error"_a = 0.0, "threads"_a = 0, "Log densities (queries, classes) of Gaussian kernels on points.");
    m.def("kernel_held_out", &kernel_held_out_py, "points"_a, "weights"_a.none(), "bandwidth"_a, "threads"_a = 0,
          "The log density at each point of all records but one at that point.");
}

}  // namespace bayou::bindings
