#include "bayou/sequences/hidden_chain.hpp"
#include "bayou/sequences/shared_moments.hpp"

#include "matrices.hpp"
#include "register.hpp"
#include "unlocked.hpp"

namespace bayou::bindings {

namespace {

Vector<double> state_vector(nb::handle item, const char* name, std::size_t states) {
    auto array = array_from<Vector<double>>(item, name, "a contiguous one-dimensional float64 array");
    if (array.shape(0) != states) {
        throw std::invalid_argument(std::string(name) + " has " + std::to_string(array.shape(0)) +
                                    " numbers: expected one for each of " + std::to_string(states) + " states");
    }
    return array;
}

using Spaced = nb::ndarray<const double, nb::ndim<1>, nb::device::cpu>;  // a column, perhaps of a matrix

// Columns, means, whiteners and bases: see GaussianEmission.
using Gaussian = Tuple<List<Array<double>>, Array<double>, Array<double>, Array<double>>;

// The chain and the sequences of a call; holds the arrays while the kernels read them.
class ChainCall {
  public:
    ChainCall(const Vector<double>& start, const Matrix<double>& transition, const Object<Array<double>>& end,
              const Vector<std::int64_t>& starts, const List<CodeArray>& columns, const List<Array<double>>& tables,
              const Object<Array<double>>& logs, const Object<Gaussian>& gaussian)
        : start_(start), transition_(transition), starts_(starts), columns_(columns, cards_of(columns, tables)) {
        const std::size_t k = start.shape(0);
        if (k == 0) throw std::invalid_argument("start is empty: expected a probability for each state");
        if (transition.shape(0) != k || transition.shape(1) != k) {
            throw std::invalid_argument("transition: expected an array of shape (" + std::to_string(k) + ", " +
                                        std::to_string(k) + ")");
        }
        chain = {k, start.data(), transition.data(), nullptr};
        if (!end.is_none()) {
            end_ = state_vector(end, "end", k);
            chain.end = end_.data();
        }
        check_starts();
        add_tables(tables, k);
        if (!logs.is_none()) {
            logs_ = array_from<Matrix<double>>(logs, "logs", "a contiguous two-dimensional float64 array");
            if (logs_.shape(0) != rows_ || logs_.shape(1) != k) {
                throw std::invalid_argument("logs: expected an array of shape (" + std::to_string(rows_) + ", " +
                                            std::to_string(k) + ")");
            }
            emissions.logs = logs_.data();
        }
        if (!gaussian.is_none()) add_gaussian(nb::cast<nb::tuple>(gaussian), k);
    }

    void weigh(const Object<Array<double>>& weights) {
        if (weights.is_none()) return;
        weights_ = array_from<Vector<double>>(weights, "weights", "a contiguous one-dimensional float64 array");
        check_length("weights", weights_.shape(0), sequences.count);
        sequences.weights = weights_.data();
    }

    std::size_t rows() const { return rows_; }

    HiddenChain chain;
    Emissions emissions;
    SequenceRows sequences;

  private:
    static std::vector<std::int64_t> cards_of(const List<CodeArray>& columns, const List<Array<double>>& tables) {
        check_length("tables", tables.size(), columns.size());
        std::vector<std::int64_t> cards;
        for (std::size_t at = 0; at < tables.size(); ++at) {
            const auto table = array_from<Matrix<double>>(tables[at], "table " + std::to_string(at),
                                                          "a contiguous two-dimensional float64 array");
            if (table.shape(0) < 1) throw std::invalid_argument("a table is empty: expected a row for missing codes");
            cards.push_back(static_cast<std::int64_t>(table.shape(0)) - 1);
        }
        return cards;
    }

    void check_starts() {
        if (starts_.shape(0) == 0 || starts_.data()[0] != 0) {
            throw std::invalid_argument("starts: expected the first rows of the sequences, from 0, and the end");
        }
        sequences = {starts_.data(), starts_.shape(0) - 1, nullptr};
        for (std::size_t at = 0; at < sequences.count; ++at) {
            if (starts_.data()[at] > starts_.data()[at + 1]) throw std::invalid_argument("starts must not fall");
        }
        rows_ = static_cast<std::size_t>(starts_.data()[sequences.count]);
    }

    void add_tables(const List<Array<double>>& tables, std::size_t k) {
        for (std::size_t at = 0; at < tables.size(); ++at) {
            tables_.push_back(nb::cast<Matrix<double>>(tables[at]));
            if (tables_.back().shape(1) != k) {
                throw std::invalid_argument("table " + std::to_string(at) + ": expected " + std::to_string(k) +
                                            " columns");
            }
            check_length("a column", columns_.rows, rows_);
            emissions.coded.push_back({columns_.views[at], tables_.back().data(), nullptr});
        }
    }

