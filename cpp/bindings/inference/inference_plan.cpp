// Compiled questions: built from a network's tables, run on findings.
#include "bayou/inference/inference_plan.hpp"

#include <limits>
#include <mutex>

#include "arrays.hpp"
#include "bayou/base/threads.hpp"
#include "bayou/inference/inference_rows.hpp"
#include "bayou/inference/plan_builder.hpp"
#include "bayou/inference/row_plan.hpp"
#include "register.hpp"
#include "unlocked.hpp"

namespace bayou::bindings {

namespace {

using Numbers = std::vector<std::uint32_t>;

void check_variables(const Numbers& variables, std::size_t count) {
    for (const std::uint32_t variable : variables) {
        if (variable >= count) throw std::invalid_argument("there is no variable " + std::to_string(variable));
    }
}

// Memory that the plans of a thread use in turn, so that many plans do not need many tables.
class Scratch {
  public:
    double* at_least(std::size_t size) {
        if (size > size_) {
            memory_.reset(new double[size]);
            size_ = size;
        }
        return memory_.get();
    }
    void shrink() {
        if (size_ <= most_kept) return;
        memory_.reset();
        size_ = 0;
    }

  private:
    static constexpr std::size_t most_kept = std::size_t{1} << 22;
    std::unique_ptr<double[]> memory_;
    std::size_t size_ = 0;
};

Scratch& scratch_of_thread() {
    static thread_local Scratch scratch;
    return scratch;
}

// The tables of a network, which all its plans read.
class FactorTables {
  public:
    FactorTables(const Numbers& cards, const std::vector<Numbers>& scopes, const nb::list& tables) : cards_(cards) {
        if (tables.size() != scopes.size()) throw std::invalid_argument("expected one table a scope");
        for (std::size_t at = 0; at < scopes.size(); ++at) {
            held_.push_back(array_from<Tensor<double>>(tables[at], "a table", "a contiguous float64 array"));
            if (held_.back().size() != size_of(scopes[at])) {
                throw std::invalid_argument("a table does not fit its scope");
            }
            factors_.push_back({scopes[at], held_.back().data()});
        }
    }

    std::size_t size_of(const Numbers& scope) const {
        check_variables(scope, cards_.size());
        std::size_t size = 1;
        for (const std::uint32_t variable : scope) size *= cards_[variable];
        return size;
    }

    const PlanFactor& factor(std::uint32_t number) const {
        if (number >= factors_.size()) throw std::invalid_argument("there is no table " + std::to_string(number));
        return factors_[number];
    }

    const Numbers& cards() const { return cards_; }

  private:
    Numbers cards_;
    std::vector<Tensor<double>> held_;
    std::vector<PlanFactor> factors_;
};

// A plan for some of a network's tables, and further ones over the scopes `given` that are given at every run.
class PyInferencePlan {
  public:
    PyInferencePlan(const FactorTables& tables, const Numbers& factors, const std::vector<Numbers>& given,
                    const Numbers& observed, const Numbers& joint, const Numbers& maximised, std::int64_t lanes,
                    bool marginals) {
        const Numbers& cards = tables.cards();
        question_.cards = cards;
        question_.observed = observed;
        question_.joint = joint;
        question_.maximised = maximised;
        question_.marginals = marginals;
        question_.lanes = natural(lanes, "lanes", 4096);
        if (question_.lanes == 0) throw std::invalid_argument("lanes must be at least 1");
        for (const Numbers* list : {&observed, &joint, &maximised}) check_variables(*list, cards.size());
        question_.factors.reserve(factors.size() + given.size());
        for (const std::uint32_t number : factors) question_.factors.push_back(tables.factor(number));
        for (const Numbers& scope : given) {
            given_sizes_.push_back(tables.size_of(scope));
            question_.factors.push_back({scope, nullptr});
        }
        const Unlocked unlocked;
        plan_ = std::make_unique<const InferencePlan>(build_plan(question_));
        kept_ = std::make_unique<PlanRunner>(*plan_);
    }

