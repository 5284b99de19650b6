// Scores of a discrete variable given its parents, from the non-zero counts of its table. The formulas are in
// src/bayou/learning/scores/scores.py.
//
// Logarithms are summed in fixed point (as whole numbers of a small fraction). Such sums are exact, so the score of a
// family depends neither on the order nor on the method of counting nor on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace bayou {

enum class ScoreKind { loglik, aic, bic, bdeu, bds, laplace };

struct ScoreRule {
    ScoreKind kind = ScoreKind::bic;
    double parameter = 0;  // the equivalent sample size, or what Laplace adds to every cell

    // Throws std::invalid_argument for an unknown word, or if a parameter that is used is not positive.
    static ScoreRule from(std::string_view word, double parameter);
};

// The counts of a family: of each state in each configuration of the parents, and of each configuration.
struct FamilyCounts {
    const std::uint32_t* cells;
    std::size_t n_cells;
    const std::uint32_t* sums;
    std::size_t n_sums;
    double configurations;  // the number of combinations of the parents' states, including those that do not occur
    std::uint32_t states;
};

// log Γ(x) for x > 0, to about one unit in the last place of its terms. Safe on any thread.
double log_gamma(double x);

class FamilyFormulas {
  public:
    explicit FamilyFormulas(std::size_t rows);

    double score(const ScoreRule& rule, const FamilyCounts& counts) const;

  private:
    std::int64_t n_log_n(std::uint32_t n) const;
    std::int64_t summed(const std::uint32_t* counts, std::size_t size) const;  // of n log n
    double log_likelihood(const FamilyCounts& counts) const;
    double log_marginal(const FamilyCounts& counts, double alpha) const;

    double rows_;
    double scale_;  // fixed point: the integer that stands for 1
    std::vector<std::int64_t> n_log_n_;
};

}  // namespace bayou
