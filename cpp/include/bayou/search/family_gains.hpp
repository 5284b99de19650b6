// What families gain from one more parent: scored once, kept without the additions that gain nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "bayou/base/bit_rows.hpp"
#include "bayou/search/family_memory.hpp"

namespace bayou {

class FamilyGains {
  public:
    struct Gain {
        double gain;
        std::uint32_t parent;
    };

    // `joinable[child * size + parent]`: who may be a parent; gains up to `least` are none. The memory must outlive it.
    FamilyGains(FamilyMemory& memory, std::vector<char> joinable, double least);

    double family(std::uint32_t child, const Members& parents);

    // In the order of the added parent's position. The reference stays valid as long as this object.
    const std::vector<Gain>& additions(std::uint32_t child, const Members& parents);

    double least() const { return least_; }
    std::size_t size() const { return known_.size(); }

  private:
    struct Known {
        std::optional<double> score;
        std::optional<std::vector<Gain>> gains;
    };

    double score(Known& known, std::uint32_t child, const Members& parents);

    FamilyMemory& memory_;
    std::vector<char> joinable_;
    double least_;
    std::vector<std::map<Members, Known>> known_;  // by child
};

}  // namespace bayou
