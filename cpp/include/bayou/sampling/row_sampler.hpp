// Rows drawn one variable after the other, each from tables given those drawn before, and sums of their weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bayou {

// Values by the states of the variables in `scope`; those of the last one lie side by side.
struct SamplerTable {
    std::vector<std::uint32_t> scope;
    std::vector<double> values;
};

// Draws `variable` from the product p of its factors, in each of which it is the last of the scope. One factor without
// divisors is a conditional distribution, P(variable | others). Otherwise the row's weight is multiplied by
// (sum of p over the variable's states) / (product of the divisors).
struct SamplerStep {
    std::uint32_t variable = 0;
    std::uint64_t stream = 0;  // of random numbers; see StreamOfRows
    std::vector<SamplerTable> factors, divisors;
};

// Sums over rows with weights w, in units of exp(log_scale).
struct WeightedSums {
    double log_scale = 0.0;
    double total = 0.0, squares = 0.0, largest = 0.0;  // sum of w, sum of w², the largest w
    std::uint64_t positive = 0;                        // rows with w > 0
    std::vector<double> sums, square_sums;             // of w and w², by cell of the targets, one target after the other
};

// Where a table is looked up: sum of code · stride.
struct TablePlace {
    std::vector<std::uint32_t> variables, strides;
};

class RowSampler {
  public:
    // `weights` are further tables that a row's weight is multiplied by. Throws std::invalid_argument where a step needs
    // a variable that is drawn later, or a table does not fit its scope.
    RowSampler(std::vector<std::uint32_t> cards, const std::vector<SamplerStep>& steps,
               const std::vector<SamplerTable>& weights);

    const std::vector<std::uint32_t>& cards() const { return cards_; }

    // Rows first_row … first_row + n − 1 of the sample that the seed defines: the codes of `variables`, each in a column
    // of uint8, uint16 or uint32 as its number of states requires. `log_weights` (may be null) gets the log of each row's weight.
    void draw(std::uint64_t seed, std::uint64_t first_row, std::size_t n, std::span<const std::uint32_t> variables,
              std::span<void* const> columns, double* log_weights, int threads) const;

    // Sums over the same rows. A target is a list of variables; its cells are their joint states.
    WeightedSums weighted_sums(std::uint64_t seed, std::uint64_t first_row, std::size_t n,
                               const std::vector<std::vector<std::uint32_t>>& targets, int threads) const;

  private:
    struct Factor {
        TablePlace place;
        std::vector<double> values;  // probabilities, or logs
    };
    struct Step {
        std::uint32_t variable, states;
        std::uint64_t stream;
        TablePlace place;
        std::vector<double> thresholds;  // by row of the table: cumulative probabilities without the last
        std::vector<Factor> factors;     // empty where thresholds are enough
        std::vector<Factor> log_divisors;
    };
    struct Block;
    struct Sums;

    void add_step(const SamplerStep& step, std::vector<char>& drawn);
    TablePlace place_of(const SamplerTable& table, std::size_t axes, const std::vector<char>& drawn) const;
    void fill(Block& block, std::uint64_t seed, std::uint64_t first_row, std::size_t rows) const;
    void draw_from_product(const Step& step, Block& block, std::size_t rows) const;

    std::vector<std::uint32_t> cards_;
    std::vector<Step> steps_;
    std::vector<Factor> log_weights_;
    bool weighted_ = false;
};

}  // namespace bayou
