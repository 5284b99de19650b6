// Growing one boosted tree from gradients that are whole numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "bayou/trees/boosted_trees.hpp"

namespace bayou {

// The gradient and the curvature of the loss, of a row or summed over rows, in units of 1 / scale.
struct Gradient {
    std::int64_t slope = 0, curve = 0;

    Gradient& operator+=(const Gradient& other) {
        slope += other.slope;
        curve += other.curve;
        return *this;
    }
    Gradient operator-(const Gradient& other) const { return {slope - other.slope, curve - other.curve}; }
};

class BoostedGrower {
  public:
    // The units are the weights of the rows as whole numbers, or nothing: 1 each.
    BoostedGrower(const TreeColumns& columns, const BoostedSettings& settings, const CodeTable& table,
                  const std::vector<std::int64_t>& units, double scale)
        : columns_(columns), settings_(settings), table_(table), units_(units), scale_(scale) {}

    // A tree for these rows (which are reordered), best leaf first.
    BoostedTree grow(std::vector<std::uint32_t>& rows, const std::vector<Gradient>& gradients);

  private:
    struct Split {
        double gain = 0;
        std::size_t column = 0;
        std::array<std::uint64_t, 4> left_codes{};
    };
    struct Leaf {
        std::uint32_t node, begin, end;
        std::vector<Gradient> histogram;  // of each code of each column
        Gradient total;
        Split split;
    };

    void fill(Leaf& leaf, const std::vector<std::uint32_t>& rows, const std::vector<Gradient>& gradients);
    void find_split(Leaf& leaf) const;
    void try_order(const Leaf& leaf, std::size_t column, const std::vector<std::uint8_t>& order, double ridge, Split& best) const;
    void split(std::size_t at, std::vector<Leaf>& leaves, std::vector<std::uint32_t>& rows,
               const std::vector<Gradient>& gradients, BoostedTree& tree);
    void set_right_codes(const Leaf& whole, const std::vector<std::uint32_t>& rows, std::uint32_t middle, BoostedNode& node) const;
    double gain(const Gradient& sum, double ridge) const;
    double value(const Gradient& sum) const;

    const TreeColumns& columns_;
    const BoostedSettings& settings_;
    const CodeTable& table_;
    const std::vector<std::int64_t>& units_;
    double scale_;
    std::vector<Gradient> gathered_;
};

}  // namespace bayou