    Tuple<double, Array<double>, Array<std::uint32_t>> run(const Vector<std::uint32_t>& codes,
                                                           const List<Array<double>>& given, int threads) {
        check_codes(codes);
        const std::vector<Tensor<double>> held = check_given(given);
        std::vector<const double*> values;
        for (const auto& array : held) values.push_back(array.data());
        const std::size_t size = plan_->answer_size() * plan_->lanes;
        Output<double> answer({size});
        const std::size_t traced = question_.maximised.empty() ? 0 : question_.cards.size();
        Output<std::uint32_t> states({traced});
        double log_evidence = 0;
        {
            const Unlocked unlocked;
            // Constants that an earlier run computed are reused; a second thread uses a runner of its own.
            std::unique_lock<std::mutex> hold(kept_lock_, std::try_to_lock);
            PlanRunner own(*plan_);
            PlanRunner& runner = hold.owns_lock() ? *kept_ : own;
            Scratch& scratch = scratch_of_thread();
            runner.use_scratch(scratch.at_least(plan_->scratch_size));
            runner.run({codes.data(), codes.shape(0)}, values, {answer.data(), size}, threads);
            log_evidence = runner.log_evidence()[0];
            const bool possible = log_evidence > -std::numeric_limits<double>::infinity();
            if (!question_.maximised.empty() && possible) runner.trace_back({states.data(), traced});
            scratch.shrink();
        }
        return nb::make_tuple(log_evidence, answer.release(), states.release());
    }

    Tuple<Array<double>, Array<double>> run_rows(const List<CodeArray>& columns, const std::vector<std::int64_t>& cards,
                                                 std::int64_t rows, int threads) {
        const Columns held(columns, cards);
        const std::size_t count = natural(rows, "rows");
        if (held.views.size() != given_sizes_.size() || (!held.views.empty() && held.rows != count)) {
            throw std::invalid_argument("expected one column of codes a given factor");
        }
        for (std::size_t k = 0; k < held.views.size(); ++k) {
            if (held.views[k].card != given_sizes_[k]) throw std::invalid_argument("a column has other states");
        }
        Output<double> answers({count, plan_->answer_size()});
        Output<double> logs({count});
        {
            const Unlocked unlocked;
            bayou::run_rows(*plan_, held.views, count, answers.data(), logs.data(), threads);
        }
        return nb::make_tuple(logs.release(), answers.release());
    }

    const InferencePlan& plan() const { return *plan_; }

    std::vector<Numbers> cliques() const {
        std::vector<Numbers> scopes;
        for (const Clique& clique : plan_->tree.cliques) scopes.push_back(clique.scope);
        return scopes;
    }

    std::vector<std::int32_t> parents() const {
        std::vector<std::int32_t> parents;
        for (const Clique& clique : plan_->tree.cliques) parents.push_back(clique.parent);
        return parents;
    }

  private:
    void check_codes(const Vector<std::uint32_t>& codes) const {
        if (codes.shape(0) != question_.observed.size()) throw std::invalid_argument("expected one code a finding");
        for (std::size_t at = 0; at < question_.observed.size(); ++at) {
            if (codes.data()[at] >= question_.cards[question_.observed[at]]) {
                throw std::invalid_argument("a code is not below its variable's number of states");
            }
        }
    }

    std::vector<Tensor<double>> check_given(const nb::list& given) const {
        if (given.size() != given_sizes_.size()) throw std::invalid_argument("expected one array a given factor");
        std::vector<Tensor<double>> held;
        for (std::size_t k = 0; k < given_sizes_.size(); ++k) {
            held.push_back(array_from<Tensor<double>>(given[k], "a given factor", "a contiguous float64 array"));
            if (held.back().size() != given_sizes_[k] * plan_->lanes) {
                throw std::invalid_argument("a given factor does not fit its scope");
            }
        }
        return held;
    }

    std::vector<std::size_t> given_sizes_;
    PlanQuestion question_;
    std::unique_ptr<const InferencePlan> plan_;
    std::unique_ptr<PlanRunner> kept_;
    std::mutex kept_lock_;
};

// A plan for rows; it has its own copies of the tables.
class PyRowPlan {
  public:
    PyRowPlan(const Numbers& cards, const std::vector<Numbers>& scopes, const nb::list& tables, std::uint32_t target)
        : cards_(cards) {
        check_variables({target}, cards.size());
        if (tables.size() != scopes.size()) throw std::invalid_argument("expected one table a scope");
        std::vector<Tensor<double>> held;
        std::vector<PlanFactor> factors;
        for (std::size_t at = 0; at < scopes.size(); ++at) {
            check_variables(scopes[at], cards.size());
            std::size_t size = 1;
            for (const std::uint32_t variable : scopes[at]) size *= cards[variable];
            held.push_back(array_from<Tensor<double>>(tables[at], "a table", "a contiguous float64 array"));
            if (held.back().size() != size) throw std::invalid_argument("a table does not fit its scope");
            factors.push_back({scopes[at], held.back().data()});
        }
        const Unlocked unlocked;
        plan_ = std::make_unique<RowPlan>(cards, factors, target);
    }

