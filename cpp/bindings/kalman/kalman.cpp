#include "bayou/kalman/linear_system.hpp"

#include "matrices.hpp"
#include "register.hpp"
#include "unlocked.hpp"

namespace bayou::bindings {

namespace {

// A system of eight arrays: transition, control, transition noise, observation, direct, observation noise, start mean,
// start covariance. Holds them while the kernels read them.
class SystemArrays {
  public:
    SystemArrays(const List<Array<double>>& arrays, const char* name) {
        if (arrays.size() != 8) throw std::invalid_argument(std::string(name) + ": expected eight arrays");
        const auto first = array_from<Matrix<double>>(arrays[1], "control", "a contiguous two-dimensional array");
        const auto seen = array_from<Matrix<double>>(arrays[3], "observation", "a contiguous two-dimensional array");
        const std::size_t n = first.shape(0), k = first.shape(1), m = seen.shape(0);
        if (n == 0) throw std::invalid_argument("a system has at least one state");
        const double* parts[8];
        const char* names[] = {"transition", "control",           "transition noise", "observation",
                               "direct",     "observation noise", "start mean",       "start covariance"};
        const std::vector<std::size_t> shapes[] = {{n, n}, {n, k}, {n, n}, {m, n}, {m, k}, {m, m}, {n}, {n, n}};
        for (std::size_t at = 0; at < 8; ++at) {
            held_.push_back(table_from(arrays[at], names[at], shapes[at]));
            parts[at] = held_.back().data();
        }
        view = {n,        m,        k,        parts[0], parts[1], parts[2],
                parts[3], parts[4], parts[5], parts[6], parts[7]};
    }
    LinearSystem view;

  private:
    std::vector<Tensor<double>> held_;
};

class SeriesArrays {
  public:
    SeriesArrays(const LinearSystem& system, const Vector<std::int64_t>& starts, const Matrix<double>& values,
                 const Matrix<double>& inputs)
        : starts_(starts), values_(values), inputs_(inputs) {
        if (starts.shape(0) == 0 || starts.data()[0] != 0) {
            throw std::invalid_argument("starts: expected the first rows of the sequences, from 0, and the end");
        }
        view.count = starts.shape(0) - 1;
        for (std::size_t at = 0; at < view.count; ++at) {
            if (starts.data()[at] > starts.data()[at + 1]) throw std::invalid_argument("starts must not fall");
        }
        rows = static_cast<std::size_t>(starts.data()[view.count]);
        check_length("values", values.shape(0), rows);
        check_length("inputs", inputs.shape(0), rows);
        check_length("a row of values", values.shape(1), system.columns);
        check_length("a row of inputs", inputs.shape(1), system.inputs);
        view.starts = starts.data();
        view.values = values.data();
        view.inputs = inputs.data();
    }
    void weigh(const Object<Array<double>>& weights) {
        if (weights.is_none()) return;
        weights_ = array_from<Vector<double>>(weights, "weights", "a contiguous one-dimensional float64 array");
        check_length("weights", weights_.shape(0), view.count);
        view.weights = weights_.data();
    }
    ObservedSeries view;
    std::size_t rows = 0;

