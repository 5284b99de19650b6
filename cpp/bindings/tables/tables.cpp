#include "bayou/tables/tables.hpp"

#include "arrays.hpp"
#include "register.hpp"
#include "unlocked.hpp"

namespace bayou::bindings {

namespace {

Array<std::uint32_t> combine_codes_py(const List<CodeArray>& column_list, const std::vector<std::int64_t>& cards,
                                       int threads) {
    const Columns columns(column_list, cards);
    if (columns.views.empty()) throw std::invalid_argument("there are no columns to combine");
    Output<std::uint32_t> out({columns.rows});
    {
        const Unlocked unlocked;
        combine_codes(columns.views, columns.rows, out.data(), threads);
    }
    return out.release();
}

// The tables of a call; keeps the arrays alive while the kernel reads them.
struct LogTables {
    std::vector<Tensor<double>> arrays;
    std::vector<const double*> views;

    LogTables(const nb::list& tables, const Columns& columns, const std::vector<Family>& families) {
        if (tables.size() != families.size()) {
            throw std::invalid_argument("there are " + std::to_string(families.size()) + " families but " +
                                        std::to_string(tables.size()) + " log_tables: expected one a family");
        }
        for (std::size_t at = 0; at < families.size(); ++at) add(tables[at], columns, families[at]);
    }

  private:
    void add(nb::handle item, const Columns& columns, const Family& family) {
        const std::string name = "log_tables[" + std::to_string(views.size()) + "]";
        arrays.push_back(array_from<Tensor<double>>(item, name, "a contiguous float64 array"));
        const Tensor<double>& array = arrays.back();
        table_cells(columns.views, family);
        bool fits = array.ndim() == family.size();
        for (std::size_t axis = 0; fits && axis < family.size(); ++axis) {
            fits = array.shape(axis) == columns.views[family[axis]].card;
        }
        if (!fits) throw std::invalid_argument(name + ": its shape is not that of the family's cards");
        views.push_back(array.data());
    }
};

Array<double> sum_log_tables_py(const List<CodeArray>& column_list, const std::vector<std::int64_t>& cards,
                                 const std::vector<std::vector<std::int64_t>>& family_lists,
                                 const List<Array<double>>& log_tables, int threads) {
    const Columns columns(column_list, cards);
    const std::vector<Family> families = families_of(family_lists, columns.views.size());
    const LogTables tables(log_tables, columns, families);
    Output<double> out({columns.rows});
    {
        const Unlocked unlocked;
        sum_log_tables(columns.views, columns.rows, families, tables.views, out.data(), threads);
    }
    return out.release();
}

}  // namespace

void register_tables(nb::module_& m) {
    using namespace nb::literals;
    m.def("combine_codes", &combine_codes_py, "columns"_a, "cards"_a, "threads"_a = 0,
          "The mixed-radix index of each row, first column slowest; 0xFFFFFFFF where a cell is missing.");
    m.def("sum_log_tables", &sum_log_tables_py, "columns"_a, "cards"_a, "families"_a, "log_tables"_a,
          "threads"_a = 0, "The sum over families of each row's table entry; NaN where a cell is missing.");
}

}  // namespace bayou::bindings
