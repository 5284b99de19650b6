#include "bayou/moments.hpp"

#include "arrays.hpp"
#include "register.hpp"

namespace bayou::bindings {

namespace {

std::size_t common_rows(const std::vector<Vector<double>>& columns, std::size_t otherwise) {
    for (std::size_t at = 0; at < columns.size(); ++at) {
        if (columns[at].shape(0) == columns[0].shape(0)) continue;
        throw std::invalid_argument("column " + std::to_string(at) + " has " +
                                    std::to_string(columns[at].shape(0)) + " rows, column 0 has " +
                                    std::to_string(columns[0].shape(0)) + ": expected the same number");
    }
    return columns.empty() ? otherwise : columns[0].shape(0);
}

void check_length(const char* name, std::size_t length, std::size_t rows) {
    if (length == rows) return;
    throw std::invalid_argument(std::string(name) + " has " + std::to_string(length) +
                                " rows, the columns have " + std::to_string(rows));
}

nb::tuple group_moments_py(const nb::list& column_list, nb::object groups, std::int64_t n_groups,
                           nb::object weights, int threads) {
    constexpr auto reals = "a contiguous one-dimensional float64 array";
    std::vector<Vector<double>> columns;
    MomentInput input;
    for (std::size_t at = 0; at < column_list.size(); ++at) {
        columns.push_back(array_from<Vector<double>>(column_list[at], "column " + std::to_string(at), reals));
        input.columns.push_back(columns.back().data());
    }
    Vector<std::uint32_t> group_array;
    Vector<double> weight_array;
    if (!groups.is_none()) {
        group_array = array_from<Vector<std::uint32_t>>(groups, "groups",
                                                        "None or a contiguous one-dimensional uint32 array");
        input.groups = group_array.data();
    }
    if (!weights.is_none()) {
        weight_array = array_from<Vector<double>>(weights, "weights", reals);
        input.weights = weight_array.data();
    }
    input.rows = common_rows(columns, input.groups    ? group_array.shape(0)
                                      : input.weights ? weight_array.shape(0)
                                                      : 0);
    if (input.groups) check_length("groups", group_array.shape(0), input.rows);
    if (input.weights) check_length("weights", weight_array.shape(0), input.rows);
    input.n_groups = natural(n_groups, "n_groups", UINT32_MAX);
    if (!input.groups && input.n_groups != 1) {
        throw std::invalid_argument("without groups every row is in group 0: n_groups must be 1");
    }
    const std::size_t q = input.n_groups, k = columns.size();
    Output<double> n({q}), mean({q, k}), scatter({q, k, k});
    {
        nb::gil_scoped_release unlocked;
        group_moments(input, n.data(), mean.data(), scatter.data(), threads);
    }
    return nb::make_tuple(n.release(), mean.release(), scatter.release());
}

}  // namespace

void register_moments(nb::module_& m) {
    using namespace nb::literals;
    m.def("group_moments", &group_moments_py, "columns"_a, "groups"_a.none(), "n_groups"_a,
          "weights"_a = nb::none(), "threads"_a = 0,
          "(n, mean, scatter) of real columns by group; rows with a NaN or without a group are left out.");
}

}  // namespace bayou::bindings
