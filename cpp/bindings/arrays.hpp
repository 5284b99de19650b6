// Reading numpy arrays into the kernels' plain views, and handing results out without a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bayou/base/portable.hpp"
#include "bayou/data/codes.hpp"
#include "python_types.hpp"

namespace bayou::bindings {

namespace nb = nanobind;

using AnyVector = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Tensor = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;

// A number that must be an index or a size: at least 0, at most `most`.
inline std::size_t natural(std::int64_t value, const char* name, std::uint64_t most = INT64_MAX) {
    if (value < 0 || static_cast<std::uint64_t>(value) > most) {
        throw std::invalid_argument(std::string(name) + " is " + std::to_string(value) +
                                    ": expected a number from 0 to " + std::to_string(most));
    }
    return static_cast<std::size_t>(value);
}

// The array in `item` as it stands, or std::invalid_argument: never a silent copy.
template <typename View>
View array_from(nb::handle item, const std::string& name, const char* expected) {
    View array;
    if (!nb::try_cast<View>(item, array, false)) {
        throw std::invalid_argument(name + ": expected " + expected);
    }
    return array;
}

// The columns of a call; holds the arrays while the kernels read them.
struct Columns {
    std::vector<AnyVector> arrays;
    std::vector<CodeColumn> views;
    std::size_t rows = 0;

    Columns(const nb::list& columns, const std::vector<std::int64_t>& cards) {
        if (columns.size() != cards.size()) {
            throw std::invalid_argument("there are " + std::to_string(columns.size()) + " columns but " +
                                        std::to_string(cards.size()) + " cards: expected one a column");
        }
        for (std::size_t at = 0; at < columns.size(); ++at) add(columns[at], cards[at]);
        check_columns(views);
        rows = views.empty() ? 0 : views.front().rows;
    }

  private:
    void add(nb::handle item, std::int64_t card) {
        constexpr auto expected = "a contiguous one-dimensional uint8, uint16 or uint32 array";
        const std::string name = "column " + std::to_string(views.size());
        arrays.push_back(array_from<AnyVector>(item, name, expected));
        const AnyVector& array = arrays.back();
        const bool is_codes = array.dtype() == nb::dtype<std::uint8_t>() ||
                              array.dtype() == nb::dtype<std::uint16_t>() ||
                              array.dtype() == nb::dtype<std::uint32_t>();
        if (!is_codes) throw std::invalid_argument(name + ": expected " + expected);
        CodeColumn column;
        column.codes = array.data();
        column.bytes = array.dtype().bits / 8;
        column.card = static_cast<std::uint32_t>(natural(card, ("card of " + name).c_str(), UINT32_MAX));
        column.rows = array.shape(0);
        column.position = views.size();
        views.push_back(column);
    }
};

inline std::vector<Family> families_of(const std::vector<std::vector<std::int64_t>>& lists, std::size_t columns) {
    std::vector<Family> families;
    for (const auto& list : lists) {
        Family family;
        for (const std::int64_t member : list) family.push_back(natural(member, "a column of a family"));
        check_family(family, columns, families.size());
        families.push_back(std::move(family));
    }
    return families;
}

// Zeroed memory that becomes a numpy array.
template <typename T>
class Output {
  public:
    explicit Output(std::vector<std::size_t> shape) : shape_(std::move(shape)) {
        std::size_t cells = std::count(shape_.begin(), shape_.end(), 0u) ? 0 : 1;
        for (const std::size_t side : shape_) {
            if (product_overflows(cells, side, &cells)) throw std::bad_alloc();
        }
        memory_.reset(static_cast<T*>(std::calloc(cells ? cells : 1, sizeof(T))));
        if (!memory_) throw std::bad_alloc();
    }
    T* data() { return memory_.get(); }

    Array<T> release() {
        nb::capsule owner(memory_.get(), [](void* memory) noexcept { std::free(memory); });
        return Array<T>(memory_.release(), shape_.size(), shape_.data(), owner);
    }

  private:
    struct Free {
        void operator()(T* memory) const { std::free(memory); }
    };
    std::vector<std::size_t> shape_;
    std::unique_ptr<T, Free> memory_;
};

}  // namespace bayou::bindings
