#include "bayou/counting/row_sample.hpp"

#include "arrays.hpp"
#include "register.hpp"
#include "unlocked.hpp"

namespace bayou::bindings {

namespace {

using Sample = Tuple<Array<std::uint64_t>, Array<std::int64_t>, Array<double>>;

Sample sample_rows_py(const List<AnyArray>& columns, const List<Array<std::uint64_t>>& tables,
                      const std::optional<Vector<double>>& weights, std::int64_t size,
                      std::uint64_t largest, int threads) {
    if (columns.size() != tables.size()) throw std::invalid_argument("expected one table of hashes for each column");
    std::vector<AnyVector> held;
    std::vector<Vector<std::uint64_t>> hashes;
    std::vector<HashedColumn> views;
    std::size_t rows = weights ? weights->shape(0) : 0;
    for (std::size_t at = 0; at < columns.size(); ++at) {
        const std::string name = "column " + std::to_string(at);
        held.push_back(array_from<AnyVector>(columns[at], name, "a contiguous array of codes or of float64"));
        hashes.push_back(array_from<Vector<std::uint64_t>>(tables[at], "the table of " + name, "uint64"));
        const AnyVector& cells = held.back();
        const bool number = cells.dtype() == nb::dtype<double>();
        if (at == 0 && !weights) rows = cells.shape(0);
        if (cells.shape(0) != rows) throw std::invalid_argument(name + " has another number of rows");
        const bool code = cells.dtype().code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt) && cells.dtype().bits <= 32;
        if (!number && (!code || hashes.back().shape(0) == 0)) {
            throw std::invalid_argument(name + ": expected codes and the hash of each, or float64");
        }
        views.push_back({cells.data(), number ? 8 : cells.dtype().bits / 8, hashes.back().data(), hashes.back().shape(0)});
    }
    std::vector<SampledRow> found;
    {
        const Unlocked unlocked;
        found = sample_rows(views, rows, weights ? weights->data() : nullptr, natural(size, "size"), largest, threads);
    }
    Output<std::uint64_t> hash({found.size()});
    Output<std::int64_t> row({found.size()});
    Output<double> weight({found.size()});
    for (std::size_t at = 0; at < found.size(); ++at) {
        hash.data()[at] = found[at].hash;
        row.data()[at] = static_cast<std::int64_t>(found[at].row);
        weight.data()[at] = found[at].weight;
    }
    return nb::make_tuple(hash.release(), row.release(), weight.release());
}

}  // namespace

void register_row_sample(nb::module_& m) {
    using namespace nb::literals;
    m.def("sample_rows", &sample_rows_py, "columns"_a, "tables"_a, "weights"_a = nb::none(), "size"_a = 4096,
          "largest"_a = UINT64_MAX, "threads"_a = 0,
          "(hashes, rows, weights) of the distinct rows with the smallest hashes, ascending; none above `largest`.");
}

}  // namespace bayou::bindings
