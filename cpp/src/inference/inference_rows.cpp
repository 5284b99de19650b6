#include "bayou/inference/inference_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "bayou/base/threads.hpp"

namespace bayou {

namespace {

// The memory of a thread for its blocks of rows.
struct LaneWorkspace {
    PlanRunner runner;
    std::vector<double> scratch;
    std::vector<std::vector<double>> findings;  // by column: a weight for each state and lane
    std::vector<const double*> given;
    std::vector<double> answer;

    LaneWorkspace(const InferencePlan& plan, const std::vector<CodeColumn>& columns)
        : runner(plan), scratch(plan.scratch_size) {
        runner.use_scratch(scratch.data());
        for (const CodeColumn& column : columns) findings.emplace_back(column.card * plan.lanes);
        for (const auto& weights : findings) given.push_back(weights.data());
        answer.resize(plan.answer_size() * plan.lanes);
    }
};

void write_findings(const CodeColumn& column, std::size_t first, std::size_t count, std::size_t lanes,
                    double* weights) {
    std::fill_n(weights, column.card * lanes, 0.0);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        const std::uint32_t code = lane < count ? column.at(first + lane) : column.missing();
        if (code == column.missing()) {
            for (std::uint32_t state = 0; state < column.card; ++state) weights[state * lanes + lane] = 1.0;
        } else if (code < column.card) {
            weights[code * lanes + lane] = 1.0;
        } else {
            report_bad_code(column, first, count);
        }
    }
}

}  // namespace

void run_rows(const InferencePlan& plan, const std::vector<CodeColumn>& columns, std::size_t rows, double* answers,
              double* log_evidence, int threads) {
    const std::size_t lanes = plan.lanes, size = plan.answer_size();
    threads = usable_threads(threads);  // once: the default may change meanwhile
    std::vector<std::unique_ptr<LaneWorkspace>> workspaces(static_cast<std::size_t>(threads));
    parallel_for((rows + lanes - 1) / lanes, threads, [&](std::size_t block, int worker) {
        if (!workspaces[worker]) workspaces[worker] = std::make_unique<LaneWorkspace>(plan, columns);
        LaneWorkspace& work = *workspaces[worker];
        const std::size_t first = block * lanes, count = std::min(lanes, rows - first);
        for (std::size_t k = 0; k < columns.size(); ++k) {
            write_findings(columns[k], first, count, lanes, work.findings[k].data());
        }
        work.runner.run({}, work.given, work.answer, 1);
        for (std::size_t lane = 0; lane < count; ++lane) {
            const double log = work.runner.log_evidence()[lane];
            const bool possible = std::isfinite(log);
            log_evidence[first + lane] = log;
            double* row = answers + (first + lane) * size;
            for (std::size_t i = 0; i < size; ++i) {
                row[i] = possible ? work.answer[i * lanes + lane] : std::numeric_limits<double>::quiet_NaN();
            }
        }
    });
}

}  // namespace bayou
