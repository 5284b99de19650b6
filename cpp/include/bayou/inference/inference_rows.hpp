// One plan run on many rows, each with its own missing cells.
#pragma once

#include "bayou/data/codes.hpp"
#include "bayou/inference/plan_runner.hpp"

namespace bayou {

// `columns[k]` holds the findings about the variable of the plan's k-th given factor, with a missing code where there
// is none. `answers` takes answer_size() numbers per row (NaN if the row is impossible), `log_evidence` one per row.
void run_rows(const InferencePlan& plan, const std::vector<CodeColumn>& columns, std::size_t rows, double* answers,
              double* log_evidence, int threads);

}  // namespace bayou
