#include "bayou/moments/moments.hpp"

#include "arrays.hpp"
#include "register.hpp"
#include "unlocked.hpp"

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

void check_moment_rows(const char* name, std::size_t length, std::size_t rows) {
    if (length == rows) return;
    throw std::invalid_argument(std::string(name) + " has " + std::to_string(length) +
                                " rows, the columns have " + std::to_string(rows));
}

// The arrays of a call, kept alive while the kernel reads them.
struct MomentArrays {
    std::vector<Vector<double>> columns;
    Vector<std::uint32_t> groups;
    Vector<double> weights;
    MomentInput input;

    MomentArrays(const nb::list& column_list, nb::handle group_array, nb::handle weight_array) {
        constexpr auto reals = "a contiguous one-dimensional float64 array";
        for (std::size_t at = 0; at < column_list.size(); ++at) {
            columns.push_back(array_from<Vector<double>>(column_list[at], "column " + std::to_string(at), reals));
            input.columns.push_back(columns.back().data());
        }
        std::size_t otherwise = 0;
        if (!weight_array.is_none()) {
            weights = array_from<Vector<double>>(weight_array, "weights", reals);
            input.weights = weights.data();
            otherwise = weights.shape(0);
        }
        if (!group_array.is_none()) {
            groups = array_from<Vector<std::uint32_t>>(group_array, "groups",
                                                       "None or a contiguous one-dimensional uint32 array");
            input.groups = groups.data();
            otherwise = groups.shape(0);
        }
        input.rows = common_rows(columns, otherwise);
        if (!group_array.is_none()) check_moment_rows("groups", groups.shape(0), input.rows);
        if (!weight_array.is_none()) check_moment_rows("weights", weights.shape(0), input.rows);
    }
};

Tuple<Array<double>, Array<double>, Array<double>> group_moments_py(
    const List<Array<double>>& column_list, const Object<Array<std::uint32_t>>& groups, std::int64_t n_groups,
    const Object<Array<double>>& weights, int threads) {
    MomentArrays arrays(column_list, groups, weights);
    const std::size_t q = natural(n_groups, "n_groups", UINT32_MAX), k = arrays.columns.size();
    if (groups.is_none() && q != 1) {
        throw std::invalid_argument("without groups every row is in group 0: n_groups must be 1");
    }
    arrays.input.n_groups = q;
    Output<double> n({q}), mean({q, k}), scatter({q, k, k});
    {
        const Unlocked unlocked;
        group_moments(arrays.input, n.data(), mean.data(), scatter.data(), threads);
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
