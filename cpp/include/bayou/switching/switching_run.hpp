// Rao-Blackwellised particles (Doucet, de Freitas, Murphy and Russell 2000): each particle has states that were drawn,
// and the exact Gaussian of the numbers given these.
//
// The states of a row are drawn with a look at its values: where a slice has few combinations of unknown states, all of
// them are weighed, so that a particle's weight does not depend on the draw.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "bayou/particles/resampling.hpp"
#include "bayou/switching/mixed_template.hpp"

namespace bayou {

struct SwitchingSettings {
    std::size_t particles;
    std::uint64_t seed;
    Resampling resampling;
    double resample_below;  // the share of the particles that the effective size may not fall below; 1: every step
};

// Where the results of each row go. States stand one after the other, variable by variable. Errors are standard errors.
struct SwitchingResults {
    double *log_steps, *effective_sizes;
    std::uint8_t* resampled;
    double *shares, *share_errors;              // [row, state]
    double *means, *variances, *mean_errors;    // [row, variable]
};

// All particles of one row: means [particle, place], roots [particle, place, place], ranks, cells [particle, cell].
struct SwitchingParticles {
    std::vector<double> means, roots;
    std::vector<std::uint32_t> ranks, cells;
    void resize(const MixedTemplate& model, std::size_t particles);
};

class SwitchingRun {
  public:
    SwitchingRun(const MixedTemplate& model, const SwitchingSettings& settings);

    // Takes all rows of one sequence. likelihoods[v] has P(what was seen | state) [row, state] of the discrete variable
    // v, or is null. Returns the number of rows before one that left no weight at all.
    std::size_t run(const MixedRows& rows, const std::vector<const double*>& likelihoods, const SwitchingResults& results,
                    int threads);

    // The particles of the last row, and their weights, which sum to 1.
    const SwitchingParticles& particles() const { return now_; }
    std::vector<double> shares() const;
    // Called after each row of a run, if it is set.
    std::function<void(std::size_t)> after_row;

  private:
    void move(const MixedRows& rows, std::size_t row, const std::vector<const double*>& likelihoods, bool resampled,
              int threads);
    void summarise(std::size_t row, const SwitchingResults& results, int threads);
    void follow_families(std::size_t row, bool resampled);

    const MixedTemplate& model_;
    SwitchingSettings settings_;
    SwitchingParticles old_, now_;
    std::vector<double> logs_, weights_, beliefs_;  // beliefs_ [particle, …]: before one of the choices was drawn
    std::vector<std::int64_t> ancestors_;
    std::vector<std::uint32_t> families_, younger_, spare_;  // the ancestor of each particle some rows ago
    std::vector<BlockWeights> blocks_;
    AllWeights all_;
};

}  // namespace bayou
