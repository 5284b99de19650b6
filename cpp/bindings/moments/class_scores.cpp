#include "bayou/moments/class_scores.hpp"

#include "matrices.hpp"
#include "register.hpp"
#include "unlocked.hpp"

namespace bayou::bindings {

namespace {

// Allocates the scores [rows, classes], lets `fill` write them without the GIL, and returns them.
template <typename Fill>
Array<double> scores_of(std::size_t rows, std::size_t classes, bool posterior, const Fill& fill) {
    if (classes == 0) throw std::invalid_argument("log_prior is empty: expected a number for each class");
    Output<double> scores({rows, classes});
    const ClassScores out{classes, posterior, scores.data()};
    {
        const Unlocked unlocked;
        fill(out);
    }
    return scores.release();
}

Array<double> gaussian_py(const Object<RealArray>& matrix_array, const Object<Array<double>>& mean_array,
                          const Object<Array<double>>& variance_array, const Vector<double>& log_prior,
                          bool posterior, int threads) {
    const RealMatrixArray matrix(matrix_array);
    const std::size_t k = log_prior.shape(0), d = matrix.view.columns;
    const auto means = table_from(mean_array, "means", {k, d});
    const auto variances = table_from(variance_array, "variances", {k, d});
    return scores_of(matrix.view.rows, k, posterior, [&](const ClassScores& out) {
        gaussian_class_scores(matrix.view, means.data(), variances.data(), log_prior.data(), out, threads);
    });
}

Array<double> quadratic_py(const Object<RealArray>& matrix_array, const Object<Array<double>>& mean_array,
                           const Object<Array<double>>& whitener_array, const Vector<double>& base, bool posterior,
                           int threads) {
    const RealMatrixArray matrix(matrix_array);
    const std::size_t k = base.shape(0), d = matrix.view.columns;
    const auto means = table_from(mean_array, "means", {k, d});
    const auto whiteners = table_from(whitener_array, "whiteners", {k, d, d});
    return scores_of(matrix.view.rows, k, posterior, [&](const ClassScores& out) {
        quadratic_class_scores(matrix.view, means.data(), whiteners.data(), base.data(), out, threads);
    });
}

Array<double> linear_py(const Object<RealArray>& matrix_array, const Object<Array<double>>& coefficient_array,
                        const Vector<double>& base, bool posterior, int threads) {
    const RealMatrixArray matrix(matrix_array);
    const std::size_t k = base.shape(0);
    const auto coefficients = table_from(coefficient_array, "coefficients", {k, matrix.view.columns});
    return scores_of(matrix.view.rows, k, posterior, [&](const ClassScores& out) {
        linear_class_scores(matrix.view, coefficients.data(), base.data(), out, threads);
    });
}

Array<double> table_py(const List<CodeArray>& column_list, const List<Array<double>>& table_list,
                       const Vector<double>& log_prior, std::int64_t rows, bool posterior, int threads) {
    const std::size_t k = log_prior.shape(0);
    std::vector<Tensor<double>> tables;
    std::vector<const double*> places;
    std::vector<std::int64_t> cards;
    for (std::size_t at = 0; at < table_list.size(); ++at) {
        const std::string name = "log table " + std::to_string(at);
        tables.push_back(array_from<Tensor<double>>(table_list[at], name, "a contiguous float64 array"));
        if (tables.back().ndim() != 2 || tables.back().shape(1) != k) {
            throw std::invalid_argument(name + ": expected an array of shape (states, " + std::to_string(k) + ")");
        }
        places.push_back(tables.back().data());
        cards.push_back(static_cast<std::int64_t>(tables.back().shape(0)));
    }
    const Columns columns(column_list, cards);
    const std::size_t n = natural(rows, "rows");
    if (!columns.views.empty()) check_length("column 0", columns.rows, n);
    return scores_of(n, k, posterior, [&](const ClassScores& out) {
        table_class_scores(columns.views, n, places, log_prior.data(), out, threads);
    });
}

Array<double> softmax_py(const Tensor<double>& scores, int threads) {
    if (scores.ndim() != 2) throw std::invalid_argument("scores: expected a two-dimensional array");
    const std::size_t rows = scores.shape(0), classes = scores.shape(1);
    Output<double> result({rows, classes});
    {
        const Unlocked unlocked;
        std::copy_n(scores.data(), rows * classes, result.data());
        if (classes > 0) softmax_rows(result.data(), rows, classes, threads);
    }
    return result.release();
}

}  // namespace

void register_class_scores(nb::module_& m) {
    using namespace nb::literals;
    m.def("gaussian_class_scores", &gaussian_py, "matrix"_a, "means"_a, "variances"_a, "log_prior"_a,
          "posterior"_a = false, "threads"_a = 0,
          "Log joint density (or posterior) of each class; columns independent given the class, NaN left out.");
    m.def("quadratic_class_scores", &quadratic_py, "matrix"_a, "means"_a, "whiteners"_a, "base"_a,
          "posterior"_a = false, "threads"_a = 0, "base - |(x - mean)' whitener|^2 / 2 of each class, or its softmax.");
    m.def("linear_class_scores", &linear_py, "matrix"_a, "coefficients"_a, "base"_a, "posterior"_a = false,
          "threads"_a = 0, "base + coefficients x of each class, or its softmax.");
    m.def("table_class_scores", &table_py, "columns"_a, "log_tables"_a, "log_prior"_a, "rows"_a, "posterior"_a = false,
          "threads"_a = 0, "log_prior + the sum of each column's log table [state, class], or its softmax.");
    m.def("softmax_rows", &softmax_py, "scores"_a, "threads"_a = 0, "exp(scores), each row divided by its sum.");
}

}  // namespace bayou::bindings
