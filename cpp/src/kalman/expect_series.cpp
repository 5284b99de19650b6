// The expected statistics of sequences. Covariances are added up over the rows of a sequence and carried over to the
// residuals once; only the means, and steps with some values missing, are worked on row by row.
#include <algorithm>
#include <cmath>
#include <vector>

#include "backward_pass.hpp"
#include "bayou/base/threads.hpp"
#include "sequence_parts.hpp"
#include "small_matrices.hpp"

namespace bayou {

namespace {

using kalman::add_product;
using kalman::multiply;
using kalman::multiply_transposed;

// Σ w, Σ w E[z] and Σ w E[z zᵀ] with memory of its own.
struct OwnSums {
    explicit OwnSums(std::size_t size) : first(size), second(size * size) {}

    void add_vector(const double* z, double w) {
        const std::size_t size = first.size();
        weight += w;
        for (std::size_t i = 0; i < size; ++i) {
            first[i] += w * z[i];
            for (std::size_t j = 0; j < size; ++j) second[i * size + j] += w * z[i] * z[j];
        }
    }
    // Adds w · block to the block of `second` at (row, column), and its transpose opposite.
    void add_block(std::size_t row, std::size_t column, const double* block, std::size_t rows, std::size_t columns,
                   double w) {
        const std::size_t size = first.size();
        for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t j = 0; j < columns; ++j) {
                second[(row + i) * size + column + j] += w * block[i * columns + j];
                if (row != column) second[(column + j) * size + row + i] += w * block[i * columns + j];
            }
        }
    }
    void add_to(const VectorSums& total) const {
        *total.weight += weight;
        for (std::size_t i = 0; i < first.size(); ++i) total.first[i] += first[i];
        for (std::size_t i = 0; i < second.size(); ++i) total.second[i] += second[i];
    }

    double weight = 0;
    std::vector<double> first, second;
};

struct PartSumsOfSystem {
    PartSumsOfSystem(std::size_t n, std::size_t k, std::size_t m) : start(n), moves(2 * n + k), observed(n + k + m) {}
    OwnSums start, moves, observed;
};

// The sums of one sequence after the other.
class SequenceSums {
  public:
    SequenceSums(const LinearSystem& system, const LinearSystem& reference, const ObservedSeries& series,
                 PartSumsOfSystem& sums)
        : s_(system), reference_(reference), series_(series), sums_(sums), n_(system.states), k_(system.inputs),
          m_(system.columns), before_(n_ * n_), after_(n_ * n_), moved_(n_ * n_), complete_(n_ * n_), next_(n_),
          vector_(std::max(2 * n_, n_ + m_) + k_), carried_(std::max(n_, m_) * n_), spread_(m_ * m_),
          slopes_(m_ * n_), regression_(m_ * m_) {}

    void add(kalman::BackwardPass& pass, double weight) {
        std::fill(before_.begin(), before_.end(), 0.0);
        after_ = moved_ = complete_ = before_;
        while (pass.back()) add_row(pass, weight);
        add_covariances(weight);
    }

  private:
    void add_row(const kalman::BackwardPass& pass, double weight) {
        const std::size_t row = pass.row();
        const double* inputs = series_.inputs + row * k_;
        if (!pass.is_last()) {
            const double* next_inputs = inputs + k_;
            double* z = vector_.data();
            std::copy_n(pass.mean(), n_, z);
            std::copy_n(next_inputs, k_, z + n_);
            std::copy(next_.begin(), next_.end(), z + n_ + k_);
            add_product(reference_.transition, pass.mean(), n_, n_, -1.0, z + n_ + k_);
            add_product(reference_.control, next_inputs, n_, k_, -1.0, z + n_ + k_);
            sums_.moves.add_vector(z, weight);
            for (std::size_t i = 0; i < n_ * n_; ++i) before_[i] += pass.covariance()[i];
            for (std::size_t i = 0; i < n_ * n_; ++i) moved_[i] += pass.moved()[i];
        }
        if (pass.is_first()) {
            for (std::size_t i = 0; i < n_; ++i) vector_[i] = pass.mean()[i] - reference_.start_mean[i];
            sums_.start.add_vector(vector_.data(), weight);
            sums_.start.add_block(0, 0, pass.covariance(), n_, n_, weight);
        } else {
            for (std::size_t i = 0; i < n_ * n_; ++i) after_[i] += pass.covariance()[i];
        }
        std::copy_n(pass.mean(), n_, next_.begin());
        const std::size_t seen = pass.matrices().seen;
        if (seen == m_) {
            add_whole_row(pass, inputs, weight);
        } else if (seen) {
            add_row_with_gaps(pass, inputs, weight);
        }
    }

