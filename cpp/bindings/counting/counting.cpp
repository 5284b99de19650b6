#include "bayou/counting/counting.hpp"

#include "arrays.hpp"
#include "bayou/counting/bit_planes.hpp"
#include "register.hpp"
#include "unlocked.hpp"

namespace bayou::bindings {

namespace {

std::vector<std::size_t> shape_of(const Columns& columns, const Family& family) {
    std::vector<std::size_t> shape;
    for (const std::size_t member : family) shape.push_back(columns.views[member].card);
    return shape;
}

// Makes a table for each family, lets `count` fill them without the GIL, and returns them.
template <typename T, typename Count>
nb::list tables_for(const Columns& columns, const std::vector<Family>& families, const Count& count) {
    // Every size is checked before the first table is made.
    for (const Family& family : families) table_cells(columns.views, family);
    std::vector<Output<T>> outputs;
    std::vector<T*> tables;
    for (const Family& family : families) {
        outputs.emplace_back(shape_of(columns, family));
        tables.push_back(outputs.back().data());
    }
    {
        const Unlocked unlocked;
        count(tables);
    }
    nb::list result;
    for (Output<T>& output : outputs) result.append(output.release());
    return result;
}

template <typename T>
nb::list weighted_tables(const Columns& columns, std::size_t rows, const std::vector<Family>& families,
                         const Vector<T>& weights, int threads) {
    if (!columns.views.empty() && weights.shape(0) != rows) {
        throw std::invalid_argument("weights has " + std::to_string(weights.shape(0)) +
                                    " rows, the columns have " + std::to_string(rows));
    }
    return tables_for<T>(columns, families, [&](const std::vector<T*>& tables) {
        count_families_weighted(columns.views, weights.shape(0), families, weights.data(), tables, threads);
    });
}

List<CountArray> count_families_py(const List<CodeArray>& column_list, const std::vector<std::int64_t>& cards,
                                   const std::vector<std::vector<std::int64_t>>& family_lists,
                                   const Object<CountArray>& weights, int threads) {
    const Columns columns(column_list, cards);
    const std::vector<Family> families = families_of(family_lists, columns.views.size());
    if (weights.is_none()) {
        return tables_for<std::int64_t>(columns, families, [&](const std::vector<std::int64_t*>& tables) {
            count_families(columns.views, columns.rows, families, tables, threads);
        });
    }
    Vector<std::int64_t> whole;
    if (nb::try_cast<Vector<std::int64_t>>(weights, whole, false)) {
        return weighted_tables<std::int64_t>(columns, columns.rows, families, whole, threads);
    }
    const auto real = array_from<Vector<double>>(
        weights, "weights", "None or a contiguous one-dimensional int64 or float64 array");
    return weighted_tables<double>(columns, columns.rows, families, real, threads);
}

Tuple<Array<std::int64_t>, Array<std::int64_t>> count_pairs_py(const List<CodeArray>& column_list,
                                                            const std::vector<std::int64_t>& cards, int threads) {
    const Columns columns(column_list, cards);
    const std::vector<std::int64_t> offsets = pair_offsets(columns.views);
    Output<std::int64_t> tables({static_cast<std::size_t>(offsets.back())});
    Output<std::int64_t> starts({offsets.size()});
    {
        const Unlocked unlocked;
        std::copy(offsets.begin(), offsets.end(), starts.data());
        count_pairs(columns.views, offsets, tables.data(), threads);
    }
    return nb::make_tuple(tables.release(), starts.release());
}

}  // namespace

void register_counting(nb::module_& m) {
    using namespace nb::literals;
    m.def("count_families", &count_families_py, "columns"_a, "cards"_a, "families"_a,
          "weights"_a = nb::none(), "threads"_a = 0,
          "A contingency table for each family of columns, all in one pass over the rows.");
    m.def("count_pairs", &count_pairs_py, "columns"_a, "cards"_a, "threads"_a = 0,
          "The tables of all pairs i < j, flat, and where each starts (the last offset is the end).");
    m.def("plane_kernels", [] { return plane_kernels().name; },
          "Which bit-plane kernels this processor runs: 'avx512', 'avx2' or 'portable'.");
}

}  // namespace bayou::bindings
