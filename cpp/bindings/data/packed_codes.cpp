#include "bayou/data/packed_codes.hpp"

#include "arrays.hpp"
#include "coded_arrays.hpp"
#include "register.hpp"
#include "unlocked.hpp"

namespace bayou::bindings {

namespace {

using PlaceMatrix = nb::ndarray<const std::int64_t, nb::shape<-1, 4>, nb::c_contig, nb::device::cpu>;

Tuple<List<CodeArray>, List<Array<std::int64_t>>> unpack_codes_py(const Object<Array<std::uint8_t>>& data_array,
                                                                  std::size_t row_bytes,
                                                                  const Object<Array<std::int64_t>>& place_array,
                                                                  const Object<Array<std::int64_t>>& offset_array) {
    const auto data = array_from<Vector<std::uint8_t>>(data_array, "data", "a contiguous array of uint8");
    const auto places = array_from<PlaceMatrix>(place_array, "places", "four numbers for each of the offsets");
    const auto offsets = array_from<Vector<std::int64_t>>(offset_array, "offsets", "a contiguous array of int64");
    if (places.shape(0) != offsets.shape(0)) {
        throw std::invalid_argument("places: expected four numbers for each of the offsets");
    }
    std::vector<PackedPlace> wanted;
    for (std::size_t k = 0; k < places.shape(0); ++k) {
        const std::int64_t* place = places.data() + 4 * k;
        // What is negative becomes too large, which the kernel refuses.
        wanted.push_back({static_cast<std::size_t>(place[0]), offsets.data()[k], static_cast<int>(place[1]),
                          static_cast<int>(place[2]), static_cast<std::size_t>(place[3])});
    }
    std::vector<UnpackedColumn> columns;
    {
        const Unlocked unlocked;
        columns = unpack_codes(data.data(), data.shape(0), row_bytes, wanted);
    }
    nb::list codes, seen;
    for (UnpackedColumn& column : columns) {
        codes.append(column.is_wide ? own_array<std::uint16_t>(std::move(column.wide))
                                    : own_array<std::uint8_t>(std::move(column.narrow)));
        seen.append(own_array<std::int64_t>(std::move(column.seen)));
    }
    return nb::make_tuple(codes, seen);
}

}  // namespace

void register_packed_codes(nb::module_& m) {
    using namespace nb::literals;
    m.def("unpack_codes", &unpack_codes_py, "data"_a, "row_bytes"_a, "places"_a, "offsets"_a,
          "(codes, numbers that they stand for) of columns that are packed into the 64-bit numbers of rows.");
}

}  // namespace bayou::bindings
