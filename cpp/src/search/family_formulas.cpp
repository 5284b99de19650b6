#include "bayou/search/family_formulas.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace bayou {

namespace {

constexpr std::size_t most_kept_logs = std::size_t{1} << 16;
constexpr int fixed_bits = 61;  // so that the sum of two values does not overflow

// A power of two that makes sums up to `bound` fit fixed_bits.
double fixed_scale(double bound) {
    return std::ldexp(1.0, fixed_bits - 1 - std::ilogb(std::max(bound, 1.0)));
}

double stirling_series(double x) {
    const double y = 1 / x, y2 = y * y;
    return y * (1.0 / 12 +
                y2 * (-1.0 / 360 +
                      y2 * (1.0 / 1260 +
                            y2 * (-1.0 / 1680 + y2 * (1.0 / 1188 + y2 * (-691.0 / 360360 + y2 * (1.0 / 156)))))));
}

double stirling(double x, double log_x) {
    constexpr double half_log_two_pi = 0.91893853320467274178;
    return (x - 0.5) * log_x - x + half_log_two_pi + stirling_series(x);
}

// From here on log Γ(α + n) − log Γ(α) is a difference of Stirling's formulas: that of the logs has too few digits.
constexpr double large_alpha = 1e4;

// log of α (α + 1) … (α + n − 1), which is log Γ(α + n) − log Γ(α).
class RisingFactorial {
  public:
    explicit RisingFactorial(double alpha)
        : alpha_(alpha), log_gamma_(log_gamma(alpha)), most_factors_(alpha < 1e15 ? 12 : 1) {}

    double log(std::uint32_t n) const {
        if (n > most_factors_) return alpha_ < large_alpha ? log_gamma(alpha_ + n) - log_gamma_ : far_log(n);
        double product = alpha_;
        for (std::uint32_t factor = 1; factor < n; ++factor) product *= alpha_ + factor;
        return std::log(product);
    }

  private:
    double far_log(std::uint32_t count) const {
        const double n = count;
        return n * std::log(alpha_) + ((alpha_ + n - 0.5) * std::log1p(n / alpha_) - n) +
               (stirling_series(alpha_ + n) - stirling_series(alpha_));
    }

    double alpha_, log_gamma_;
    std::uint32_t most_factors_;
};

std::int64_t summed_logs(const RisingFactorial& rising, const std::uint32_t* counts, std::size_t size, double scale) {
    // Counts 1 and 2 are the most frequent by far in sparse tables.
    const auto one = static_cast<std::int64_t>(rising.log(1) * scale);
    const auto two = static_cast<std::int64_t>(rising.log(2) * scale);
    std::int64_t total = 0;
    for (std::size_t at = 0; at < size; ++at) {
        const std::uint32_t n = counts[at];
        total += n == 1 ? one : n == 2 ? two : static_cast<std::int64_t>(rising.log(n) * scale);
    }
    return total;
}

}  // namespace

ScoreRule ScoreRule::from(std::string_view word, double parameter) {
    constexpr std::string_view words[] = {"loglik", "aic", "bic", "bdeu", "bds", "laplace"};
    const auto* found = std::find(std::begin(words), std::end(words), word);
    if (found == std::end(words)) {
        throw std::invalid_argument("kind is '" + std::string(word) +
                                    "': expected loglik, aic, bic, bdeu, bds or laplace");
    }
    const ScoreRule rule{static_cast<ScoreKind>(found - words), parameter};
    if (rule.kind >= ScoreKind::bdeu && !(parameter > 0 && std::isfinite(parameter))) {
        throw std::invalid_argument("parameter is " + std::to_string(parameter) + ": expected a positive number");
    }
    return rule;
}

double log_gamma(double x) {
    constexpr double far = 8;
    if (x >= far) return stirling(x, std::log(x));
    double product = 1;
    for (; x < far; ++x) product *= x;
    return stirling(x, std::log(x)) - std::log(product);
}

FamilyFormulas::FamilyFormulas(std::size_t rows)
    : rows_(static_cast<double>(rows)), scale_(fixed_scale(rows_ * std::log(std::max(rows_, 2.0)))) {
    if (rows >= std::numeric_limits<std::uint32_t>::max()) {
        throw std::invalid_argument("there are " + std::to_string(rows) + " rows: expected fewer than 2**32 - 1");
    }
    std::vector<std::int64_t> kept(std::min(rows + 1, most_kept_logs));
    for (std::uint32_t n = 0; n < kept.size(); ++n) kept[n] = n_log_n(n);
    n_log_n_ = std::move(kept);
}

std::int64_t FamilyFormulas::n_log_n(std::uint32_t n) const {
    if (n < n_log_n_.size()) return n_log_n_[n];
    return n < 2 ? 0 : static_cast<std::int64_t>(n * std::log(static_cast<double>(n)) * scale_);
}

double FamilyFormulas::log_likelihood(const FamilyCounts& counts) const {
    const std::int64_t total = summed(counts.cells, counts.n_cells) - summed(counts.sums, counts.n_sums);
    return static_cast<double>(total) / scale_;
}

std::int64_t FamilyFormulas::summed(const std::uint32_t* counts, std::size_t size) const {
    std::int64_t total = 0;
    if (rows_ < static_cast<double>(n_log_n_.size())) {  // every count is looked up
        const std::int64_t* known = n_log_n_.data();
        for (std::size_t at = 0; at < size; ++at) total += known[counts[at]];
    } else {
        for (std::size_t at = 0; at < size; ++at) total += n_log_n(counts[at]);
    }
    return total;
}

double FamilyFormulas::log_marginal(const FamilyCounts& counts, double alpha) const {
    if (!(alpha > 0)) return -std::numeric_limits<double>::infinity();
    if (counts.n_cells == 0) return 0;
    const double row_alpha = alpha * counts.states;
    // An upper bound on the logarithm of each factor; there are as many factors as rows.
    const double largest = std::max({std::abs(std::log(alpha)), std::abs(std::log(row_alpha)),
                                     std::abs(std::log(row_alpha + rows_))});
    const double scale = fixed_scale((rows_ + 1) * (largest + 1));
    const std::int64_t total = summed_logs(RisingFactorial(alpha), counts.cells, counts.n_cells, scale) -
                               summed_logs(RisingFactorial(row_alpha), counts.sums, counts.n_sums, scale);
    return static_cast<double>(total) / scale;
}

double FamilyFormulas::score(const ScoreRule& rule, const FamilyCounts& counts) const {
    if (rule.kind == ScoreKind::laplace) return log_marginal(counts, rule.parameter);
    if (rule.kind == ScoreKind::bdeu || rule.kind == ScoreKind::bds) {
        const double spread = rule.kind == ScoreKind::bds ? static_cast<double>(counts.n_sums) : counts.configurations;
        return log_marginal(counts, rule.parameter / (std::max(spread, 1.0) * counts.states));
    }
    double price = rule.kind == ScoreKind::aic ? 1.0 : 0.0;
    if (rule.kind == ScoreKind::bic) {
        std::uint64_t rows = 0;
        for (std::size_t at = 0; at < counts.n_sums; ++at) rows += counts.sums[at];
        price = rows > 0 ? 0.5 * std::log(static_cast<double>(rows)) : 0.0;
    }
    const double parameters = counts.configurations * (counts.states > 0 ? counts.states - 1.0 : 0.0);
    return log_likelihood(counts) - price * parameters;
}

}  // namespace bayou
