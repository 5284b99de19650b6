// Gibbs sampling from a product of tables: many chains, each with random numbers of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayou/sampling/row_sampler.hpp"

namespace bayou {

class GibbsChains {
  public:
    // Variables of one block are drawn together given all others: summed out in the block's order, one by one, and drawn
    // in the reverse order, each given those drawn before. Blocks may overlap; every variable is in at least one.
    // `starts` holds the codes that each chain starts from, chain by chain. A chain is the same whatever the others are.
    GibbsChains(std::vector<std::uint32_t> cards, const std::vector<SamplerTable>& factors,
                const std::vector<std::vector<std::uint32_t>>& blocks, std::vector<std::uint32_t> starts,
                std::uint64_t seed);

    std::size_t chains() const { return codes_.size() / cards_.size(); }
    std::size_t cells() const { return first_cell_.back(); }
    std::size_t joint_cells(const std::vector<std::uint32_t>& joint) const;

    // Draws every block of every chain `sweeps` times. Adds to sums[chain][cell] the probability of each state of each
    // variable given what it is drawn from, at every draw, and to joint_sums[chain][cell] how often the variables in
    // `joint` had these states after a sweep (nothing if `joint` is empty).
    void run(std::size_t sweeps, const std::vector<std::uint32_t>& joint, double* sums, double* joint_sums, int threads);

  private:
    // What a step multiplies: a factor, from where the states outside the block start it, or the sums of an earlier step.
    struct Input {
        bool is_factor;
        std::uint32_t number;  // of the factor, or of the step
        TablePlace place;      // by states outside the block
        std::vector<std::uint32_t> offsets;  // of each cell of the step's table
    };
    // Sums one variable out: a table with it as the last axis, and its sums.
    struct Step {
        std::uint32_t variable, states;
        std::size_t first, cells;        // of the table in the workspace
        std::size_t first_sum, sums;     // of its sums in the workspace
        TablePlace place;                // of the row to draw from, by variables of the block drawn before
        std::vector<Input> inputs;
        bool is_fixed = true;            // no state outside the block changes its table
    };
    struct Block {
        std::vector<Step> steps;
        std::size_t workspace = 0;
        std::vector<double> fixed;  // a workspace with the tables of the fixed steps
    };

    Block block_of(const std::vector<std::uint32_t>& order, const std::vector<SamplerTable>& factors) const;
    void add_up(const Step& step, const Block& block, const std::uint32_t* state, double* work) const;
    void draw(const Step& step, double u, std::uint32_t* state, const double* work, double* sums) const;

    std::vector<std::uint32_t> cards_;
    std::vector<std::size_t> first_cell_;
    std::vector<std::vector<double>> tables_;
    std::vector<Block> blocks_;
    std::vector<std::uint32_t> codes_;  // of each chain at present
    std::uint64_t seed_, swept_ = 0;
};

}  // namespace bayou
