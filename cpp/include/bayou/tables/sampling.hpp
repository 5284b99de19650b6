// Counter-based random numbers: the draw of a row depends on (seed, stream, row) only, so batches and threads
// change nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace bayou {

struct StreamOfRows {
    std::uint64_t seed, stream, first_row;
};

// Philox 4x32 with ten rounds (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3).
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

// Writes a number in [0, 1) with 53 random bits for each of `rows` rows.
void uniforms(const StreamOfRows& source, std::size_t rows, double* out);

// Writes two random words of 64 bits for each of `rows` rows.
void random_words(const StreamOfRows& source, std::size_t rows, std::uint64_t* first, std::uint64_t* second);

// Cumulative probabilities: `groups` rows of `states`, C-order.
struct CumulativeTable {
    const double* values;
    std::size_t groups, states;
};

// Throws std::invalid_argument unless each row is non-decreasing, within [0, 1] and ends above 0.
void check_cumulative(const CumulativeTable& table);

// Writes n codes; groups may be null when the table has one row, missing_index gives a missing code.
template <typename Code>
void sample_categorical(const StreamOfRows& source, const std::uint32_t* groups, const CumulativeTable& table,
                        std::size_t n, Code* out, int threads);

// Writes n draws of a standard normal (Box and Muller, the cosine half).
void sample_normal(const StreamOfRows& source, std::size_t n, double* out, int threads);

}  // namespace bayou
