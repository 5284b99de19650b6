#include "bayou/data/integer_matrix.hpp"

#include "matrices.hpp"
#include "register.hpp"
#include "unlocked.hpp"

namespace bayou::bindings {

namespace {

constexpr auto expected_matrix = "a two-dimensional array of whole numbers or booleans";

IntegerKind kind_of(const nb::dlpack::dtype& dtype) {
    const bool is_signed = dtype == nb::dtype<std::int8_t>() || dtype == nb::dtype<std::int16_t>() ||
                           dtype == nb::dtype<std::int32_t>() || dtype == nb::dtype<std::int64_t>();
    if (dtype == nb::dtype<bool>() || dtype == nb::dtype<std::uint8_t>()) return IntegerKind::u8;
    if (dtype == nb::dtype<std::uint16_t>()) return IntegerKind::u16;
    if (dtype == nb::dtype<std::uint32_t>()) return IntegerKind::u32;
    if (dtype == nb::dtype<std::uint64_t>()) return IntegerKind::u64;
    if (!is_signed) throw std::invalid_argument(std::string("matrix: expected ") + expected_matrix);
    if (dtype.bits == 8) return IntegerKind::i8;
    if (dtype.bits == 16) return IntegerKind::i16;
    return dtype.bits == 32 ? IntegerKind::i32 : IntegerKind::i64;
}

template <typename T>
nb::object numbers(const std::vector<WholeNumber>& values) {
    Output<T> out({values.size()});
    for (std::size_t at = 0; at < values.size(); ++at) out.data()[at] = static_cast<T>(values[at].bits);
    return nb::cast(out.release());
}

nb::object values_array(const std::vector<WholeNumber>& values, const nb::dlpack::dtype& dtype) {
    if (dtype == nb::dtype<bool>()) return numbers<bool>(values);
    switch (kind_of(dtype)) {
        case IntegerKind::i8: return numbers<std::int8_t>(values);
        case IntegerKind::i16: return numbers<std::int16_t>(values);
        case IntegerKind::i32: return numbers<std::int32_t>(values);
        case IntegerKind::u8: return numbers<std::uint8_t>(values);
        case IntegerKind::u16: return numbers<std::uint16_t>(values);
        case IntegerKind::u32: return numbers<std::uint32_t>(values);
        case IntegerKind::u64: return numbers<std::uint64_t>(values);
        default: return numbers<std::int64_t>(values);
    }
}

template <typename Code>
nb::object own_bytes(std::unique_ptr<std::uint8_t[]>& memory, std::size_t rows) {
    nb::capsule owner(memory.get(), [](void* place) noexcept { delete[] static_cast<std::uint8_t*>(place); });
    Code* codes = reinterpret_cast<Code*>(memory.release());
    return nb::cast(nb::ndarray<nb::numpy, Code, nb::ndim<1>>(codes, {rows}, owner));
}

nb::object codes_array(EncodedColumn& column, std::size_t rows) {
    if (column.bytes == 1) return own_bytes<std::uint8_t>(column.codes, rows);
    if (column.bytes == 2) return own_bytes<std::uint16_t>(column.codes, rows);
    return own_bytes<std::uint32_t>(column.codes, rows);
}

template <typename T>
bool read_values(nb::handle item, std::vector<WholeNumber>& out) {
    Vector<T> array;
    if (!nb::try_cast<Vector<T>>(item, array, false)) return false;
    for (std::size_t at = 0; at < array.shape(0); ++at) {
        out.push_back({array.data()[at] < T{0}, static_cast<std::uint64_t>(array.data()[at])});
    }
    return true;
}

std::vector<std::vector<WholeNumber>> known_values(const nb::list& lists, std::size_t columns) {
    check_length("values", lists.size(), columns);
    std::vector<std::vector<WholeNumber>> values(columns);
    for (std::size_t j = 0; j < columns; ++j) {
        const std::string name = "values of column " + std::to_string(j);
        if (!read_values<std::int64_t>(lists[j], values[j]) && !read_values<std::uint64_t>(lists[j], values[j])) {
            throw std::invalid_argument(name + ": expected a contiguous one-dimensional int64 or uint64 array");
        }
        for (std::size_t at = 1; at < values[j].size(); ++at) {
            if (values[j][at - 1] < values[j][at]) continue;
            throw std::invalid_argument(name + ": expected distinct numbers in ascending order");
        }
    }
    return values;
}

Tuple<List<CodeArray>, List<AnyArray>> encode_integer_matrix_py(
    const Object<Either<WholeArray, TruthArray>>& matrix_array, const Object<List<WholeArray>>& values, int threads) {
    const auto array = array_from<AnyMatrix>(matrix_array, "matrix", expected_matrix);
    IntegerMatrix matrix;
    matrix.cells = array.data();
    matrix.kind = kind_of(array.dtype());
    matrix.rows = array.shape(0);
    matrix.columns = array.shape(1);
    matrix.row_step = array.stride(0);
    matrix.column_step = array.stride(1);
    std::vector<std::vector<WholeNumber>> known;
    if (!values.is_none()) known = known_values(nb::cast<nb::list>(values), matrix.columns);
    std::vector<EncodedColumn> columns;
    {
        const Unlocked unlocked;
        columns = values.is_none() ? encode_integers(matrix, threads)
                                   : encode_known_integers(matrix, std::move(known), threads);
    }
    nb::list codes, labels;
    for (std::size_t j = 0; j < columns.size(); ++j) {
        codes.append(codes_array(columns[j], matrix.rows));
        if (values.is_none()) labels.append(values_array(columns[j].values, array.dtype()));
    }
    return nb::make_tuple(codes, values.is_none() ? nb::object(labels) : nb::object(values));
}

}  // namespace

void register_integer_matrix(nb::module_& m) {
    using namespace nb::literals;
    m.def("encode_integer_matrix", &encode_integer_matrix_py, "matrix"_a, "values"_a = nb::none(), "threads"_a = 0,
          "(codes, values) of each column of a matrix of whole numbers; with values given, others are missing.");
}

}  // namespace bayou::bindings
