// The gains of families from one more parent: scored once; only positive gains are kept.
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

    // `joinable[child * size + parent]`: allowed parents. Gains up to `least` count as none. The memory must outlive
    // this object.
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
