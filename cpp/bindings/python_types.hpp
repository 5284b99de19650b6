// Arguments and results as Python's type checkers see them: _core.pyi is generated from the signatures of the bindings
// (make stubs). None of these types changes what a function accepts at run time: bindings check arrays themselves, so
// that their messages say which one is wrong.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

namespace bayou::bindings {

struct AnyValue {};     // any Python object
struct HashValue {};
struct AnyArray {};     // of any dtype
struct CodeArray {};    // uint8, uint16 or uint32
struct CountArray {};   // int64, or float64 where weights are not whole numbers
struct RealArray {};    // float64 or float32
struct WholeArray {};   // whole numbers of any width
struct TruthArray {};

template <typename T>
using Array = nanobind::ndarray<nanobind::numpy, T>;
template <typename T>
using Object = nanobind::typed<nanobind::object, T>;
template <typename T>
using List = nanobind::typed<nanobind::list, T>;
template <typename... Ts>
using Tuple = nanobind::typed<nanobind::tuple, Ts...>;
template <typename T>
using TupleOf = nanobind::typed<nanobind::tuple, T, nanobind::ellipsis>;
template <typename A, typename B>
struct Either {};

}  // namespace bayou::bindings

namespace nanobind::detail {

#define BAYOU_PYTHON_TYPE(type, name)               \
    template <>                                     \
    struct type_caster<bayou::bindings::type> {     \
        static constexpr auto Name = const_name(name); \
    };

BAYOU_PYTHON_TYPE(AnyValue, "typing.Any")
BAYOU_PYTHON_TYPE(HashValue, "collections.abc.Hashable")
BAYOU_PYTHON_TYPE(AnyArray, "numpy.typing.NDArray[typing.Any]")
BAYOU_PYTHON_TYPE(CodeArray, "bayou.typing.CodeArray")
BAYOU_PYTHON_TYPE(CountArray, "bayou.typing.CountArray")
BAYOU_PYTHON_TYPE(RealArray, "numpy.typing.NDArray[numpy.floating[typing.Any]]")
BAYOU_PYTHON_TYPE(WholeArray, "numpy.typing.NDArray[numpy.integer[typing.Any]]")
BAYOU_PYTHON_TYPE(TruthArray, "numpy.typing.NDArray[numpy.bool_]")

#undef BAYOU_PYTHON_TYPE

template <typename A, typename B>
struct type_caster<bayou::bindings::Either<A, B>> {
    static constexpr auto Name = make_caster<A>::Name + const_name(" | ") + make_caster<B>::Name;
};

}  // namespace nanobind::detail
