// What the states emit, for the sequences of a bundle, a lane for each.
#pragma once

#include <cstddef>
#include <vector>

#include "chain_bundle.hpp"
#include "emission_loops.hpp"

namespace bayou {

// Fills arrays [step, state, lane] with P(observation | state), 1 in lanes that have ended; one for each thread.
class EmissionFiller {
  public:
    // With `as_logs` the logarithms themselves.
    EmissionFiller(const Emissions& emissions, std::size_t states, std::size_t padded, bool as_logs);

    // The steps from `first` on; offsets[step, lane] are the logarithms that were divided out;
    // they are left as they are where nothing is. Marks the lanes in which
    // a likelihood was lost beside a much larger one.
    void fill(const Bundle& bundle, std::size_t first, std::size_t steps, double* out, double* offsets,
              unsigned* risky);

    // The numbers of the Gaussian columns, [step, column, lane], of at most `most_steps` steps; 0 in ended lanes.
    const double* numbers(const Bundle& bundle, std::size_t first, std::size_t steps);
    GaussianStates gaussian() const;

    static constexpr std::size_t most_steps = 64;

  private:
    void fill_some(const Bundle& bundle, std::size_t first, std::size_t steps, double* out, double* offsets,
                   unsigned* risky);
    void put_logs(const Bundle& bundle, std::size_t first, std::size_t steps, double* out);
    void clear_ended(const Bundle& bundle, std::size_t first, std::size_t steps, double* out) const;
    void look_up(std::size_t column, const Bundle& bundle, std::size_t first, std::size_t steps, Taking how, double* out);

    const Emissions& emissions_;
    std::size_t states_, padded_;
    bool as_logs_;
    std::vector<std::vector<double>> tables_;  // [card + 2, padded], as logarithms if so wanted: see TableRows
    std::vector<double> neutral_;              // a row for lanes that have ended
    std::vector<const double*> rows_;          // [steps, lanes]
    std::vector<double> numbers_;
};

}  // namespace bayou
