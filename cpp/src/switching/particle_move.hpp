// One particle from a row to the next: its states drawn, its Gaussian updated, its weight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gaussian_step.hpp"

namespace bayou::switching {

// What is known of a row.
struct MixedRow {
    const MixedSlice* slice;
    const double* values;
    const std::uint8_t* are_set;
    const std::uint32_t* codes;
    const std::uint8_t* codes_are_set;
    std::vector<const double*> likelihoods;  // of the states of each discrete variable, or null
};

struct OneParticle {
    GaussianState gaussian;
    std::uint32_t* cells;
};

class ParticleMove {
  public:
    ParticleMove(const MixedTemplate& model, const MixedRow& row);

    // How many uniform numbers a particle needs: one if all combinations of states are weighed.
    static std::size_t draws(const MixedTemplate& model, const MixedRow& row);

    // Moves a particle; the log of its weight. `same`: it has the same parent as the particle before.
    double move(const OneParticle& old, bool same, const double* uniforms, std::size_t stride, const OneParticle& fresh);

    // What is known of the new slice before one combination is drawn: the probabilities of all states, then the means and
    // the variances of all numbers.
    const std::vector<double>& beliefs() const { return beliefs_; }
    static std::size_t beliefs(const MixedTemplate& model);

  private:
    struct Choice {
        double log, share;  // log P(states, row | before), and the share of these states among all
        std::vector<std::uint32_t> cells;
        std::vector<double> mean, root;
        std::uint32_t rank = 0;
    };

    void weigh_all(const OneParticle& old);
    double prior(const OneParticle& old, std::uint32_t* cells) const;
    double weight_of_numbers(const OneParticle& old, const std::uint32_t* cells, const GaussianState& fresh);
    double draw_in_turn(const OneParticle& old, const double* uniforms, std::size_t stride, const OneParticle& fresh);
    void copy_cells(const OneParticle& old, std::uint32_t* cells) const;
    void note_means(double share, const std::uint32_t* cells, const double* mean);
    void note_variances(double share, const GaussianState& state);
    bool is_free(const DiscreteNode& node) const { return row_.codes[node.cell] == unknown_state; }

    const MixedTemplate& model_;
    const MixedRow& row_;
    GaussianStep step_;
    bool weighs_all_ = true;
    std::vector<Choice> choices_;
    std::vector<std::size_t> picked_;  // the state of each node
    std::size_t used_ = 0;
    double log_sum_ = 0;
    std::vector<double> beliefs_;
    std::size_t states_ = 0;  // of all discrete variables
};

}  // namespace bayou::switching
