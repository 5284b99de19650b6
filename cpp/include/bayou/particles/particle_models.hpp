// Models whose particles move and are weighed without leaving the core.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayou/particles/weights.hpp"
#include "bayou/tables/sampling.hpp"

namespace bayou {

enum class Proposal { blind, guided };  // whether new particles are drawn with a look at the observation

// n <= particle_block standard normal numbers, from a quarter as many rows of a stream.
void normal_numbers(const StreamOfRows& random, std::size_t n, double* out);

// Any number of normal numbers, block by block.
void normal_numbers(std::uint64_t seed, std::uint64_t stream, std::size_t n, double mean, double spread, double* out,
                    int threads);

// The random numbers of one block of particles at one step; they depend on nothing else.
class BlockDraws {
  public:
    BlockDraws(std::uint64_t seed, std::uint64_t step, std::size_t block) : seed_(seed), step_(step), block_(block) {}
    void normals(std::size_t component, std::size_t n, double* out) const;
    void uniform(std::size_t n, double* out) const;

  private:
    std::uint64_t seed_, step_;
    std::size_t block_;
};

// The stream of the numbers with which the particles of a step are resampled.
constexpr std::uint64_t particle_stream(std::uint64_t step, std::uint64_t slot) { return step << 16 | slot; }
constexpr std::uint64_t resampling_slot = 0xFFFF;

// States of particles: component c of particle i is at data[c * stride + i].
struct ParticleStates {
    const double* data;
    std::size_t stride;
};

class ParticleModel {
  public:
    virtual ~ParticleModel() = default;
    virtual std::size_t components() const = 0;
    virtual std::size_t codes() const { return 0; }  // the number of states, if particles are codes
    virtual std::size_t steps() const = 0;
    // Makes ready for a row of the observations.
    virtual void prepare(std::size_t row, bool is_first) = 0;
    // Draws n <= particle_block new particles from old ones (or first ones), with the logs of their weights.
    virtual void move(const ParticleStates& old, const BlockDraws& draws, std::size_t n, double* fresh,
                      std::size_t stride, double* logs) const = 0;
    // A guess of log P(observation | old particle).
    virtual void look_ahead(const ParticleStates& old, std::size_t n, double* logs) const = 0;
};

// x' = F x + f + G e, and the log of the weight is c - |H s + h|^2 / 2 with s = x', or s = x where old particles are
// weighed. At the first step F x, and H x, are 0. Matrices come in sets, of which each row uses one; C-order.
struct LinearSteps {
    std::size_t dimension, outputs, rows;
    const std::int64_t* sets;                    // [row]
    const double *F, *G, *H;                     // [set, d, d], [set, d, d], [set, k, d]
    const double *shifts, *offsets, *constants;  // f [row, d], h [row, k], c [row]
    bool weighs_old;
    // The look-ahead has the same form, and is always of x: [set, k, d], [row, k], [row].
    const double *ahead_H, *ahead_offsets, *ahead_constants;
};

class LinearModel final : public ParticleModel {
  public:
    explicit LinearModel(const LinearSteps& steps) : steps_(steps) {}
    std::size_t components() const override { return steps_.dimension; }
    std::size_t steps() const override { return steps_.rows; }
    void prepare(std::size_t row, bool is_first) override;
    void move(const ParticleStates&, const BlockDraws&, std::size_t, double*, std::size_t, double*) const override;
    void look_ahead(const ParticleStates&, std::size_t, double*) const override;

  private:
    LinearSteps steps_;
    std::size_t row_ = 0, set_ = 0;
    bool is_first_ = false;
};

// x' = mean + persistence (x - mean) + spread e, y = exp(x / 2) v; y is NaN in a gap.
struct VolatilitySteps {
    double mean, persistence, spread, first_spread;
    const double* observations;
    std::size_t rows;
    Proposal proposal;
};

class VolatilityModel final : public ParticleModel {
  public:
    explicit VolatilityModel(const VolatilitySteps& steps) : steps_(steps) {}
    std::size_t components() const override { return 1; }
    std::size_t steps() const override { return steps_.rows; }
    void prepare(std::size_t row, bool is_first) override;
    void move(const ParticleStates&, const BlockDraws&, std::size_t, double*, std::size_t, double*) const override;
    void look_ahead(const ParticleStates&, std::size_t, double*) const override;

  private:
    void predict(const ParticleStates& old, std::size_t n, double* predicted) const;
    VolatilitySteps steps_;
    double square_ = 0.0, spread_ = 0.0;
    bool is_gap_ = false, is_first_ = false;
};

// Codes that move by a table; logs[row, state] is log P(observation | state).
struct ChainSteps {
    std::size_t states, rows;
    const double *start, *transition, *logs;
    Proposal proposal;
};

class CodedModel final : public ParticleModel {
  public:
    explicit CodedModel(const ChainSteps& steps);
    std::size_t components() const override { return 1; }
    std::size_t codes() const override { return steps_.states; }
    std::size_t steps() const override { return steps_.rows; }
    void prepare(std::size_t row, bool is_first) override;
    void move(const ParticleStates&, const BlockDraws&, std::size_t, double*, std::size_t, double*) const override;
    void look_ahead(const ParticleStates&, std::size_t, double*) const override;

  private:
    ChainSteps steps_;
    const double* logs_ = nullptr;
    std::vector<double> cumulative_;   // of the moves that are drawn from, [from, to]; the first step has one row
    std::vector<double> row_logs_;     // log P(observation | old state)
    std::vector<std::size_t> last_;    // the last state of each row that can be drawn
    bool is_first_ = false, is_tabled_ = false;
};

}  // namespace bayou
