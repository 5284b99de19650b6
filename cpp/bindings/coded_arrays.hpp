// Codes and numbers handed to numpy without a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <vector>

#include "bayou/data/encode.hpp"

namespace bayou::bindings {

template <typename Element, typename Storage>
nanobind::object own_array(std::vector<Storage>&& values) {
    auto held = std::make_unique<std::vector<Storage>>(std::move(values));
    const std::size_t count = held->size() * sizeof(Storage) / sizeof(Element);
    Element* data = reinterpret_cast<Element*>(held->data());
    nanobind::capsule owner(held.get(), [](void* pointer) noexcept {
        delete static_cast<std::vector<Storage>*>(pointer);
    });
    held.release();
    return nanobind::cast(nanobind::ndarray<nanobind::numpy, Element, nanobind::ndim<1>>(data, {count}, owner));
}

inline nanobind::object own_codes(CodeBuffer& codes) {
    if (codes.width() == 1) return own_array<std::uint8_t>(codes.take());
    if (codes.width() == 2) return own_array<std::uint16_t>(codes.take());
    return own_array<std::uint32_t>(codes.take());
}

}  // namespace bayou::bindings
