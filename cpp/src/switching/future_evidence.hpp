// What the later rows of a path say about the numbers of a slice: P(later values | x, later states) is proportional to
// exp(−½ xᵀ Ω x + λᵀ x + constant).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gaussian_step.hpp"

namespace bayou::switching {

struct FutureEvidence {
    explicit FutureEvidence(std::size_t places) : squares(places * places), linear(places) {}
    std::vector<double> squares, linear;  // Ω [places, places], λ [places]
    double constant = 0;
};

// Takes evidence about the numbers of a slice back to those of the slice before.
class FutureStep {
  public:
    explicit FutureStep(const MixedTemplate& model);

    // False if the values of the row have no density given the slice before.
    bool take_back(const MixedSlice& slice, const std::uint32_t* old_cells, const std::uint32_t* new_cells,
                   const double* values, const std::uint8_t* are_set, const FutureEvidence& after,
                   FutureEvidence& before);
    // log ∫ N(x; mean, F Fᵀ) exp(−½ xᵀ Ω x + λᵀ x) dx, and the constant.
    double log_weight(const GaussianState& state, const FutureEvidence& future);

  private:
    using Forms = GaussianStep::Forms;
    void take_known(const Forms& forms, const double* values, FutureEvidence& before);
    void fill_others(const Forms& forms, const double* values);
    void integrate_noise(const FutureEvidence& after, FutureEvidence& before);
    void carry_over(FutureEvidence& before);

    // Cholesky's root of a matrix [size, size] in place; the log of its determinant.
    static double factorise(std::vector<double>& matrix, std::size_t size);
    static void solve_lower(const std::vector<double>& root, std::size_t size, double* vector);

    const MixedTemplate& model_;
    GaussianStep step_;
    std::size_t rest_ = 0;         // columns of noise that the known numbers do not determine
    std::vector<double> unit_, zero_;
    std::vector<double> known_;    // r
    std::vector<double> others_;   // [B, c, Y] of each place
    std::vector<double> squares_, linear_, inner_, work_, product_;
};

}  // namespace bayou::switching
