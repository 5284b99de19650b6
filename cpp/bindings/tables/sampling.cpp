#include "bayou/tables/sampling.hpp"

#include "arrays.hpp"
#include "register.hpp"
#include "unlocked.hpp"

namespace bayou::bindings {

namespace {

template <typename Code>
nb::object draw(const StreamOfRows& source, const std::uint32_t* groups, const CumulativeTable& table,
                std::size_t n, int threads) {
    Output<Code> out({n});
    {
        const Unlocked unlocked;
        sample_categorical(source, groups, table, n, out.data(), threads);
    }
    return nb::cast(out.release());
}

Object<CodeArray> sample_categorical_py(std::uint64_t seed, std::uint64_t stream, std::uint64_t first_row,
                                        const Object<Array<std::uint32_t>>& groups,
                                        const Object<Array<double>>& cumulative, std::int64_t rows, int threads) {
    const auto values = array_from<nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>>(
        cumulative, "cumulative", "a contiguous two-dimensional float64 array");
    const CumulativeTable table{values.data(), values.shape(0), values.shape(1)};
    const std::size_t n = natural(rows, "n");
    Vector<std::uint32_t> group_array;
    if (!groups.is_none()) {
        group_array = array_from<Vector<std::uint32_t>>(groups, "groups",
                                                        "None or a contiguous one-dimensional uint32 array");
        if (group_array.shape(0) != n) {
            throw std::invalid_argument("groups has " + std::to_string(group_array.shape(0)) +
                                        " rows, but n is " + std::to_string(n));
        }
    } else if (table.groups != 1) {
        throw std::invalid_argument("without groups cumulative must have one row, not " +
                                    std::to_string(table.groups));
    }
    const std::uint32_t* group_codes = groups.is_none() ? nullptr : group_array.data();
    const StreamOfRows source{seed, stream, first_row};
    if (table.states <= 255) return draw<std::uint8_t>(source, group_codes, table, n, threads);
    if (table.states <= 65535) return draw<std::uint16_t>(source, group_codes, table, n, threads);
    return draw<std::uint32_t>(source, group_codes, table, n, threads);
}

Array<double> sample_normal_py(std::uint64_t seed, std::uint64_t stream, std::uint64_t first_row,
                                std::int64_t rows, int threads) {
    Output<double> out({natural(rows, "n")});
    {
        const Unlocked unlocked;
        sample_normal({seed, stream, first_row}, static_cast<std::size_t>(rows), out.data(), threads);
    }
    return out.release();
}

}  // namespace

void register_sampling(nb::module_& m) {
    using namespace nb::literals;
    m.def("sample_categorical", &sample_categorical_py, "seed"_a, "stream"_a, "first_row"_a,
          "groups"_a.none(), "cumulative"_a, "n"_a, "threads"_a = 0,
          "Codes drawn from rows of cumulative probabilities; row i depends on (seed, stream, i) only.");
    m.def("sample_normal", &sample_normal_py, "seed"_a, "stream"_a, "first_row"_a, "n"_a, "threads"_a = 0,
          "Standard normal draws; row i depends on (seed, stream, i) only.");
}

}  // namespace bayou::bindings
