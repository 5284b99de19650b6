// Class trees: codes of a table in, log-probabilities out; their state as flat arrays.
#include "bayou/trees/class_trees.hpp"

#include <cmath>

#include "arrays.hpp"
#include "bayou/trees/tree_state.hpp"
#include "given_rows.hpp"
#include "register.hpp"
#include "unlocked.hpp"

namespace bayou::bindings {

namespace {

using TwoMatrices = Tuple<Array<double>, Array<double>>;

class PyClassTrees {
  public:
    PyClassTrees(const std::vector<std::int64_t>& cards, const std::vector<bool>& ordered, std::int64_t n_classes,
                 std::int64_t n_trees, std::int64_t tried, double bag_share, std::int64_t most_grown, std::uint64_t seed) {
        if (n_classes < 1 || n_trees < 1 || tried < 1 || most_grown < 1) {
            throw std::invalid_argument("n_classes, n_trees, tried and most_grown: expected at least 1 of each");
        }
        if (!(bag_share > 0 && bag_share <= 1)) throw std::invalid_argument("bag_share: expected a number above 0 and at most 1");
        TreeSettings settings;
        settings.classes = natural(n_classes, "n_classes", UINT16_MAX);
        settings.trees = natural(n_trees, "n_trees", 1 << 20);
        settings.tried = natural(tried, "tried");
        settings.bag_share = bag_share;
        settings.most_grown = natural(most_grown, "most_grown", UINT32_MAX);
        settings.seed = seed;
        trees_ = std::make_shared<const ClassTrees>(columns_from(cards, ordered), settings);
    }

    void grow(const TreeCodes& codes, const Array<std::int32_t>& y, const OptionalWeights& weights,
              const Array<std::uint64_t>& row_hashes, int threads) {
        GivenRows given(codes, y, weights, trees_->columns(), trees_->settings().classes, Codes::learned);
        given.add_hashes(row_hashes);
        change([&](ClassTrees& trees) { trees.grow(given.rows, threads); });
    }

    void add(const TreeCodes& codes, const Array<std::int32_t>& y, const OptionalWeights& weights, int threads) {
        check_grown();
        const GivenRows given(codes, y, weights, trees_->columns(), trees_->settings().classes);
        change([&](ClassTrees& trees) { trees.add(given.rows, threads); });
    }

    void choose_smoothing(const TreeCodes& codes, const Array<std::int32_t>& y, const OptionalWeights& weights,
                          const Array<std::uint64_t>& row_hashes, const Vector<double>& taken, int threads) {
        check_grown();
        GivenRows given(codes, y, weights, trees_->columns(), trees_->settings().classes);
        given.add_hashes(row_hashes);
        check_length(taken.shape(0), given.rows.table.rows, "taken");
        change([&](ClassTrees& trees) { trees.choose_smoothing({given.rows, taken.data()}, threads); });
    }

    TwoMatrices held_out(const TreeCodes& codes, const Array<std::int32_t>& y, const Array<std::uint64_t>& row_hashes,
                         const Vector<double>& taken, const std::optional<Vector<bool>>& grown, int threads) const {
        check_grown();
        GivenRows given(codes, y, std::nullopt, trees_->columns(), trees_->settings().classes);
        given.add_hashes(row_hashes);
        const std::size_t rows = given.rows.table.rows;
        check_length(taken.shape(0), rows, "taken");
        if (grown) check_length(grown->shape(0), rows, "grown");
        const std::uint8_t* marks = grown ? reinterpret_cast<const std::uint8_t*>(grown->data()) : nullptr;
        return filled(rows, [&](double* arithmetic, double* geometric, const ClassTrees& trees) {
            trees.held_out({given.rows, taken.data()}, marks, arithmetic, geometric, threads);
        });
    }

    TwoMatrices predict(const TreeCodes& codes, int threads) const {
        check_grown();
        Matrix<std::uint8_t> held;
        const CodeTable table = table_from(nb::cast(codes), trees_->columns(), held);
        return filled(table.rows, [&](double* arithmetic, double* geometric, const ClassTrees& trees) {
            trees.predict(table, arithmetic, geometric, threads);
        });
    }