    void add_gaussian(const nb::tuple& given, std::size_t k) {
        check_length("gaussian", given.size(), 4);
        const char* expected = "a contiguous float64 array";
        for (nb::handle item : nb::cast<nb::list>(given[0])) {
            numbers_.push_back(array_from<Spaced>(item, "a column of gaussian", "a one-dimensional float64 array"));
            check_length("a column of gaussian", numbers_.back().shape(0), rows_);
            emissions.gaussian.columns.push_back({numbers_.back().data(), numbers_.back().stride(0)});
        }
        const std::size_t d = numbers_.size();
        if (d == 0 || d > most_gaussian_columns) throw std::invalid_argument("gaussian: expected 1 to 16 columns");
        means_ = array_from<Matrix<double>>(given[1], "the means of gaussian", expected);
        whiteners_ = array_from<Matrix<double>>(given[2], "the whiteners of gaussian", expected);
        bases_ = state_vector(given[3], "the bases of gaussian", k);
        check_length("the means of gaussian", means_.shape(0) * means_.shape(1), k * d);
        check_length("the whiteners of gaussian", whiteners_.shape(0) * whiteners_.shape(1), k * d * (d + 1) / 2);
        emissions.gaussian.means = means_.data();
        emissions.gaussian.whiteners = whiteners_.data();
        emissions.gaussian.bases = bases_.data();
    }

