// Slices of dynamic networks with numbers that are linear in their parents with Gaussian noise (Lauritzen 1992), and with
// discrete variables, whose states choose the lines.
//
// The numbers that a slice needs of those before are a vector of places: first the present value of every variable,
// then earlier values. Discrete variables have cells likewise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bayou {

constexpr std::uint32_t unknown_state = 0xFFFFFFFFu;

struct MixedPlace {
    bool old;  // of the slice before, else of the present one
    std::uint32_t at;
};

// A cell whose state chooses the group of a line or a table: group = Σ stride · state.
struct GroupCell {
    MixedPlace cell;
    std::uint32_t stride;
};

// A variable = intercept + coefficients · parents + noise; `block` has the parameters of each group.
struct GaussianLine {
    std::uint32_t place, block;
    std::vector<MixedPlace> parents;
    std::vector<GroupCell> groups;
};

struct DiscreteNode {
    std::uint32_t cell, table;
    std::vector<GroupCell> parents;
};

struct PlaceCopy {
    std::uint32_t to, from;  // `from` is of the slice before
};

// What happens in a slice, parents first.
struct MixedSlice {
    std::vector<PlaceCopy> copies, cell_copies;
    std::vector<DiscreteNode> nodes;
    std::vector<GaussianLine> lines;
};

struct LineBlock {
    std::size_t groups, parents;
    std::vector<double> intercept, coefficients, variance;  // [group], [group, parent], [group]
};

struct TableBlock {
    std::size_t groups, states;
    std::vector<double> shares;  // P(state | group) [group, state]
};

struct MixedTemplate {
    std::size_t variables = 0, places = 0;  // numbers of a slice, and all places
    std::size_t codes = 0, cells = 0;       // discrete variables of a slice, and all cells
    std::vector<std::size_t> states;        // of each discrete variable
    std::vector<LineBlock> lines;
    std::vector<TableBlock> tables;
    std::vector<MixedSlice> slices;

    // Throws std::invalid_argument unless every place, cell and block exists and groups stay within their tables.
    void check() const;
};

// Sequences one after the other: sequence k has the rows starts[k] up to starts[k + 1].
struct MixedRows {
    const std::int64_t* starts = nullptr;
    std::size_t count = 0, rows = 0;
    const std::uint32_t* slices = nullptr;  // [row]: which slice it is
    const double* values = nullptr;         // [row, variable]; NaN is not known
    const std::uint8_t* are_set = nullptr;  // [row, variable]: whether the value was set by an intervention
    const std::uint32_t* codes = nullptr;   // [row, discrete variable]; unknown_state where it is not known
    const std::uint8_t* codes_are_set = nullptr;
    const double* weights = nullptr;        // of each sequence, or null: 1
};

struct MixedFiltered {
    double* log_likelihoods;  // [sequence]
    double* step_logs;        // [row]; may be null
    double* means;            // [row, variable]; may be null
    double* covariances;      // [row, variable, variable]; may be null
};

// Σ w, Σ w E[z] and Σ w E[z zᵀ] of z = (parents, child) of each block, by group.
struct LineSums {
    double *weight, *first, *second;
};

// All states must be known. Each returns -1, or the first row whose values have no density: what is expected of them has
// no spread, or a number has left the range of double.
std::int64_t filter_mixed(const MixedTemplate& model, const MixedRows& rows, const MixedFiltered& results, int threads);
std::int64_t smooth_mixed(const MixedTemplate& model, const MixedRows& rows, const MixedFiltered& results, int threads);
std::int64_t expect_mixed(const MixedTemplate& model, const MixedRows& rows, double* log_likelihoods,
                          const std::vector<LineSums>& sums, int threads);

}  // namespace bayou
