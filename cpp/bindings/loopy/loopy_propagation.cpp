#include "bayou/loopy/loopy_propagation.hpp"

#include "arrays.hpp"
#include "bayou/base/portable.hpp"
#include "register.hpp"
#include "unlocked.hpp"

namespace bayou::bindings {

namespace {

using VariableNumbers = std::vector<std::uint32_t>;

std::size_t loopy_cells(const VariableNumbers& cards, const VariableNumbers& scope) {
    std::size_t cells = 1;
    VariableNumbers sorted = scope;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
        throw std::invalid_argument("a scope needs variables that differ");
    }
    for (const std::uint32_t variable : scope) {
        if (variable >= cards.size()) throw std::invalid_argument("there is no variable " + std::to_string(variable));
        if (product_overflows(cells, std::size_t{cards[variable]}, &cells)) throw std::bad_alloc();
    }
    return cells;
}

Tuple<Array<double>, double, double, std::int64_t, bool> loopy_beliefs_py(
    const VariableNumbers& cards, const std::vector<VariableNumbers>& scopes, const List<Array<double>>& tables,
    std::int64_t first_log, double tolerance, std::int64_t sweeps, int threads) {
    if (tables.size() != scopes.size()) throw std::invalid_argument("expected one table a scope");
    const std::size_t logs = natural(first_log, "first_log", scopes.size());
    const LoopyLimits limits{tolerance, natural(sweeps, "sweeps")};
    std::size_t states = 0;
    for (const std::uint32_t card : cards) {
        if (card == 0) throw std::invalid_argument("a variable has no states");
        states += card;
    }
    std::vector<Tensor<double>> held;
    std::vector<LoopyFactor> factors;
    for (std::size_t at = 0; at < scopes.size(); ++at) {
        held.push_back(array_from<Tensor<double>>(tables[at], "a table", "a contiguous float64 array"));
        if (held.back().size() != loopy_cells(cards, scopes[at])) {
            throw std::invalid_argument("a table does not fit its scope");
        }
        factors.push_back({scopes[at], held.back().data(), at >= logs});
    }
    Output<double> beliefs({states});
    LoopyResult result;
    {
        const Unlocked unlocked;
        result = loopy_beliefs(cards, factors, limits, threads, beliefs.data());
    }
    return nb::make_tuple(beliefs.release(), result.log_total, result.residual,
                          static_cast<std::int64_t>(result.sweeps), result.is_forest);
}

}  // namespace

void register_loopy_propagation(nb::module_& m) {
    m.def("loopy_beliefs", &loopy_beliefs_py, nb::arg("cards"), nb::arg("scopes"), nb::arg("tables"),
          nb::arg("first_log"), nb::arg("tolerance"), nb::arg("sweeps"), nb::arg("threads") = 0);
}

}  // namespace bayou::bindings