  private:
    Vector<std::int64_t> starts_;
    Matrix<double> values_, inputs_;
    Vector<double> weights_;
};

using FilteredArrays = Tuple<Array<double>, Array<double>, Array<double>, Array<double>, std::int64_t>;

FilteredArrays kalman_filter_py(const List<Array<double>>& system, const Vector<std::int64_t>& starts,
                                const Matrix<double>& values, const Matrix<double>& inputs, bool states, int threads) {
    const SystemArrays given(system, "system");
    const SeriesArrays series(given.view, starts, values, inputs);
    const std::size_t n = given.view.states, kept = states ? series.rows : 0;
    Output<double> likelihoods({series.view.count}), steps({series.rows}), means({kept, n}), covariances({kept, n, n});
    std::int64_t failed = -1;
    {
        const Unlocked unlocked;
        FilteredSeries results{likelihoods.data(), steps.data(), nullptr, nullptr};
        if (states) {
            results.means = means.data();
            results.covariances = covariances.data();
        }
        failed = filter_series(given.view, series.view, results, threads);
    }
    return nb::make_tuple(likelihoods.release(), steps.release(), means.release(), covariances.release(), failed);
}

using SmoothedArrays = Tuple<Array<double>, Array<double>, Array<double>, std::int64_t>;

SmoothedArrays kalman_smooth_py(const List<Array<double>>& system, const Vector<std::int64_t>& starts,
                                const Matrix<double>& values, const Matrix<double>& inputs, int threads) {
    const SystemArrays given(system, "system");
    const SeriesArrays series(given.view, starts, values, inputs);
    const std::size_t n = given.view.states;
    Output<double> likelihoods({series.view.count}), means({series.rows, n}), covariances({series.rows, n, n});
    std::int64_t failed = -1;
    {
        const Unlocked unlocked;
        failed = smooth_series(given.view, series.view, {likelihoods.data(), means.data(), covariances.data()}, threads);
    }
    return nb::make_tuple(likelihoods.release(), means.release(), covariances.release(), failed);
}

// Sums of a vector as arrays.
struct SumsOutput {
    explicit SumsOutput(std::size_t size) : size(size), weight({1}), first({size}), second({size, size}) {}
    VectorSums view() { return {size, weight.data(), first.data(), second.data()}; }
    nb::tuple release() { return nb::make_tuple(weight.data()[0], first.release(), second.release()); }
    std::size_t size;
    Output<double> weight, first, second;
};

using SumsArrays = Tuple<double, Array<double>, Array<double>>;
using ExpectedArrays = Tuple<Array<double>, SumsArrays, SumsArrays, SumsArrays, std::int64_t>;

ExpectedArrays kalman_expect_py(const List<Array<double>>& system, const List<Array<double>>& reference,
                                const Vector<std::int64_t>& starts, const Matrix<double>& values,
                                const Matrix<double>& inputs, const Object<Array<double>>& weights, int threads) {
    const SystemArrays given(system, "system"), about(reference, "reference");
    if (about.view.states != given.view.states || about.view.inputs != given.view.inputs ||
        about.view.columns != given.view.columns) {
        throw std::invalid_argument("reference: expected arrays of the same shapes as those of system");
    }
    SeriesArrays series(given.view, starts, values, inputs);
    series.weigh(weights);
    const std::size_t n = given.view.states, k = given.view.inputs, m = given.view.columns;
    Output<double> likelihoods({series.view.count});
    SumsOutput start(n), moves(2 * n + k), observed(n + k + m);
    std::int64_t failed = -1;
    {
        const Unlocked unlocked;
        const SystemSums results{likelihoods.data(), start.view(), moves.view(), observed.view()};
        failed = expect_series(given.view, about.view, series.view, results, threads);
    }
    return nb::make_tuple(likelihoods.release(), start.release(), moves.release(), observed.release(), failed);
}

}  // namespace

void register_kalman(nb::module_& m) {
    using namespace nb::literals;
    m.def("kalman_filter", &kalman_filter_py, "system"_a, "starts"_a, "values"_a, "inputs"_a, "states"_a = true,
          "threads"_a = 0,
          "(log-likelihoods, log density of each row given those before, means, covariances, first bad row or -1).");
    m.def("kalman_smooth", &kalman_smooth_py, "system"_a, "starts"_a, "values"_a, "inputs"_a, "threads"_a = 0,
          "(log-likelihoods, means and covariances given all rows, first bad row or -1).");
    m.def("kalman_expect", &kalman_expect_py, "system"_a, "reference"_a, "starts"_a, "values"_a, "inputs"_a,
          "weights"_a.none(), "threads"_a = 0,
          "(log-likelihoods, sums of first states, of moves and of observations, first bad row or -1).");
}

}  // namespace bayou::bindings