    Tuple<Array<double>, Array<double>> run(const List<CodeArray>& columns, const Numbers& variables, std::int64_t rows,
                                            int threads) {
        check_variables(variables, cards_.size());
        std::vector<std::int64_t> cards;
        for (const std::uint32_t variable : variables) cards.push_back(cards_[variable]);
        const Columns held(columns, cards);
        const std::size_t count = natural(rows, "rows");
        if (!held.views.empty() && held.rows != count) throw std::invalid_argument("expected a code a row");
        Output<double> answers({count, plan_->states()});
        Output<double> logs({count});
        {
            const Unlocked unlocked;
            plan_->run(held.views, variables, count, answers.data(), logs.data(), threads);
        }
        return nb::make_tuple(logs.release(), answers.release());
    }

    double expected_entries(const std::vector<double>& missing) const {
        if (missing.size() != cards_.size()) throw std::invalid_argument("expected one share a variable");
        return plan_->expected_entries(missing);
    }

    const RowPlan& plan() const { return *plan_; }

  private:
    Numbers cards_;
    std::unique_ptr<RowPlan> plan_;
};

}  // namespace

void register_inference_plan(nb::module_& m) {
    nb::class_<FactorTables>(m, "FactorTables")
        .def(nb::init<const Numbers&, const std::vector<Numbers>&, const List<Array<double>>&>(), nb::arg("cards"),
             nb::arg("scopes"), nb::arg("tables"));
    nb::class_<PyInferencePlan>(m, "InferencePlan")
        // The plan reads the tables where they lie, so it keeps them alive.
        .def(nb::init<const FactorTables&, const Numbers&, const std::vector<Numbers>&, const Numbers&, const Numbers&,
                      const Numbers&, std::int64_t, bool>(),
             nb::keep_alive<1, 2>(), nb::arg("tables"), nb::arg("factors"), nb::arg("given"), nb::arg("observed"),
             nb::arg("joint"), nb::arg("maximised"), nb::arg("lanes") = 1, nb::arg("marginals") = true)
        .def("run", &PyInferencePlan::run, nb::arg("codes"), nb::arg("given"), nb::arg("threads") = 0)
        .def("run_rows", &PyInferencePlan::run_rows, nb::arg("columns"), nb::arg("cards"), nb::arg("rows"),
             nb::arg("threads") = 0)
        .def_prop_ro("offsets", [](const PyInferencePlan& held) { return held.plan().answer_offsets; })
        .def_prop_ro("rank", [](const PyInferencePlan& held) { return held.plan().tree.rank; })
        .def_prop_ro("cliques", &PyInferencePlan::cliques)
        .def_prop_ro("parents", &PyInferencePlan::parents)
        .def_prop_ro("entries", [](const PyInferencePlan& held) { return held.plan().entries; })
        .def_prop_ro("largest", [](const PyInferencePlan& held) { return held.plan().largest; })
        .def_prop_ro("bytes", [](const PyInferencePlan& held) { return held.plan().bytes(); })
        .def_prop_ro("kept_bytes", [](const PyInferencePlan& held) { return held.plan().kept_bytes(); });
    nb::class_<PyRowPlan>(m, "RowPlan")
        .def(nb::init<const Numbers&, const std::vector<Numbers>&, const List<Array<double>>&, std::uint32_t>(),
             nb::arg("cards"), nb::arg("scopes"), nb::arg("tables"), nb::arg("target"))
        .def("run", &PyRowPlan::run, nb::arg("columns"), nb::arg("variables"), nb::arg("rows"),
             nb::arg("threads") = 0)
        .def("expected_entries", &PyRowPlan::expected_entries, nb::arg("missing"))
        .def_prop_ro("cliques", [](const PyRowPlan& held) { return held.plan().cliques(); })
        .def_prop_ro("bytes", [](const PyRowPlan& held) { return held.plan().bytes(); });
}

}  // namespace bayou::bindings
