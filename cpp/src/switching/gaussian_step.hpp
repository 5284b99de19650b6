// One slice of Gaussian numbers: the forms of the new numbers in the roots of the old ones and in fresh noise, made
// triangular with the known numbers first. Covariances are only ever kept as roots, so they never lose their sign.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayou/switching/mixed_template.hpp"

namespace bayou::switching {

// Mean and root F of the places given the rows so far: covariance F Fᵀ, F [places, places] with `rank` columns in use.
struct GaussianState {
    double* mean;
    double* root;
    std::uint32_t* rank;
};

// What a row says about the places before it: x(t−1) = mean + back (x(t) − filtered mean of x(t)) + noise of covariance
// `left`.
struct BackwardStep {
    double *mean, *back, *left;
};

// The group of a line or a table.
inline std::size_t group_of(const std::vector<GroupCell>& parts, const std::uint32_t* old_cells,
                            const std::uint32_t* new_cells) {
    std::size_t group = 0;
    for (const GroupCell& part : parts) {
        group += static_cast<std::size_t>(part.stride) * (part.cell.old ? old_cells : new_cells)[part.cell.at];
    }
    return group;
}

class GaussianStep {
  public:
    GaussianStep(const MixedTemplate& model, bool smoothing);

    // Takes a row; false if its values have no density. `old` and `fresh` do not overlap.
    bool take(const MixedSlice& slice, const GaussianState& old, const std::uint32_t* old_cells,
              const std::uint32_t* new_cells, const double* values, const std::uint8_t* are_set,
              const GaussianState& fresh);
    double log_density() const { return log_density_; }
    // After `take` of a step for smoothing.
    void go_back(const GaussianState& old, const BackwardStep& result);

    // The forms [place in `order`, wide] of the new places in `first` columns for the old ones and in the noise, whose
    // columns are turned so that the known places, which come first, are triangular in them.
    struct Forms {
        std::size_t seen, pivots, wide;
        double* lines;
        const double* mean;
        const std::size_t* order;
    };
    Forms turned_forms(const MixedSlice& slice, const GaussianState& old, const std::uint32_t* old_cells,
                       const std::uint32_t* new_cells, const double* values, const std::uint8_t* are_set,
                       std::size_t first);

  private:
    void order_places(const MixedSlice& slice, const double* values, const std::uint8_t* are_set);
    void fill_forms(const MixedSlice& slice, const GaussianState& old, const std::uint32_t* old_cells,
                    const std::uint32_t* new_cells, const double* values, const std::uint8_t* are_set);
    void make_staircase(std::size_t first, std::size_t rows);
    bool condition(const double* values, const GaussianState& fresh);

    const MixedTemplate& model_;
    bool smoothing_;
    std::size_t seen_ = 0, used_ = 0, wide_ = 0;   // known numbers, pivots, columns
    std::vector<std::size_t> row_of_, order_;      // the line of each place, the place of each line
    std::vector<std::size_t> pivot_lines_;         // the line of each pivot
    std::vector<double> forms_, mean_, surprise_;  // forms_ [places (twice for smoothing), wide]
    double log_density_ = 0;
};

}  // namespace bayou::switching
