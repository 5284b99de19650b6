// Compiled questions: made from a network's tables, run on findings.
#include "bayou/inference_plan.hpp"

#include <nanobind/stl/pair.h>

#include "arrays.hpp"
#include "register.hpp"

namespace bayou::bindings {

namespace {

using Numbers = std::vector<std::uint32_t>;

// A plan together with the arrays that it reads.
struct HeldPlan {
    std::vector<Tensor<double>> tables;
    PlanQuestion question;
    std::unique_ptr<InferencePlan> plan;

    HeldPlan(const Numbers& cards, const std::vector<Numbers>& scopes, const nb::list& arrays,
             const Numbers& observed, const Numbers& soft, const Numbers& joint) {
        question.cards = cards;
        question.observed = observed;
        question.soft = soft;
        question.joint = joint;
        if (arrays.size() != scopes.size()) throw std::invalid_argument("expected one table a scope");
        for (std::size_t at = 0; at < scopes.size(); ++at) {
            tables.push_back(array_from<Tensor<double>>(arrays[at], "table " + std::to_string(at),
                                                        "a contiguous float64 array"));
            std::size_t size = 1;
            for (const std::uint32_t variable : scopes[at]) {
                if (variable >= cards.size()) throw std::invalid_argument("a scope names an unknown variable");
                size *= cards[variable];
            }
            if (size != tables.back().size()) throw std::invalid_argument("a table does not fit its scope");
            question.factors.push_back({scopes[at], tables.back().data()});
        }
        for (const Numbers* list : {&observed, &soft, &joint}) {
            for (const std::uint32_t variable : *list) {
                if (variable >= cards.size()) throw std::invalid_argument("an unknown variable is named");
            }
        }
        const nb::gil_scoped_release unlocked;
        plan = std::make_unique<InferencePlan>(question);
    }

    nb::tuple run(const Vector<std::uint32_t>& codes, const nb::list& likelihoods, int threads) {
        if (codes.shape(0) != question.observed.size()) throw std::invalid_argument("expected one code a finding");
        for (std::size_t at = 0; at < question.observed.size(); ++at) {
            if (codes.data()[at] >= question.cards[question.observed[at]]) {
                throw std::invalid_argument("a code is not below its variable's number of states");
            }
        }
        if (likelihoods.size() != question.soft.size()) throw std::invalid_argument("expected one array a likelihood");
        std::vector<Vector<double>> held;
        std::vector<const double*> weights;
        for (std::size_t at = 0; at < question.soft.size(); ++at) {
            held.push_back(array_from<Vector<double>>(likelihoods[at], "likelihood", "a float64 array"));
            if (held.back().shape(0) != question.cards[question.soft[at]]) {
                throw std::invalid_argument("a likelihood needs a weight for each state");
            }
            weights.push_back(held.back().data());
        }
        Output<double> answer({plan->answer_offsets().back()});
        double log_evidence = 0;
        {
            const nb::gil_scoped_release unlocked;
            log_evidence = plan->run(codes.data(), weights.data(), answer.data(), threads);
        }
        return nb::make_tuple(log_evidence, answer.release());
    }

    std::vector<Numbers> cliques() const {
        std::vector<Numbers> scopes;
        for (const Clique& clique : plan->tree().cliques) scopes.push_back(clique.scope);
        return scopes;
    }
    std::vector<std::int32_t> parents() const {
        std::vector<std::int32_t> parents;
        for (const Clique& clique : plan->tree().cliques) parents.push_back(clique.parent);
        return parents;
    }
    Numbers rank() const { return plan->tree().rank; }
};

}  // namespace

void register_inference_plan(nb::module_& m) {
    nb::class_<HeldPlan>(m, "InferencePlan")
        .def(nb::init<const Numbers&, const std::vector<Numbers>&, const nb::list&, const Numbers&, const Numbers&,
                      const Numbers&>(),
             nb::arg("cards"), nb::arg("scopes"), nb::arg("tables"), nb::arg("observed"), nb::arg("soft"),
             nb::arg("joint"))
        .def("run", &HeldPlan::run, nb::arg("codes"), nb::arg("likelihoods"), nb::arg("threads") = 0)
        .def_prop_ro("offsets", [](const HeldPlan& held) { return held.plan->answer_offsets(); })
        .def_prop_ro("cliques", &HeldPlan::cliques)
        .def_prop_ro("parents", &HeldPlan::parents)
        .def_prop_ro("rank", &HeldPlan::rank)
        .def_prop_ro("entries", [](const HeldPlan& held) { return held.plan->entries(); })
        .def_prop_ro("largest", [](const HeldPlan& held) { return held.plan->largest(); })
        .def_prop_ro("bytes", [](const HeldPlan& held) { return held.plan->bytes(); });
}

}  // namespace bayou::bindings