    Vector<double> start_;
    Matrix<double> transition_;
    Vector<double> end_, weights_;
    Vector<std::int64_t> starts_;
    Columns columns_;
    Matrix<double> logs_;
    std::vector<Matrix<double>> tables_;
    std::vector<Spaced> numbers_;
    Matrix<double> means_, whiteners_;
    Vector<double> bases_;
    std::size_t rows_ = 0;
};

using Filtered = Tuple<Array<double>, Array<double>, Array<double>>;

Filtered filter_chain_py(const Vector<double>& start, const Matrix<double>& transition,
                         const Object<Array<double>>& end, const Vector<std::int64_t>& starts,
                         const List<CodeArray>& columns, const List<Array<double>>& tables,
                         const Object<Array<double>>& logs, bool states, const Object<Gaussian>& gaussian,
                         int threads) {
    ChainCall call(start, transition, end, starts, columns, tables, logs, gaussian);
    const std::size_t rows = states ? call.rows() : 0;
    Output<double> likelihoods({call.sequences.count}), steps({rows}), filtered({rows, call.chain.states});
    {
        const Unlocked unlocked;
        ChainResults results;
        results.log_likelihoods = likelihoods.data();
        results.step_logs = states ? steps.data() : nullptr;
        results.filtered = states ? filtered.data() : nullptr;
        run_hidden_chain(call.chain, call.emissions, call.sequences, results, threads);
    }
    return nb::make_tuple(likelihoods.release(), steps.release(), filtered.release());
}

using ExpectedMoments = Tuple<Array<double>, Array<double>, Array<double>>;
using Expected = Tuple<Array<double>, Array<double>, Array<double>, Array<double>, List<Array<double>>, Array<double>,
                       ExpectedMoments>;

nb::object moments_of(const ChainCall& call, const std::vector<double>& sums) {
    const GaussianEmission& own = call.emissions.gaussian;
    const std::size_t k = sums.empty() ? 0 : call.chain.states, d = own.columns.size();
    Output<double> n({k}), mean({k, d}), scatter({k, d, d});
    for (std::size_t j = 0; j < k; ++j) {
        moments_from_sums(sums.data() + j * own.cells(), own.means + j * d, d, n.data() + j, mean.data() + j * d,
                          scatter.data() + j * d * d);
    }
    return nb::make_tuple(n.release(), mean.release(), scatter.release());
}

Expected expect_chain_py(const Vector<double>& start, const Matrix<double>& transition,
                         const Object<Array<double>>& end, const Vector<std::int64_t>& starts,
                         const List<CodeArray>& columns, const List<Array<double>>& tables,
                         const Object<Array<double>>& logs, const Object<Array<double>>& weights, bool counts,
                         bool smoothed, const Object<Gaussian>& gaussian, int threads) {
    ChainCall call(start, transition, end, starts, columns, tables, logs, gaussian);
    call.weigh(weights);
    const std::size_t k = call.chain.states;
    Output<double> likelihoods({call.sequences.count}), first({k}), moves({k, k}), last({k});
    Output<double> states({smoothed ? call.rows() : 0, k});
    std::vector<Output<double>> coded;
    for (CodedEmission& one : call.emissions.coded) {
        coded.emplace_back(std::vector<std::size_t>{counts ? std::size_t{one.column.card} + 1 : 0, k});
        one.counts = counts ? coded.back().data() : nullptr;
    }
    GaussianEmission& numbers = call.emissions.gaussian;
    std::vector<double> sums(counts && !numbers.columns.empty() ? k * numbers.cells() : 0);
    numbers.sums = sums.empty() ? nullptr : sums.data();
    {
        const Unlocked unlocked;
        ChainResults results;
        results.log_likelihoods = likelihoods.data();
        results.smoothed = smoothed ? states.data() : nullptr;
        results.start_counts = counts ? first.data() : nullptr;
        results.transition_counts = counts ? moves.data() : nullptr;
        results.end_counts = counts ? last.data() : nullptr;
        run_hidden_chain(call.chain, call.emissions, call.sequences, results, threads);
    }
    nb::list tables_of_counts;
    for (Output<double>& one : coded) tables_of_counts.append(one.release());
    return nb::make_tuple(likelihoods.release(), first.release(), moves.release(), last.release(), tables_of_counts,
                          states.release(), moments_of(call, sums));
}

using Paths = Tuple<Array<std::uint32_t>, Array<double>>;

Paths best_paths_py(const Vector<double>& start, const Matrix<double>& transition, const Object<Array<double>>& end,
                    const Vector<std::int64_t>& starts, const List<CodeArray>& columns,
                    const List<Array<double>>& tables, const Object<Array<double>>& logs,
                    const Object<Gaussian>& gaussian, int threads) {
    ChainCall call(start, transition, end, starts, columns, tables, logs, gaussian);
    Output<std::uint32_t> states({call.rows()});
    Output<double> probabilities({call.sequences.count});
    {
        const Unlocked unlocked;
        best_paths(call.chain, call.emissions, call.sequences, states.data(), probabilities.data(), threads);
    }
    return nb::make_tuple(states.release(), probabilities.release());
}

Tuple<Array<double>, double> carry_message_py(const Vector<double>& message, const Matrix<double>& transition,
                                              const Vector<std::int64_t>& starts, const List<CodeArray>& columns,
                                              const List<Array<double>>& tables, const Object<Array<double>>& logs,
                                              bool backward, bool best, const Object<Gaussian>& gaussian) {
    ChainCall call(message, transition, nb::none(), starts, columns, tables, logs, gaussian);
    check_length("starts", call.sequences.count, 1);
    Output<double> carried({call.chain.states});
    std::copy_n(message.data(), call.chain.states, carried.data());
    double log_scale = 0;
    {
        const Unlocked unlocked;
        log_scale = carry_message(call.chain, call.emissions, call.rows(), backward, best, carried.data());
    }
    return nb::make_tuple(carried.release(), log_scale);
}

// Moments of the rows in each group, a row belonging to all groups with the weights of its line.
Tuple<Array<double>, Array<double>, Array<double>> shared_moments_py(const Matrix<double>& matrix,
                                                                     const Matrix<double>& weights,
                                                                     const Matrix<double>& centres, int threads) {
    const std::size_t rows = matrix.shape(0), d = matrix.shape(1), groups = weights.shape(1);
    check_length("weights", weights.shape(0), rows);
    check_length("centres", centres.shape(0), groups);
    if (centres.shape(1) != d) throw std::invalid_argument("centres: expected a number for each column");
    Output<double> n({groups}), mean({groups, d}), scatter({groups, d, d});
    {
        const Unlocked unlocked;
        const SharedRows shared{matrix.data(), weights.data(), centres.data(), rows, d, groups};
        shared_moments(shared, n.data(), mean.data(), scatter.data(), threads);
    }
    return nb::make_tuple(n.release(), mean.release(), scatter.release());
}

}  // namespace

void register_hidden_chain(nb::module_& m) {
    using namespace nb::literals;
    m.def("filter_chain", &filter_chain_py, "start"_a, "transition"_a, "end"_a.none(), "starts"_a, "columns"_a,
          "tables"_a, "logs"_a.none(), "states"_a = true, "gaussian"_a.none() = nb::none(), "threads"_a = 0,
          "(log-likelihood of each sequence, log P(row | rows before), P(state | rows so far)).");
    m.def("expect_chain", &expect_chain_py, "start"_a, "transition"_a, "end"_a.none(), "starts"_a, "columns"_a,
          "tables"_a, "logs"_a.none(), "weights"_a.none(), "counts"_a = true, "smoothed"_a = false,
          "gaussian"_a.none() = nb::none(), "threads"_a = 0,
          "(log-likelihoods, counts of first states, moves, last states and codes, smoothed states, moments).");
    m.def("shared_moments", &shared_moments_py, "matrix"_a, "weights"_a, "centres"_a, "threads"_a = 0,
          "(n, mean, centred scatter) of each group; row i belongs to group g with weights[i, g].");
    m.def("carry_message", &carry_message_py, "message"_a, "transition"_a, "starts"_a, "columns"_a, "tables"_a,
          "logs"_a.none(), "backward"_a = false, "best"_a = false, "gaussian"_a.none() = nb::none(),
          "(log message at the last row of a block, backward at its first; what it was divided by, as a log).");
    m.def("best_paths", &best_paths_py, "start"_a, "transition"_a, "end"_a.none(), "starts"_a, "columns"_a,
          "tables"_a, "logs"_a.none(), "gaussian"_a.none() = nb::none(), "threads"_a = 0,
          "(most probable states, their log probability a sequence).");
}

}  // namespace bayou::bindings