    // (first, columns, thresholds, posteriors): of tree t, nodes first[t] to first[t + 1] of the path of a row.
    Tuple<Array<std::int64_t>, Array<std::int64_t>, Array<std::int64_t>, Array<double>> paths(const TreeCodes& codes, std::int64_t row) const {
        check_grown();
        Matrix<std::uint8_t> held;
        const CodeTable table = table_from(nb::cast(codes), trees_->columns(), held);
        if (table.rows == 0) throw std::invalid_argument("codes have no row");
        const RowPaths found = paths_of_row(*trees_, table, natural(row, "row", table.rows - 1));
        return nb::make_tuple(array_of(found.first), array_of(found.columns), array_of(found.thresholds),
                              matrix_of(found.posteriors, trees_->settings().classes));
    }

    // (ranks, sizes, columns, thresholds)
    Tuple<Array<std::uint8_t>, Array<std::int64_t>, Array<std::uint16_t>, Array<std::int16_t>> splits() const {
        const TreeState state = state_of(*trees_, TreeParts::splits);
        return nb::make_tuple(array_of(state.ranks), array_of(state.sizes), array_of(state.columns), array_of(state.thresholds));
    }

    // (lengths, classes, counts)
    Tuple<Array<std::uint32_t>, Array<std::uint16_t>, Array<double>> counts_of_rows(
        const Vector<std::uint8_t>& ranks, const Vector<std::int64_t>& sizes, const Vector<std::uint16_t>& columns,
        const Vector<std::int16_t>& thresholds, double unit, const TreeCodes& codes, const Array<std::int32_t>& y,
        const OptionalWeights& weights, int threads) const {
        check_unit(unit);
        const std::shared_ptr<const ClassTrees> like = trees_;
        const GivenRows given(codes, y, weights, like->columns(), like->settings().classes);
        const TreeArrays splits{spanned(ranks), spanned(sizes), spanned(columns), spanned(thresholds), {}, {}, {}};
        TreeState state;
        {
            const Unlocked unlocked;
            state = bayou::counts_of_rows(splits, *like, given.rows, unit, threads);
        }
        return nb::make_tuple(taken_array(state.lengths), taken_array(state.classes), taken_array(state.counts));
    }

    // (ranks, sizes, columns, thresholds, lengths, classes, counts)
    Tuple<Array<std::uint8_t>, Array<std::int64_t>, Array<std::uint16_t>, Array<std::int16_t>, Array<std::uint32_t>, Array<std::uint16_t>,
          Array<double>>
    state() const {
        const TreeState state = state_of(*trees_);
        return nb::make_tuple(array_of(state.ranks), array_of(state.sizes), array_of(state.columns), array_of(state.thresholds),
                              array_of(state.lengths), array_of(state.classes), array_of(state.counts));
    }

    void restore(const Vector<std::uint8_t>& ranks, const Vector<std::int64_t>& sizes, const Vector<std::uint16_t>& columns,
                 const Vector<std::int16_t>& thresholds, const Vector<std::uint32_t>& lengths, const Vector<std::uint16_t>& classes,
                 const Vector<double>& counts, double smoothing, double unit, std::uint64_t bag_limit, int threads) {
        if (!(smoothing > 0 && std::isfinite(smoothing))) throw std::invalid_argument("smoothing: expected a number above 0");
        check_unit(unit);
        const TreeArrays state{spanned(ranks),   spanned(sizes),   spanned(columns), spanned(thresholds),
                               spanned(lengths), spanned(classes), spanned(counts)};
        std::vector<ClassTree> restored = trees_of(state, *trees_);
        change([&](ClassTrees& trees) { trees.restore(std::move(restored), smoothing, unit, bag_limit, threads); });
    }

    double smoothing() const { return trees_->smoothing(); }
    double unit() const { return trees_->unit(); }
    std::uint64_t bag_limit() const { return trees_->bag_limit(); }

