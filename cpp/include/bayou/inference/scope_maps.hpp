// Maps from a clique's table to the smaller tables over some of its variables.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayou/tables/table_walk.hpp"

namespace bayou {

class ScopeMaps {
  public:
    using Scope = std::vector<std::uint32_t>;

    // The numbers of states of all variables. Offsets are added to the pool.
    ScopeMaps(const std::vector<std::uint32_t>& cards, std::vector<std::uint32_t>& pool) : cards_(cards), pool_(pool) {}

    std::size_t block_entries(const Scope& scope) {
        set_axes(scope, {});
        return block_shape(axes_).entries;
    }

    // Both are in ascending rank, and the scope has all variables of the part.
    TableMap map(const Scope& scope, std::span<const std::uint32_t> part) {
        set_axes(scope, part);
        return map_table(axes_, pool_);
    }

  private:
    void set_axes(const Scope& scope, std::span<const std::uint32_t> part) {
        axes_.clear();
        std::size_t next = 0;
        for (const std::uint32_t variable : scope) {
            const bool shared = next < part.size() && part[next] == variable;
            axes_.push_back({cards_[variable], shared});
            next += shared;
        }
    }

    const std::vector<std::uint32_t>& cards_;
    std::vector<std::uint32_t>& pool_;
    std::vector<WalkAxis> axes_;  // kept, so that a map needs no memory of its own
};

}  // namespace bayou
