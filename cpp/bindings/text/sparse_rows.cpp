// Sparse matrices of word counts, as scipy holds them: starts of rows, columns and values.
#include "bayou/text/sparse_rows.hpp"

#include "arrays.hpp"
#include "register.hpp"
#include "unlocked.hpp"

namespace bayou::bindings {

namespace {

constexpr auto indices = "a contiguous one-dimensional int32 or int64 array, like the other one";
constexpr auto numbers = "a contiguous one-dimensional int64 or float64 array";

template <typename Index, typename Value>
SparseRows<Index, Value> rows_of(const Vector<Index>& starts, const Vector<Index>& columns, const Vector<Value>& values,
                                 std::size_t n_columns) {
    if (starts.shape(0) == 0) throw std::invalid_argument("starts is empty: expected one entry more than rows");
    const SparseRows<Index, Value> rows{starts.data(), columns.data(), values.data(), starts.shape(0) - 1, n_columns};
    const bool fits = columns.shape(0) == values.shape(0) && starts(0) == 0 && starts(rows.rows) >= 0 &&
                      static_cast<std::size_t>(starts(rows.rows)) <= values.shape(0);
    if (!fits) throw std::invalid_argument("starts, columns and values do not fit together");
    return rows;
}

// Calls body(rows) with the arrays in the types that they have.
template <typename Body>
nb::object with_rows(nb::handle starts, nb::handle columns, nb::handle values, std::size_t n_columns, const Body& body) {
    const auto with_values = [&](const auto& first, const auto& second) {
        Vector<double> real;
        if (nb::try_cast<Vector<double>>(values, real, false)) return body(rows_of(first, second, real, n_columns));
        const auto whole = array_from<Vector<std::int64_t>>(values, "values", numbers);
        return body(rows_of(first, second, whole, n_columns));
    };
    Vector<std::int32_t> narrow;
    if (nb::try_cast<Vector<std::int32_t>>(starts, narrow, false)) {
        return with_values(narrow, array_from<Vector<std::int32_t>>(columns, "columns", indices));
    }
    const auto wide = array_from<Vector<std::int64_t>>(starts, "starts", indices);
    return with_values(wide, array_from<Vector<std::int64_t>>(columns, "columns", indices));
}

template <typename Sum, typename Weight, typename Index, typename Value>
nb::object summed(const SparseRows<Index, Value>& rows, const Vector<std::uint32_t>& classes, std::size_t n_classes,
                  const Weight* weights, int threads) {
    Output<Sum> sums({rows.n_columns, n_classes});
    Output<Weight> present({rows.n_columns, n_classes});
    {
        const Unlocked unlocked;
        sum_sparse_rows(rows, classes.data(), n_classes, weights, sums.data(), present.data(), threads);
    }
    return nb::make_tuple(sums.release(), present.release());
}

Tuple<CountArray, CountArray> sum_sparse_rows_py(const Object<WholeArray>& starts, const Object<WholeArray>& columns,
                                                 const Object<CountArray>& values, std::int64_t n_columns,
                                                 const Vector<std::uint32_t>& classes, std::int64_t n_classes,
                                                 const Object<std::optional<CountArray>>& weights, int threads) {
    const std::size_t many = natural(n_classes, "n_classes", UINT32_MAX);
    const auto with_weights = [&]<typename Index, typename Value>(const SparseRows<Index, Value>& rows) -> nb::object {
        const auto check = [&](std::size_t found, const char* name) {
            if (found != rows.rows) throw std::invalid_argument(std::string(name) + ": expected one entry a row");
        };
        check(classes.shape(0), "classes");
        if (weights.is_none()) return summed<Value, std::int64_t>(rows, classes, many, static_cast<std::int64_t*>(nullptr), threads);
        Vector<std::int64_t> whole;
        if (nb::try_cast<Vector<std::int64_t>>(weights, whole, false)) {
            check(whole.shape(0), "weights");
            return summed<Value>(rows, classes, many, whole.data(), threads);
        }
        const auto real = array_from<Vector<double>>(weights, "weights", numbers);
        check(real.shape(0), "weights");
        return summed<double>(rows, classes, many, real.data(), threads);
    };
    return nb::borrow<Tuple<CountArray, CountArray>>(
        with_rows(starts, columns, values, natural(n_columns, "n_columns"), with_weights));
}

Array<double> score_sparse_rows_py(const Object<WholeArray>& starts, const Object<WholeArray>& columns,
                                   const Object<CountArray>& values, const Matrix<double>& table,
                                   const Vector<double>& start, bool distinct, int threads) {
    const std::size_t n_classes = table.shape(1);
    if (start.shape(0) != n_classes) throw std::invalid_argument("start: expected one entry a class");
    const nb::object scores = with_rows(starts, columns, values, table.shape(0), [&](const auto& rows) -> nb::object {
        Output<double> result({rows.rows, n_classes});
        {
            const Unlocked unlocked;
            score_sparse_rows(rows, table.data(), n_classes, start.data(), distinct, result.data(), threads);
        }
        return nb::cast(result.release());
    });
    return nb::cast<Array<double>>(scores);
}

}  // namespace

void register_sparse_rows(nb::module_& m) {
    using namespace nb::literals;
    m.def("sum_sparse_rows", &sum_sparse_rows_py, "starts"_a, "columns"_a, "values"_a, "n_columns"_a, "classes"_a,
          "n_classes"_a, "weights"_a = nb::none(), "threads"_a = 0,
          "The sums of values and the weights of rows with a value above 0, both [column, class].");
    m.def("score_sparse_rows", &score_sparse_rows_py, "starts"_a, "columns"_a, "values"_a, "table"_a, "start"_a,
          "distinct"_a = false, "threads"_a = 0,
          "start + the sum of value * table[column] over the entries of each row, [row, class].");
}

}  // namespace bayou::bindings
