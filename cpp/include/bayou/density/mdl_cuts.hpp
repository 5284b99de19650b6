// Cuts a number into ranges that separate classes: entropy splits with the minimum description length rule (Fayyad
// and Irani 1993).
#pragma once

#include <vector>

#include "bayou/density/value_counts.hpp"

namespace bayou {

// Ascending cut points of each column; x <= cut lies left of it. All columns have the same rows, classes and
// weights; a weight counts as that many equal rows. O(n log n) per column for trees of ordinary depth.
std::vector<std::vector<double>> mdl_cuts(const std::vector<ClassedColumn>& columns, int threads);

}  // namespace bayou