    void begin_observed(const kalman::BackwardPass& pass, const double* inputs) {
        std::copy_n(pass.mean(), n_, vector_.data());
        std::copy_n(inputs, k_, vector_.data() + n_);
    }

    void add_whole_row(const kalman::BackwardPass& pass, const double* inputs, double weight) {
        begin_observed(pass, inputs);
        double* residual = vector_.data() + n_ + k_;
        std::copy_n(series_.values + pass.row() * m_, m_, residual);
        add_product(reference_.observation, pass.mean(), m_, n_, -1.0, residual);
        add_product(reference_.direct, inputs, m_, k_, -1.0, residual);
        sums_.observed.add_vector(vector_.data(), weight);
        for (std::size_t i = 0; i < n_ * n_; ++i) complete_[i] += pass.covariance()[i];
    }

    // The residual of a value that is there is y − C₀ x − D₀ u; that of a missing one is (C − C₀) x + (D − D₀) u + g
    // (noise of those that are there) + noise of its own. Both are a + H x + noise.
    void add_row_with_gaps(const kalman::BackwardPass& pass, const double* inputs, double weight) {
        const std::vector<std::uint8_t>& there = pass.matrices().there;
        const double* values = series_.values + pass.row() * m_;
        regress_noise(there);
        begin_observed(pass, inputs);
        double* residual = vector_.data() + n_ + k_;
        for (std::size_t i = 0; i < m_; ++i) {
            double constant = there[i] ? values[i] : 0.0;
            for (std::size_t j = 0; j < n_; ++j) {
                slopes_[i * n_ + j] = (there[i] ? 0.0 : s_.observation[i * n_ + j]) - reference_.observation[i * n_ + j];
            }
            for (std::size_t j = 0; j < k_; ++j) {
                constant += ((there[i] ? 0.0 : s_.direct[i * k_ + j]) - reference_.direct[i * k_ + j]) * inputs[j];
            }
            for (std::size_t o = 0; !there[i] && o < m_; ++o) {
                if (!there[o]) continue;
                const double share = regression_[i * m_ + o];
                constant += share * values[o];
                for (std::size_t j = 0; j < k_; ++j) constant -= share * s_.direct[o * k_ + j] * inputs[j];
                for (std::size_t j = 0; j < n_; ++j) slopes_[i * n_ + j] -= share * s_.observation[o * n_ + j];
            }
            residual[i] = constant;
        }
        add_product(slopes_.data(), pass.mean(), m_, n_, 1.0, residual);
        sums_.observed.add_vector(vector_.data(), weight);
        sums_.observed.add_block(0, 0, pass.covariance(), n_, n_, weight);
        add_residuals(sums_.observed, slopes_.data(), m_, pass.covariance(), n_ + k_, weight);
        sums_.observed.add_block(n_ + k_, n_ + k_, spread_.data(), m_, m_, weight);
    }

    // The residuals' part of Σ E[z zᵀ] that comes from the covariance of x: H V and H V Hᵀ.
    void add_residuals(OwnSums& to, const double* slopes, std::size_t rows, const double* covariance,
                       std::size_t place, double weight) {
        std::vector<double>& both = carried_;
        multiply(slopes, covariance, rows, n_, n_, both.data(), n_);
        to.add_block(place, 0, both.data(), rows, n_, weight);
        std::vector<double> squares(rows * rows);
        multiply_transposed(both.data(), slopes, rows, n_, rows, squares.data());
        to.add_block(place, place, squares.data(), rows, rows, weight);
    }

