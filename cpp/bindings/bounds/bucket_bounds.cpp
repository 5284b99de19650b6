// Bounds on sums of products of tables.
#include "bayou/bounds/bucket_bounds.hpp"

#include <memory>

#include "arrays.hpp"
#include "register.hpp"
#include "unlocked.hpp"

namespace bayou::bindings {

namespace {

using Numbers = std::vector<std::uint32_t>;

class PyBucketBounds {
  public:
    PyBucketBounds(const Numbers& cards, const std::vector<Numbers>& scopes, const nb::list& tables, const Numbers& fixed,
                   const Numbers& order, const std::vector<std::vector<Numbers>>& buckets,
                   const std::vector<Numbers>& exponents, const Numbers& targets) {
        if (tables.size() != scopes.size()) throw std::invalid_argument("expected one table a scope");
        if (buckets.size() != order.size() || exponents.size() != order.size()) {
            throw std::invalid_argument("expected groups and exponents for each variable of the order");
        }
        std::vector<BoundedTable> copies;
        for (std::size_t at = 0; at < scopes.size(); ++at) {
            const auto table = array_from<Tensor<double>>(tables[at], "a table", "a contiguous float64 array");
            copies.push_back({scopes[at], std::vector<double>(table.data(), table.data() + table.size())});
        }
        std::vector<BoundedBucket> parts;
        for (std::size_t at = 0; at < order.size(); ++at) parts.push_back({order[at], buckets[at], exponents[at]});
        const Unlocked unlocked;
        bounds_ = std::make_unique<const BucketBounds>(cards, std::move(copies), fixed, std::move(parts), targets);
    }

    Tuple<Array<double>, Array<std::int64_t>, Array<double>, Array<std::int64_t>> run(
        const Object<Array<std::uint32_t>>& rows, int threads) const {
        const auto codes = array_from<Matrix<std::uint32_t>>(rows, "rows", "a contiguous two-dimensional uint32 array");
        if (codes.shape(1) != bounds_->columns()) throw std::invalid_argument("rows needs a column for each fixed variable");
        const std::size_t n = codes.shape(0);
        Output<double> upper({n, bounds_->cells()}), lower({n, bounds_->cells()});
        Output<std::int64_t> upper_scale({n}), lower_scale({n});
        {
            const Unlocked unlocked;
            bounds_->run(codes.data(), n, upper.data(), upper_scale.data(), lower.data(), lower_scale.data(), threads);
        }
        return nb::make_tuple(upper.release(), upper_scale.release(), lower.release(), lower_scale.release());
    }

    std::uint64_t operations() const { return bounds_->operations(); }
    bool is_exact() const { return bounds_->is_exact(); }

  private:
    std::unique_ptr<const BucketBounds> bounds_;
};

}  // namespace

void register_bucket_bounds(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<PyBucketBounds>(m, "BucketBounds")
        .def(nb::init<const Numbers&, const std::vector<Numbers>&, const List<Array<double>>&, const Numbers&, const Numbers&,
                      const std::vector<std::vector<Numbers>>&, const std::vector<Numbers>&, const Numbers&>(),
             "cards"_a, "scopes"_a, "tables"_a, "fixed"_a, "order"_a, "buckets"_a, "exponents"_a, "targets"_a,
             "Bounds on sums of products of tables, summed over the order, for rows of states of fixed variables.")
        .def("run", &PyBucketBounds::run, "rows"_a, "threads"_a = 0,
             "(Upper bounds by row and cell of the targets, their binary exponents by row, lower bounds, theirs).")
        .def_prop_ro("operations", &PyBucketBounds::operations, "The roundings on the way to one result, at most.")
        .def_prop_ro("is_exact", &PyBucketBounds::is_exact, "Whether no bucket is split.");
}

}  // namespace bayou::bindings
