// A particle filter that goes on from step to step: resampled, moved and weighed particles of a model of the core.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayou/particles/particle_models.hpp"
#include "bayou/particles/resampling.hpp"

namespace bayou {

struct RunSettings {
    std::size_t particles;
    std::uint64_t seed;
    Resampling resampling;
    double resample_below;  // the share of the particles that the effective size may not fall below; 1: every step
    bool looks_ahead;       // resample by the look-ahead, too (the auxiliary filter)
};

// Where the results of each row go, [row, …]; kept states and logs may be null.
struct RunResults {
    double *log_steps, *effective_sizes;
    std::uint8_t* resampled;
    double *means, *spreads;  // [row, component]; of codes their probabilities, [row, state], and no spreads
    std::vector<double> levels;
    double* quantiles;                     // [row, level, component]
    double *kept_states, *kept_logs;       // [row, component, particle], [row, particle]
};

class ParticleRun {
  public:
    explicit ParticleRun(const RunSettings& settings);

    // Takes all rows of the model's observations; returns the number of rows before one of them left no weight at all.
    std::size_t run(ParticleModel& model, const RunResults& results, int threads);

    std::size_t particles() const { return settings_.particles; }
    std::size_t components() const { return components_; }
    const std::vector<double>& states() const { return states_; }
    const std::vector<double>& logs() const { return logs_; }

  private:
    double resample_if_needed(ParticleModel& model, int threads, bool& resampled);
    void weigh_ahead(const ParticleModel& model, int threads);
    void move(const ParticleModel& model, bool resampled, std::vector<double>& means, std::vector<double>& scatters,
              int threads);
    void summarise(const ParticleModel& model, const std::vector<double>& means, const std::vector<double>& scatters,
                   std::size_t row, const RunResults& results) const;

    RunSettings settings_;
    std::size_t components_ = 0;
    std::uint64_t step_ = 0;
    std::vector<double> states_, fresh_, logs_, weights_;
    std::vector<double> ahead_, ahead_weights_;
    std::vector<std::int64_t> ancestors_;
    std::vector<BlockWeights> blocks_;
    AllWeights all_;
};

}  // namespace bayou