  private:
    // Whoever reads the trees meanwhile, in another thread, keeps those from before; so does the user who stops this.
    template <typename Change>
    void change(const Change& apply) {
        std::shared_ptr<ClassTrees> changed;
        {
            const Unlocked unlocked;
            changed = std::make_shared<ClassTrees>(*trees_);
            apply(*changed);
        }
        trees_ = std::move(changed);
    }

    static void check_unit(double unit) {
        if (!(unit > 0 && std::isfinite(unit))) throw std::invalid_argument("unit: expected a number above 0");
    }

    void check_grown() const {
        if (trees_->trees().empty()) throw std::invalid_argument("these trees have not been grown yet: call grow first");
    }

    template <typename Fill>
    TwoMatrices filled(std::size_t rows, const Fill& fill) const {
        const std::shared_ptr<const ClassTrees> trees = trees_;
        Output<double> arithmetic({rows, trees->settings().classes}), geometric({rows, trees->settings().classes});
        {
            const Unlocked unlocked;
            fill(arithmetic.data(), geometric.data(), *trees);
        }
        return nb::make_tuple(arithmetic.release(), geometric.release());
    }

    std::shared_ptr<const ClassTrees> trees_;
};

}  // namespace

void register_class_trees(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<PyClassTrees>(m, "ClassTrees", "Trees of P(class | columns) that back off from leaf to root, and their pools.")
        .def(nb::init<const std::vector<std::int64_t>&, const std::vector<bool>&, std::int64_t, std::int64_t, std::int64_t,
                      double, std::int64_t, std::uint64_t>(),
             "cards"_a, "ordered"_a, "n_classes"_a, "n_trees"_a, "tried"_a, "bag_share"_a, "most_grown"_a, "seed"_a)
        .def("grow", &PyClassTrees::grow, "codes"_a, "y"_a, "weights"_a.none(), "row_hashes"_a, "threads"_a = 0,
             "Learn where trees split, each on the rows in its bag, and count all rows.")
        .def("add", &PyClassTrees::add, "codes"_a, "y"_a, "weights"_a.none(), "threads"_a = 0, "Count further rows; splits stay.")
        .def("choose_smoothing", &PyClassTrees::choose_smoothing, "codes"_a, "y"_a, "weights"_a.none(), "row_hashes"_a,
             "taken"_a, "threads"_a = 0, "Use the m for which these rows are likeliest where they are held out.")
        .def("held_out", &PyClassTrees::held_out, "codes"_a, "y"_a, "row_hashes"_a, "taken"_a, "grown"_a.none(), "threads"_a = 0,
             "(arithmetic, geometric) log P(class | row) of trees without the row, less `taken` in every count.")
        .def("predict", &PyClassTrees::predict, "codes"_a, "threads"_a = 0,
             "(arithmetic, geometric) log P(class | row) of all trees.")
        .def("paths", &PyClassTrees::paths, "codes"_a, "row"_a,
             "(first, columns, thresholds, posteriors) of the nodes that a row passes in each tree.")
        .def("splits", &PyClassTrees::splits, "(ranks, sizes, columns, thresholds)")
        .def("counts_of_rows", &PyClassTrees::counts_of_rows, "ranks"_a, "sizes"_a, "columns"_a, "thresholds"_a, "unit"_a, "codes"_a,
             "y"_a, "weights"_a.none(), "threads"_a = 0,
             "(lengths, classes, counts) of rows in the nodes of trees that split like this.")
        .def("state", &PyClassTrees::state, "(ranks, sizes, columns, thresholds, lengths, classes, counts)")
        .def("restore", &PyClassTrees::restore, "ranks"_a, "sizes"_a, "columns"_a, "thresholds"_a, "lengths"_a, "classes"_a,
             "counts"_a, "smoothing"_a, "unit"_a, "bag_limit"_a, "threads"_a = 0, "Become the trees of a saved state.")
        .def_prop_ro("smoothing", &PyClassTrees::smoothing)
        .def_prop_ro("unit", &PyClassTrees::unit)
        .def_prop_ro("bag_limit", &PyClassTrees::bag_limit);
}

}  // namespace bayou::bindings
