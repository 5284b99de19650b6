// Expected counts of incomplete rows: a structure is compiled once and run with new tables each time.
#include "bayou/inference/expected_counts.hpp"

#include <limits>
#include <memory>

#include "arrays.hpp"
#include "register.hpp"
#include "unlocked.hpp"

namespace bayou::bindings {

namespace {

using Numbers = std::vector<std::uint32_t>;

class PyExpectedCounts {
  public:
    PyExpectedCounts(const Numbers& cards, const std::vector<Numbers>& scopes, const std::optional<Numbers>& open_cards)
        : cards_(cards), scopes_(scopes) {
        const Numbers& open = open_cards ? *open_cards : cards;
        if (open.size() != cards.size()) throw std::invalid_argument("expected an open card a variable");
        for (std::size_t k = 0; k < cards.size(); ++k) {
            if (cards[k] == 0 || open[k] == 0) throw std::invalid_argument("a variable has no states");
            if (open[k] > cards[k]) throw std::invalid_argument("a variable is open to more states than it has");
        }
        for (const Numbers& scope : scopes) {
            check_variables(scope);
            Numbers sorted = scope;
            std::sort(sorted.begin(), sorted.end());
            const bool twice = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
            if (scope.empty() || twice) throw std::invalid_argument("a scope needs variables that differ");
        }
        const Unlocked unlocked;
        plan_ = std::make_unique<ExpectedCounts>(cards, scopes, open);
    }

    Tuple<Array<double>, List<Array<double>>> run(const List<Array<double>>& tables, const List<CodeArray>& columns,
                                          const Numbers& variables, std::int64_t rows,
                                          const std::optional<Vector<double>>& weights, int threads,
                                          double most_bytes) const {
        check_variables(variables);
        std::vector<std::int64_t> cards;
        for (const std::uint32_t variable : variables) cards.push_back(cards_[variable]);
        const Columns held(columns, cards);
        const std::size_t count = natural(rows, "rows");
        if (!held.views.empty() && held.rows != count) throw std::invalid_argument("expected a code a row");
        if (weights && weights->shape(0) != count) throw std::invalid_argument("expected a weight a row");
        const std::vector<Tensor<double>> given = check_tables(tables);
        std::vector<const double*> values;
        std::vector<Output<double>> counts;
        std::vector<double*> into;
        for (std::size_t k = 0; k < given.size(); ++k) {
            values.push_back(given[k].data());
            counts.emplace_back(shape_of(scopes_[k]));
            into.push_back(counts.back().data());
        }
        Output<double> logs({count});
        {
            const Unlocked unlocked;
            plan_->run(values, {held.views, variables, count, weights ? weights->data() : nullptr}, into, logs.data(),
                       threads, most_bytes);
        }
        nb::list results;
        for (Output<double>& one : counts) results.append(one.release());
        return nb::make_tuple(logs.release(), results);
    }

    double expected_entries(const std::vector<double>& missing) const {
        if (missing.size() != cards_.size()) throw std::invalid_argument("expected one share a variable");
        return plan_->expected_entries(missing);
    }

    double bytes(std::int64_t rows) const { return plan_->bytes(natural(rows, "rows")); }

  private:
    void check_variables(const Numbers& variables) const {
        for (const std::uint32_t variable : variables) {
            if (variable >= cards_.size()) {
                throw std::invalid_argument("there is no variable " + std::to_string(variable));
            }
        }
    }

    std::vector<std::size_t> shape_of(const Numbers& scope) const {
        std::vector<std::size_t> shape;
        for (const std::uint32_t variable : scope) shape.push_back(cards_[variable]);
        return shape;
    }

    std::vector<Tensor<double>> check_tables(const nb::list& tables) const {
        if (tables.size() != scopes_.size()) throw std::invalid_argument("expected one table a scope");
        std::vector<Tensor<double>> held;
        for (std::size_t k = 0; k < scopes_.size(); ++k) {
            std::size_t size = 1;
            for (const std::size_t side : shape_of(scopes_[k])) size *= side;
            held.push_back(array_from<Tensor<double>>(tables[k], "a table", "a contiguous float64 array"));
            if (held.back().size() != size) throw std::invalid_argument("a table does not fit its scope");
        }
        return held;
    }

    Numbers cards_;
    std::vector<Numbers> scopes_;
    std::unique_ptr<ExpectedCounts> plan_;
};

}  // namespace

void register_expected_counts(nb::module_& m) {
    nb::class_<PyExpectedCounts>(m, "ExpectedCounts")
        .def(nb::init<const Numbers&, const std::vector<Numbers>&, const std::optional<Numbers>&>(), nb::arg("cards"),
             nb::arg("scopes"), nb::arg("open_cards").none() = nb::none())
        .def("run", &PyExpectedCounts::run, nb::arg("tables"), nb::arg("columns"), nb::arg("variables"),
             nb::arg("rows"), nb::arg("weights").none() = nb::none(), nb::arg("threads") = 0,
             nb::arg("most_bytes") = std::numeric_limits<double>::infinity())
        .def("expected_entries", &PyExpectedCounts::expected_entries, nb::arg("missing"))
        .def("bytes", &PyExpectedCounts::bytes, nb::arg("rows"));
}

}  // namespace bayou::bindings
