#include "bayou/sequences/chain_climbs.hpp"

#include "matrices.hpp"
#include "register.hpp"
#include "unlocked.hpp"

namespace bayou::bindings {

namespace {

using NumberColumn = nb::ndarray<const double, nb::ndim<1>, nb::device::cpu>;  // perhaps one of a matrix

// The problem of a call; holds the arrays while the kernel reads them.
class ClimbCall {
  public:
    ClimbCall(std::int64_t states, const Vector<std::int64_t>& starts, const Object<Array<double>>& weights,
              const List<CodeArray>& columns, const std::vector<std::int64_t>& cards,
              const List<Array<double>>& numbers, std::int64_t covariance, const Vector<double>& floors,
              const Vector<double>& pseudocounts)
        : starts_(starts), columns_(columns, cards), floors_(floors), pseudocounts_(pseudocounts) {
        problem.states = natural(states, "states", most_climb_states);
        if (problem.states == 0) throw std::invalid_argument("states is 0: expected at least one state");
        add_sequences(weights);
        if (!columns_.views.empty()) check_length("a column", columns_.rows, problem.rows());
        problem.columns = columns_.views;
        for (nb::handle item : numbers) {
            numbers_.push_back(array_from<NumberColumn>(item, "a column of numbers", "a one-dimensional float64 array"));
            check_length("a column of numbers", numbers_.back().shape(0), problem.rows());
            problem.numbers.push_back({numbers_.back().data(), numbers_.back().stride(0)});
        }
        if (numbers_.size() > most_gaussian_columns) throw std::invalid_argument("numbers: expected at most 16 columns");
        problem.covariance = static_cast<Covariance>(natural(covariance, "covariance", 4));
        check_length("floors", floors.shape(0), numbers_.size());
        problem.floors = floors.data();
        check_length("pseudocounts", pseudocounts.shape(0), problem.table_cells());
        problem.pseudocounts = pseudocounts.data();
    }

    ClimbProblem problem;

  private:
    void add_sequences(const Object<Array<double>>& weights) {
        if (starts_.shape(0) == 0 || starts_.data()[0] != 0) {
            throw std::invalid_argument("starts: expected the first rows of the sequences, from 0, and the end");
        }
        problem.sequences = {starts_.data(), starts_.shape(0) - 1, nullptr};
        for (std::size_t at = 0; at < problem.sequences.count; ++at) {
            if (starts_.data()[at] > starts_.data()[at + 1]) throw std::invalid_argument("starts must not fall");
        }
        if (weights.is_none()) return;
        weights_ = array_from<Vector<double>>(weights, "weights", "a contiguous one-dimensional float64 array");
        check_length("weights", weights_.shape(0), problem.sequences.count);
        problem.sequences.weights = weights_.data();
    }

    Vector<std::int64_t> starts_;
    Vector<double> weights_;
    Columns columns_;
    std::vector<NumberColumn> numbers_;
    Vector<double> floors_, pseudocounts_;
};

using Climbed = Tuple<Array<double>, Array<double>, Array<std::int64_t>>;

Climbed climb_chains_py(const Matrix<double>& parameters, std::int64_t states, const Vector<std::int64_t>& starts,
                        const Object<Array<double>>& weights, const List<CodeArray>& columns,
                        const std::vector<std::int64_t>& cards, const List<Array<double>>& numbers,
                        std::int64_t covariance, const Vector<double>& floors, const Vector<double>& pseudocounts,
                        std::int64_t steps, double tolerance, int threads) {
    const ClimbCall call(states, starts, weights, columns, cards, numbers, covariance, floors, pseudocounts);
    const std::size_t climbs = parameters.shape(0), cells = call.problem.cells();
    if (parameters.shape(1) != cells) {
        throw std::invalid_argument("parameters: expected " + std::to_string(cells) + " numbers for each climb");
    }
    const std::size_t most_steps = natural(steps, "steps");
    Output<double> moved({climbs, cells}), objectives({climbs});
    Output<std::int64_t> taken({climbs});
    {
        const Unlocked unlocked;
        std::copy_n(parameters.data(), climbs * cells, moved.data());
        climb_chains(call.problem, {moved.data(), objectives.data(), taken.data()}, climbs, most_steps, tolerance, threads);
    }
    return nb::make_tuple(moved.release(), objectives.release(), taken.release());
}

}  // namespace

void register_chain_climbs(nb::module_& m) {
    using namespace nb::literals;
    m.def("climb_chains", &climb_chains_py, "parameters"_a, "states"_a, "starts"_a, "weights"_a.none(), "columns"_a,
          "cards"_a, "numbers"_a, "covariance"_a, "floors"_a, "pseudocounts"_a, "steps"_a, "tolerance"_a,
          "threads"_a = 0,
          "Steps of EM for many hidden Markov models: (parameters, objective before the last step, steps made).");
}

}  // namespace bayou::bindings
