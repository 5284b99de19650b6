// Growing one boosted tree from gradients that are whole numbers.
#pragma once

#include <array>
#include <cstdint>
#include <span>
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

    // Adds the values of the tree that was grown last to the scores of its rows, in the order that it left them in.
    void add_values(const BoostedTree& tree, const std::vector<std::uint32_t>& rows, double* scores, std::size_t stride) const;

  private:
    struct Split {
        double gain = 0;
        std::size_t column = 0;
        std::array<std::uint64_t, 4> left_codes{};
    };
    struct Leaf {
        std::uint32_t node = 0, begin = 0, end = 0;
        std::vector<Gradient> histogram;  // of each code of each column
        Gradient total;
        Split split;
    };

    void gather(Leaf& leaf, const std::vector<std::uint32_t>& rows, const std::vector<Gradient>& gradients);
    void fill(Leaf& leaf, const std::vector<std::uint32_t>& rows) const;
    template <std::size_t count>
    void fill_columns(Leaf& leaf, const std::uint32_t* rows, std::size_t first) const;
    void find_split(Leaf& leaf) const;
    void find_splits(Leaf& whole, Leaf& small, Leaf& large, const std::vector<std::uint32_t>& rows) const;
    std::size_t order_by_slope(const Gradient* histogram, std::uint32_t card, std::uint8_t* order) const;
    void try_order(const Leaf& leaf, std::size_t column, std::span<const std::uint8_t> order, double ridge, Split& best) const;
    void split(std::size_t at, std::vector<std::uint32_t>& rows, const std::vector<Gradient>& gradients, BoostedTree& tree);
    std::int64_t least_curve() const;
    void set_right_codes(const Leaf& whole, const std::vector<std::uint32_t>& rows, std::uint32_t middle, BoostedNode& node) const;
    double gain(const Gradient& sum, double ridge) const;
    double value(const Gradient& sum) const;

    const TreeColumns& columns_;
    const BoostedSettings& settings_;
    const CodeTable& table_;
    const std::vector<std::int64_t>& units_;
    double scale_;
    std::vector<Gradient> gathered_;  // of the rows of one leaf
    std::vector<Leaf> leaves_;
};

}  // namespace bayou