    // regression = R(missing, there) R(there, there)⁻¹, and the covariance of the missing noise that is left (spread).
    void regress_noise(const std::vector<std::uint8_t>& there) {
        std::vector<std::size_t> seen, gaps;
        for (std::size_t i = 0; i < m_; ++i) (there[i] ? seen : gaps).push_back(i);
        const std::size_t p = seen.size();
        std::vector<double> block(p * p);
        for (std::size_t a = 0; a < p; ++a) {
            for (std::size_t b = 0; b < p; ++b) block[a * p + b] = s_.observation_noise[seen[a] * m_ + seen[b]];
        }
        const std::vector<double> root = kalman::lower_root(block.data(), p);
        std::fill(regression_.begin(), regression_.end(), 0.0);
        std::fill(spread_.begin(), spread_.end(), 0.0);
        std::vector<double> solved(p);
        for (const std::size_t gap : gaps) {
            for (std::size_t a = 0; a < p; ++a) {
                double sum = s_.observation_noise[gap * m_ + seen[a]];
                for (std::size_t b = 0; b < a; ++b) sum -= root[a * p + b] * solved[b];
                solved[a] = root[a * p + a] > 0 ? sum / root[a * p + a] : 0.0;
            }
            for (std::size_t a = p; a-- > 0;) {
                double sum = solved[a];
                for (std::size_t b = a + 1; b < p; ++b) sum -= root[b * p + a] * solved[b];
                solved[a] = root[a * p + a] > 0 ? sum / root[a * p + a] : 0.0;
            }
            for (std::size_t a = 0; a < p; ++a) regression_[gap * m_ + seen[a]] = solved[a];
        }
        for (const std::size_t one : gaps) {
            for (const std::size_t other : gaps) {
                double left = s_.observation_noise[one * m_ + other];
                for (const std::size_t a : seen) left -= regression_[one * m_ + a] * s_.observation_noise[a * m_ + other];
                spread_[one * m_ + other] = left;
            }
        }
    }

    // The covariances of all rows of the sequence: of (x(t−1), x(t) − A₀ x(t−1)) and of (x, −C₀ x).
    void add_covariances(double weight) {
        sums_.moves.add_block(0, 0, before_.data(), n_, n_, weight);
        const double* a = reference_.transition;
        std::vector<double> carried(n_ * n_), left(n_ * n_);
        multiply(a, before_.data(), n_, n_, n_, carried.data(), n_);  // A₀ V
        for (std::size_t i = 0; i < n_ * n_; ++i) carried[i] = moved_[i] - carried[i];
        sums_.moves.add_block(n_ + k_, 0, carried.data(), n_, n_, weight);
        // Var = V(t) − M A₀ᵀ − A₀ (Mᵀ − V A₀ᵀ), with M = moved: the last bracket is carriedᵀ.
        multiply_transposed(moved_.data(), a, n_, n_, n_, left.data());
        std::vector<double> other(n_ * n_);
        multiply_transposed(a, carried.data(), n_, n_, n_, other.data());
        for (std::size_t i = 0; i < n_ * n_; ++i) left[i] = after_[i] - left[i] - other[i];
        sums_.moves.add_block(n_ + k_, n_ + k_, left.data(), n_, n_, weight);
        sums_.observed.add_block(0, 0, complete_.data(), n_, n_, weight);
        for (std::size_t i = 0; i < m_ * n_; ++i) slopes_[i] = -reference_.observation[i];
        add_residuals(sums_.observed, slopes_.data(), m_, complete_.data(), n_ + k_, weight);
    }

    const LinearSystem& s_;
    const LinearSystem& reference_;
    const ObservedSeries& series_;
    PartSumsOfSystem& sums_;
    std::size_t n_, k_, m_;
    // Sums over the rows: of V(t) of rows with a next one, of V(t) of rows with one before, of Cov(x(t+1), x(t)), and
    // of V(t) where all values are there.
    std::vector<double> before_, after_, moved_, complete_;
    std::vector<double> next_, vector_, carried_, spread_, slopes_, regression_;
};

}  // namespace

std::int64_t expect_series(const LinearSystem& system, const LinearSystem& reference, const ObservedSeries& series,
                           const SystemSums& results, int threads) {
    const kalman::SystemRoots roots(system);
    const kalman::SequenceParts parts(series);
    std::vector<PartSumsOfSystem> sums(parts.size(), PartSumsOfSystem(system.states, system.inputs, system.columns));
    parallel_for(parts.size(), threads, [&](std::size_t part, int) {
        kalman::BackwardPass pass(roots, series);
        SequenceSums sequence(system, reference, series, sums[part]);
        for (std::size_t k = parts.first(part); k < parts.first(part + 1); ++k) {
            const std::int64_t failed = pass.filter(k, results.log_likelihoods[k]);
            parts.note(part, failed);
            if (failed < 0) sequence.add(pass, series.weights ? series.weights[k] : 1.0);
        }
    });
    for (const PartSumsOfSystem& part : sums) {
        part.start.add_to(results.start);
        part.moves.add_to(results.moves);
        part.observed.add_to(results.observed);
    }
    return parts.first_noted();
}

}  // namespace bayou
