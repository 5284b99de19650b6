// The statistics that trees are learned from: tables of all pairs of columns by group, and their mutual information.
#pragma once

#include <cstdint>
#include <vector>

#include "bayou/data/codes.hpp"

namespace bayou {

// Adds the tables of all pairs (laid out by `offsets`, see pair_offsets) of the rows of each group to
// tables[group]. groups[row] is below n_groups, or any larger number for a row that is left out.
void count_pairs_by(const std::vector<CodeColumn>& columns, const std::vector<std::int64_t>& offsets,
                    const std::uint32_t* groups, std::size_t n_groups, std::int64_t* tables, int threads);

// For each pair: I(A; B | group) in nats, and its expectation under independence, (degrees of freedom) / 2n.
// tables is [group, cell]; the results are symmetric matrices [column, column] with a zero diagonal.
template <typename T>
void pair_information(const T* tables, std::size_t n_groups, const std::vector<std::uint32_t>& cards,
                      double* information, double* chance, int threads);

extern template void pair_information(const std::int64_t*, std::size_t, const std::vector<std::uint32_t>&, double*,
                                      double*, int);
extern template void pair_information(const double*, std::size_t, const std::vector<std::uint32_t>&, double*,
                                      double*, int);

}  // namespace bayou
