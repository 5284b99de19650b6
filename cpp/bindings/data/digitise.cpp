#include "bayou/data/digitise.hpp"

#include "arrays.hpp"
#include "register.hpp"
#include "unlocked.hpp"

namespace bayou::bindings {

namespace {

using StridedVector = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;

template <typename Number>
bool is_type(const StridedVector& array) {
    return array.dtype() == nb::dtype<Number>();
}

NumberType number_type(const StridedVector& array, const char* expected) {
    if (is_type<double>(array)) return NumberType::f64;
    if (is_type<float>(array)) return NumberType::f32;
    if (is_type<std::int8_t>(array)) return NumberType::i8;
    if (is_type<std::int16_t>(array)) return NumberType::i16;
    if (is_type<std::int32_t>(array)) return NumberType::i32;
    if (is_type<std::int64_t>(array)) return NumberType::i64;
    if (is_type<std::uint8_t>(array)) return NumberType::u8;
    if (is_type<std::uint16_t>(array)) return NumberType::u16;
    if (is_type<std::uint32_t>(array)) return NumberType::u32;
    if (is_type<std::uint64_t>(array)) return NumberType::u64;
    throw std::invalid_argument(std::string("values: expected ") + expected);
}

template <typename Code>
nb::object codes_of(const NumberView& view, const Vector<double>& cuts, int threads) {
    Output<Code> out({view.rows});
    {
        const Unlocked unlocked;
        digitise(view, cuts.data(), cuts.shape(0), out.data(), threads);
    }
    return nb::cast(out.release());
}

Object<CodeArray> digitise_py(const Object<AnyArray>& value_array, const Object<Array<double>>& cut_array, int threads) {
    constexpr auto expected = "a one-dimensional array of float64, float32 or whole numbers";
    const auto values = array_from<StridedVector>(value_array, "values", expected);
    const auto cuts =
        array_from<Vector<double>>(cut_array, "cuts", "a contiguous one-dimensional float64 array");
    const NumberView view{values.data(), number_type(values, expected), values.shape(0), values.stride(0)};
    // One state more than cuts, and the largest code is that of a gap.
    if (cuts.shape(0) < 0xFF) return codes_of<std::uint8_t>(view, cuts, threads);
    if (cuts.shape(0) < 0xFFFF) return codes_of<std::uint16_t>(view, cuts, threads);
    return codes_of<std::uint32_t>(view, cuts, threads);
}

}  // namespace

void register_digitise(nb::module_& m) {
    using namespace nb::literals;
    m.def("digitise", &digitise_py, "values"_a, "cuts"_a, "threads"_a = 0,
          "The code of the interval that holds each value: how many cuts are below it; NaN is missing.");
}

}  // namespace bayou::bindings
