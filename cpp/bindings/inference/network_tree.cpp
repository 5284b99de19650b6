// The clique tree of a network, into which any findings are entered.
#include "bayou/inference/network_tree.hpp"

#include "arrays.hpp"
#include "network_factors.hpp"
#include "register.hpp"
#include "unlocked.hpp"

namespace bayou::bindings {

namespace {

using Numbers = std::vector<std::uint32_t>;

NetworkTree::Workspace& workspace_of_thread() {
    static thread_local NetworkTree::Workspace workspace;
    return workspace;
}

// Keeps copies of the tables, so no array must outlive it.
class PyNetworkTree {
  public:
    PyNetworkTree(const Numbers& cards, const std::vector<Numbers>& scopes, const nb::list& tables,
                  double most_entries) {
        const NetworkFactors held(cards, scopes, tables);
        const Unlocked unlocked;
        tree_ = std::make_unique<NetworkTree>(cards, held.factors(), most_entries);
    }

    Tuple<double, Array<double>> query(std::int64_t target, const Numbers& variables, const Numbers& codes) const {
        const std::vector<ObservedState> findings = checked(variables, codes);
        const std::size_t asked = natural(target, "target", tree_->cards().size() - 1);
        for (const std::uint32_t variable : variables) {
            if (variable == asked) throw std::invalid_argument("the target is observed");
        }
        Output<double> answer({tree_->cards()[asked]});
        const std::span<double> numbers{answer.data(), tree_->cards()[asked]};
        double log_evidence = 0;
        {
            const Unlocked unlocked;
            log_evidence = tree_->query(findings, static_cast<std::uint32_t>(asked), workspace_of_thread(), numbers);
        }
        return nb::make_tuple(log_evidence, answer.release());
    }

    Tuple<double, Array<double>> marginals(const Numbers& variables, const Numbers& codes) const {
        const std::vector<ObservedState> findings = checked(variables, codes);
        const std::size_t size = tree_->offsets().back();
        Output<double> answer({size});
        double log_evidence = 0;
        {
            const Unlocked unlocked;
            log_evidence = tree_->marginals(findings, workspace_of_thread(), {answer.data(), size});
        }
        return nb::make_tuple(log_evidence, answer.release());
    }

    const NetworkTree& tree() const { return *tree_; }

  private:
    std::vector<ObservedState> checked(const Numbers& variables, const Numbers& codes) const {
        if (variables.size() != codes.size()) throw std::invalid_argument("expected one code a finding");
        std::vector<ObservedState> findings;
        findings.reserve(codes.size());
        for (std::size_t at = 0; at < codes.size(); ++at) {
            if (variables[at] >= tree_->cards().size() || codes[at] >= tree_->cards()[variables[at]]) {
                throw std::invalid_argument("a code is not below its variable's number of states");
            }
            findings.push_back({variables[at], codes[at]});
        }
        return findings;
    }

    std::unique_ptr<const NetworkTree> tree_;
};

}  // namespace

void register_network_tree(nb::module_& m) {
    nb::class_<PyNetworkTree>(m, "NetworkTree")
        .def(nb::init<const Numbers&, const std::vector<Numbers>&, const List<Array<double>>&, double>(),
             nb::arg("cards"), nb::arg("scopes"), nb::arg("tables"), nb::arg("most_entries"))
        .def("query", &PyNetworkTree::query, nb::arg("target"), nb::arg("variables"), nb::arg("codes"))
        .def("marginals", &PyNetworkTree::marginals, nb::arg("variables"), nb::arg("codes"))
        .def_prop_ro("offsets", [](const PyNetworkTree& held) { return held.tree().offsets(); })
        .def_prop_ro("entries", [](const PyNetworkTree& held) { return held.tree().entries(); })
        .def_prop_ro("bytes", [](const PyNetworkTree& held) { return held.tree().bytes(); });
}

}  // namespace bayou::bindings
