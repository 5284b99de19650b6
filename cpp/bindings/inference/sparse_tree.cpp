// The clique tree of a network, of which only what can occur is stored.
#include "bayou/inference/sparse_tree.hpp"

#include <mutex>

#include "arrays.hpp"
#include "network_factors.hpp"
#include "register.hpp"
#include "unlocked.hpp"

namespace bayou::bindings {

namespace {

using Numbers = std::vector<std::uint32_t>;

// Keeps copies of the tables, so no array must outlive it.
class PySparseTree {
  public:
    PySparseTree(const Numbers& cards, const std::vector<Numbers>& scopes, const nb::list& tables, double most_words,
                 int threads) {
        const NetworkFactors held(cards, scopes, tables);
        const Unlocked unlocked;
        tree_ = std::make_unique<const SparseTree>(cards, held.factors(), most_words, threads);
    }

    Tuple<double, Array<double>> marginals(const Numbers& variables, const List<Array<double>>& weights, int threads) {
        if (variables.size() != weights.size()) throw std::invalid_argument("expected one array a finding");
        std::vector<Tensor<double>> held;
        std::vector<WeightedStates> findings;
        for (std::size_t at = 0; at < variables.size(); ++at) {
            if (variables[at] >= tree_->cards().size()) throw std::invalid_argument("a finding is about no variable");
            held.push_back(array_from<Tensor<double>>(weights[at], "a finding", "a contiguous float64 array"));
            if (held.back().size() != tree_->cards()[variables[at]]) {
                throw std::invalid_argument("a finding needs a weight for each state");
            }
            findings.push_back({variables[at], held.back().data()});
        }
        const std::size_t size = tree_->offsets().back();
        Output<double> answer({size});
        double log_evidence = 0;
        {
            const Unlocked unlocked;
            // The memory of a run is kept; a second thread uses memory of its own.
            const std::unique_lock<std::mutex> hold(kept_lock_, std::try_to_lock);
            SparseTree::Workspace own;
            SparseTree::Workspace& work = hold.owns_lock() ? kept_ : own;
            log_evidence = tree_->marginals(findings, work, {answer.data(), size}, threads);
        }
        return nb::make_tuple(log_evidence, answer.release());
    }

    const SparseTree& tree() const { return *tree_; }

  private:
    std::unique_ptr<const SparseTree> tree_;
    SparseTree::Workspace kept_;
    std::mutex kept_lock_;
};

}  // namespace

void register_sparse_tree(nb::module_& m) {
    nb::class_<PySparseTree>(m, "SparseTree")
        .def(nb::init<const Numbers&, const std::vector<Numbers>&, const List<Array<double>>&, double, int>(),
             nb::arg("cards"), nb::arg("scopes"), nb::arg("tables"), nb::arg("most_words"), nb::arg("threads") = 0)
        .def("marginals", &PySparseTree::marginals, nb::arg("variables"), nb::arg("weights"), nb::arg("threads") = 0)
        .def_prop_ro("offsets", [](const PySparseTree& held) { return held.tree().offsets(); })
        .def_prop_ro("cliques", [](const PySparseTree& held) { return held.tree().cliques(); })
        .def_prop_ro("entries", [](const PySparseTree& held) { return held.tree().entries(); })
        .def_prop_ro("dense_entries", [](const PySparseTree& held) { return held.tree().dense_entries(); })
        .def_prop_ro("runs", [](const PySparseTree& held) { return held.tree().runs(); })
        .def_prop_ro("words", [](const PySparseTree& held) { return held.tree().words(); })
        .def_prop_ro("bytes", [](const PySparseTree& held) { return held.tree().bytes(); });
}

}  // namespace bayou::bindings
