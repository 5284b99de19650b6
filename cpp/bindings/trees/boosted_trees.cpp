// Boosted trees: codes of a table in, log-probabilities out.
#include "bayou/trees/boosted_state.hpp"

#include "given_rows.hpp"
#include "register.hpp"
#include "unlocked.hpp"

namespace bayou::bindings {

namespace {

class PyBoostedTrees {
  public:
    PyBoostedTrees(const std::vector<std::int64_t>& cards, const std::vector<bool>& ordered, std::int64_t n_classes,
                   std::int64_t folds, std::int64_t most_rounds, std::int64_t leaves, double rate, double ridge, std::uint64_t seed)
        : trees_(std::make_shared<const BoostedTrees>(columns_from(cards, ordered),
                                                      settings_from(n_classes, folds, most_rounds, leaves, rate, ridge, seed))) {}

    void grow(const TreeCodes& codes, const Array<std::int32_t>& y, const OptionalWeights& weights,
              const Array<std::uint64_t>& row_hashes, int threads) {
        GivenRows given(codes, y, weights, trees_->columns(), trees_->settings().classes, Codes::learned);
        given.add_hashes(row_hashes);
        auto grown = std::make_shared<BoostedTrees>(*trees_);
        {
            const Unlocked unlocked;
            grown->grow(given.rows, threads);
        }
        trees_ = std::move(grown);
    }

    Array<double> held_out(const TreeCodes& codes, const Array<std::uint64_t>& row_hashes, int threads) const {
        check_grown();
        Matrix<std::uint8_t> held;
        const CodeTable table = table_from(nb::cast(codes), trees_->columns(), held);
        const auto hashes = array_from<Vector<std::uint64_t>>(nb::cast(row_hashes), "row_hashes", "a contiguous uint64 array");
        check_length(hashes.shape(0), table.rows, "row_hashes");
        return filled(table.rows, [&](double* logs, const BoostedTrees& trees) { trees.held_out(table, hashes.data(), logs, threads); });
    }

    Array<double> predict(const TreeCodes& codes, int threads) const {
        check_grown();
        Matrix<std::uint8_t> held;
        const CodeTable table = table_from(nb::cast(codes), trees_->columns(), held);
        return filled(table.rows, [&](double* logs, const BoostedTrees& trees) { trees.predict(table, logs, threads); });
    }

    Array<double> contributions(const TreeCodes& codes, std::int64_t row) const {
        check_grown();
        Matrix<std::uint8_t> held;
        const CodeTable table = table_from(nb::cast(codes), trees_->columns(), held);
        if (table.rows == 0) throw std::invalid_argument("codes have no row");
        return matrix_of(contributions_of(*trees_, table, natural(row, "row", table.rows - 1)), trees_->settings().classes);
    }

    // (base, sizes, columns, left, codes, left_shares, values)
    Tuple<Array<double>, Array<std::int64_t>, Array<std::uint16_t>, Array<std::uint32_t>, Array<std::uint64_t>, Array<double>,
          Array<double>> state() const {
        const BoostedState state = state_of(*trees_);
        return nb::make_tuple(array_of(state.base), array_of(state.sizes), array_of(state.columns), array_of(state.left),
                              array_of(state.codes), array_of(state.left_shares), array_of(state.values));
    }

    void restore(const Vector<double>& base, const Vector<std::int64_t>& sizes, const Vector<std::uint16_t>& columns,
                 const Vector<std::uint32_t>& left, const Vector<std::uint64_t>& codes, const Vector<double>& left_shares,
                 const Vector<double>& values, std::int64_t rounds) {
        const BoostedState state{copied(base), copied(sizes), copied(columns), copied(left), copied(codes), copied(left_shares),
                                 copied(values)};
        const std::size_t count = natural(rounds, "rounds", UINT32_MAX);
        std::vector<BoostedModel> models = models_of(state, *trees_, count);
        auto restored = std::make_shared<BoostedTrees>(*trees_);
        restored->restore(std::move(models), count);
        trees_ = std::move(restored);
    }

    std::int64_t rounds() const { return static_cast<std::int64_t>(trees_->rounds()); }

  private:
    static BoostedSettings settings_from(std::int64_t n_classes, std::int64_t folds, std::int64_t most_rounds, std::int64_t leaves,
                                         double rate, double ridge, std::uint64_t seed) {
        if (n_classes < 2 || folds < 2 || most_rounds < 1 || leaves < 2) {
            throw std::invalid_argument("expected at least 2 classes, 2 folds, 1 round and 2 leaves");
        }
        if (!(rate > 0 && rate <= 1) || !(ridge > 0 && std::isfinite(ridge))) {
            throw std::invalid_argument("expected a rate above 0 and at most 1, and a ridge above 0");
        }
        return {natural(n_classes, "n_classes", UINT16_MAX), natural(folds, "folds", 100), natural(most_rounds, "most_rounds", 100000),
                natural(leaves, "leaves", 65536), rate, ridge, seed};
    }

    void check_grown() const {
        if (trees_->models().empty()) throw std::invalid_argument("these trees have not been grown yet: call grow first");
    }

    template <typename Fill>
    Array<double> filled(std::size_t rows, const Fill& fill) const {
        const std::shared_ptr<const BoostedTrees> trees = trees_;
        Output<double> logs({rows, trees->settings().classes});
        {
            const Unlocked unlocked;
            fill(logs.data(), *trees);
        }
        return logs.release();
    }

    std::shared_ptr<const BoostedTrees> trees_;
};

}  // namespace

void register_boosted_trees(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<PyBoostedTrees>(m, "BoostedTrees", "Trees that correct each other, as many models as folds.")
        .def(nb::init<const std::vector<std::int64_t>&, const std::vector<bool>&, std::int64_t, std::int64_t, std::int64_t,
                      std::int64_t, double, double, std::uint64_t>(),
             "cards"_a, "ordered"_a, "n_classes"_a, "folds"_a, "most_rounds"_a, "leaves"_a, "rate"_a, "ridge"_a, "seed"_a)
        .def("grow", &PyBoostedTrees::grow, "codes"_a, "y"_a, "weights"_a.none(), "row_hashes"_a, "threads"_a = 0,
             "Learn a model without the rows of each fold, and after how many rounds rows held out are likeliest.")
        .def("held_out", &PyBoostedTrees::held_out, "codes"_a, "row_hashes"_a, "threads"_a = 0,
             "log P(class | row) by the model that did not see the row.")
        .def("predict", &PyBoostedTrees::predict, "codes"_a, "threads"_a = 0, "log P(class | row) by the mean scores of all models.")
        .def("contributions", &PyBoostedTrees::contributions, "codes"_a, "row"_a,
             "Scores of the classes without columns, then what each column adds.")
        .def("state", &PyBoostedTrees::state, "(base, sizes, columns, left, codes, left_shares, values)")
        .def("restore", &PyBoostedTrees::restore, "base"_a, "sizes"_a, "columns"_a, "left"_a, "codes"_a, "left_shares"_a,
             "values"_a, "rounds"_a, "Become the trees of a saved state.")
        .def_prop_ro("rounds", &PyBoostedTrees::rounds);
}

}  // namespace bayou::bindings
