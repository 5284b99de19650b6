// A sample of rows that depends on their contents only: the distinct rows with the smallest hashes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bayou {

// One column of the rows: codes and the hash of each (the last entry of the table is for missing cells), or numbers.
struct HashedColumn {
    const void* cells = nullptr;
    int bytes = 1;  // of a code: 1, 2 or 4; 8 for numbers (doubles)
    const std::uint64_t* table = nullptr;
    std::size_t entries = 0;  // of the table
};

struct SampledRow {
    std::uint64_t hash;
    std::size_t row;  // the first one with this hash
    double weight;    // of all rows with it
};

// The `size` distinct rows with the smallest hashes, ascending; fewer where there are fewer, or where other
// hashes are above `largest`. `weights` may be null.
std::vector<SampledRow> sample_rows(const std::vector<HashedColumn>& columns, std::size_t rows, const double* weights,
                                    std::size_t size, std::uint64_t largest, int threads);

}  // namespace bayou
