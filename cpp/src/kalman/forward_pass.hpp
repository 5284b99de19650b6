// One sequence step by step: predict, then take the values of the row. Covariances are kept as triangular roots, so that
// they never lose their positive eigenvalues (Kailath, Sayed and Hassibi 2000, Linear Estimation, chapter 12).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayou/kalman/linear_system.hpp"

namespace bayou::kalman {

// A system with the roots of its covariances.
struct SystemRoots {
    explicit SystemRoots(const LinearSystem& system);
    LinearSystem system;
    std::vector<double> transition_noise, observation_noise, start_covariance;
};

// What does not depend on the values of a row, only on which are there: shared by all rows of a steady stretch.
struct StepMatrices {
    StepMatrices(std::size_t states, std::size_t columns);
    std::size_t seen = 0;             // the number of values
    double log_constant = 0;          // −½ log det(2π S), S the covariance of the values given the rows before
    std::vector<std::uint8_t> there;  // [columns]: whether the value is there
    std::vector<double> innovation;   // lower root of S [seen, seen]
    std::vector<double> gain;         // [states, seen]: the update of the mean is gain · root⁻¹ · (value − expected)
    std::vector<double> root;         // lower root of the filtered covariance [states, states]
    std::vector<double> covariance;   // the filtered covariance [states, states]
    std::vector<double> back;         // J: E[x(t) | x(t+1), rows so far] = m(t) + J (x(t+1) − predicted)
    std::vector<double> left;         // the covariance of x(t) given x(t+1) and the rows so far
};

class ForwardPass {
  public:
    // `smoothing`: keep the matrices of all steps since `restart`, and those that go back.
    ForwardPass(const SystemRoots& roots, bool smoothing);

    // The next row is the first of a sequence.
    void begin();
    // The next row follows a row with this filtered mean and root of its covariance.
    void restart(const double* mean, const double* root);
    // Takes a row; false if its values have no density.
    bool take(const double* values, const double* inputs);
    // Makes the matrices that go back to the last row.
    void finish();

    double log_density() const { return log_density_; }
    const double* mean() const { return mean_.data(); }
    const double* predicted() const { return predicted_.data(); }
    const double* root() const { return steps_[now_].root.data(); }
    const double* covariance() const { return steps_[now_].covariance.data(); }
    std::size_t place() const { return now_; }  // of the matrices of the last row
    const StepMatrices& matrices(std::size_t place) const { return steps_[place]; }

  private:
    bool same_values_there(const double* values) const;
    void note_change();
    bool next_matrices(const double* values);
    void predict_root(StepMatrices& before);
    bool update(const double* values, StepMatrices& now);

    const SystemRoots& roots_;
    bool smoothing_;
    bool first_ = true, steady_ = false;
    std::vector<StepMatrices> steps_;
    std::size_t now_ = 0, used_ = 0;
    std::vector<double> compared_;  // the covariance some rows ago
    std::size_t alike_ = 0;         // rows with the same values there
    std::vector<double> mean_, predicted_, predicted_root_, surprise_, work_;
    double log_density_ = 0;
};

}  // namespace bayou::kalman
