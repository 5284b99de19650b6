// Dynamic networks with numbers: slices, and sequences whose states are known run through them.
#include "mixed_arrays.hpp"
#include "register.hpp"
#include "unlocked.hpp"

namespace bayou::bindings {

namespace {

using LineParts = Tuple<Array<double>, Array<double>, Array<double>>;
using SliceParts = TupleOf<Array<std::int64_t>>;

MixedTemplate mixed_template(std::int64_t variables, std::int64_t places, const std::vector<std::int64_t>& states,
                             std::int64_t cells, const List<LineParts>& lines, const List<Array<double>>& tables,
                             const List<SliceParts>& slices) {
    MixedTemplate model;
    model.variables = natural(variables, "variables", 1u << 16);
    model.places = natural(places, "places", 1u << 16);
    model.cells = natural(cells, "cells", 1u << 16);
    model.codes = states.size();
    for (const std::int64_t count : states) model.states.push_back(natural(count, "states", unknown_state - 1));
    for (const nb::handle item : lines) model.lines.push_back(line_block(item));
    for (const nb::handle item : tables) {
        const auto table = array_from<Matrix<double>>(item, "a table", "a contiguous two-dimensional float64 array");
        model.tables.push_back({table.shape(0), table.shape(1), {table.data(), table.data() + table.size()}});
    }
    for (const nb::handle item : slices) model.slices.push_back(mixed_slice(item));
    model.check();
    return model;
}

using MixedFilteredArrays = Tuple<Array<double>, Array<double>, Array<double>, Array<double>, std::int64_t>;

MixedFilteredArrays filter_mixed_py(const MixedTemplate& model, const Vector<std::int64_t>& starts,
                                    const Vector<std::uint32_t>& slices, const Matrix<double>& values,
                                    const Matrix<std::uint8_t>& are_set, const Matrix<std::uint32_t>& codes,
                                    const Matrix<std::uint8_t>& codes_are_set, bool numbers, int threads) {
    const MixedRowArrays rows(model, starts, slices, values, are_set, codes, codes_are_set, true);
    const std::size_t m = model.variables, kept = numbers ? rows.view.rows : 0;
    Output<double> likelihoods({rows.view.count}), steps({rows.view.rows}), means({kept, m}), covariances({kept, m, m});
    std::int64_t failed = -1;
    {
        const Unlocked unlocked;
        MixedFiltered results{likelihoods.data(), steps.data(), nullptr, nullptr};
        if (numbers) {
            results.means = means.data();
            results.covariances = covariances.data();
        }
        failed = filter_mixed(model, rows.view, results, threads);
    }
    return nb::make_tuple(likelihoods.release(), steps.release(), means.release(), covariances.release(), failed);
}

using MixedSmoothedArrays = Tuple<Array<double>, Array<double>, Array<double>, std::int64_t>;

MixedSmoothedArrays smooth_mixed_py(const MixedTemplate& model, const Vector<std::int64_t>& starts,
                                    const Vector<std::uint32_t>& slices, const Matrix<double>& values,
                                    const Matrix<std::uint8_t>& are_set, const Matrix<std::uint32_t>& codes,
                                    const Matrix<std::uint8_t>& codes_are_set, int threads) {
    const MixedRowArrays rows(model, starts, slices, values, are_set, codes, codes_are_set, true);
    const std::size_t m = model.variables;
    Output<double> likelihoods({rows.view.count}), means({rows.view.rows, m}), covariances({rows.view.rows, m, m});
    std::int64_t failed = -1;
    {
        const Unlocked unlocked;
        failed = smooth_mixed(model, rows.view, {likelihoods.data(), nullptr, means.data(), covariances.data()}, threads);
    }
    return nb::make_tuple(likelihoods.release(), means.release(), covariances.release(), failed);
}

using LineArrays = Tuple<Array<double>, Array<double>, Array<double>>;
using MixedExpectedArrays = Tuple<Array<double>, List<LineArrays>, std::int64_t>;

MixedExpectedArrays expect_mixed_py(const MixedTemplate& model, const Vector<std::int64_t>& starts,
                                    const Vector<std::uint32_t>& slices, const Matrix<double>& values,
                                    const Matrix<std::uint8_t>& are_set, const Matrix<std::uint32_t>& codes,
                                    const Matrix<std::uint8_t>& codes_are_set, const Object<Array<double>>& weights,
                                    int threads) {
    MixedRowArrays rows(model, starts, slices, values, are_set, codes, codes_are_set, true);
    rows.weigh(weights);
    Output<double> likelihoods({rows.view.count});
    std::vector<Output<double>> outputs;
    std::vector<LineSums> sums;
    for (const LineBlock& block : model.lines) {
        const std::size_t size = block.parents + 1;
        outputs.emplace_back(std::vector<std::size_t>{block.groups});
        outputs.emplace_back(std::vector<std::size_t>{block.groups, size});
        outputs.emplace_back(std::vector<std::size_t>{block.groups, size, size});
        const std::size_t end = outputs.size();
        sums.push_back({outputs[end - 3].data(), outputs[end - 2].data(), outputs[end - 1].data()});
    }
    std::int64_t failed = -1;
    {
        const Unlocked unlocked;
        failed = expect_mixed(model, rows.view, likelihoods.data(), sums, threads);
    }
    nb::list found;
    for (std::size_t k = 0; k < outputs.size(); k += 3) {
        found.append(nb::make_tuple(outputs[k].release(), outputs[k + 1].release(), outputs[k + 2].release()));
    }
    return nb::make_tuple(likelihoods.release(), found, failed);
}

}  // namespace

void register_mixed_slices(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<MixedTemplate>(m, "MixedSlices", "Slices of a dynamic network with numbers, with their parameters.")
        .def("__init__",
             [](MixedTemplate* self, std::int64_t variables, std::int64_t places, const std::vector<std::int64_t>& states,
                std::int64_t cells, const List<LineParts>& lines, const List<Array<double>>& tables,
                const List<SliceParts>& slices) {
                 new (self) MixedTemplate(mixed_template(variables, places, states, cells, lines, tables, slices));
             },
             "variables"_a, "places"_a, "states"_a, "cells"_a, "lines"_a, "tables"_a, "slices"_a);
    m.def("filter_mixed", &filter_mixed_py, "model"_a, "starts"_a, "slices"_a, "values"_a, "are_set"_a, "codes"_a,
          "codes_are_set"_a, "numbers"_a = true, "threads"_a = 0,
          "(log-likelihoods, log density of each row given those before, means, covariances, first bad row or -1).");
    m.def("smooth_mixed", &smooth_mixed_py, "model"_a, "starts"_a, "slices"_a, "values"_a, "are_set"_a, "codes"_a,
          "codes_are_set"_a, "threads"_a = 0,
          "(log-likelihoods, means and covariances given all rows, first bad row or -1).");
    m.def("expect_mixed", &expect_mixed_py, "model"_a, "starts"_a, "slices"_a, "values"_a, "are_set"_a, "codes"_a,
          "codes_are_set"_a, "weights"_a.none(), "threads"_a = 0,
          "(log-likelihoods, sums of parents and child of each block of lines, first bad row or -1).");
}

}  // namespace bayou::bindings
