// Runs a compiled question on findings, any number of times; each thread needs its own runner.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bayou/inference/inference_plan.hpp"
#include "bayou/inference/wide_plan_runner.hpp"

namespace bayou {

class PlanRunner {
  public:
    // The plan must outlive the runner.
    explicit PlanRunner(const InferencePlan& plan) : plan_(plan) {}

    // Call before a run, with memory for plan.scratch_size numbers, which the runners of a thread may share in turn.
    void use_scratch(double* scratch);

    // `codes`: one for each variable of `observed`; `given`: the values of each factor without a table of its own,
    // its axes in the order of its scope, lanes innermost. Fills log_evidence() and `answer`: the normalised tables
    // of every unobserved variable, or of the joint variables in ascending rank, lanes innermost. Where products of
    // doubles underflow in a way that may matter, it is run again in numbers of any range.
    void run(std::span<const std::uint32_t> codes, std::span<const double* const> given, std::span<double> answer,
             int threads);

    // The most probable states of the maximised variables (by variable), after a run with one lane.
    void trace_back(std::span<std::uint32_t> states) const;

    // log P(findings) of each lane; minus infinity: impossible.
    const std::vector<double>& log_evidence() const { return log_evidence_; }

  private:
    void run_constants(int threads);
    bool run_doubles(std::span<const std::uint32_t> codes, std::span<const double* const> given,
                     std::span<double> answer, int threads);
    void mark_underflow();
    bool is_doubtful() const;
    bool run_step(const PlanStep& step, int threads);
    bool scale(std::uint32_t slot, bool counts);
    void lift_lanes(const PlanSlot& slot, double* values);
    bool scale_lanes(const PlanSlot& slot, double* values, bool counts);
    void count(double factor);
    void normalise(const PlanMarginal& marginal, double* answer) const;

    // Of cliques that keep their own table (clique_table_runs.cpp).
    void make_base(const CliqueTable& clique);
    bool collect(const CliqueTable& clique);
    bool distribute(const CliqueTable& clique);
    void read_marginals(const MarginalSource& source, double* answer) const;
    WalkTable walk_table(const TableMap& map, double* values) const;

    const InferencePlan& plan_;
    std::vector<double> constants_;     // what does not depend on the findings: computed in the first run and kept
    bool has_constants_ = false;
    double constant_log_ = 0;           // their part of log P(findings)
    const double* scratch_ = nullptr;   // where the scratch lay when values_ was made
    std::vector<double*> values_;       // of each slot
    std::vector<double> log_evidence_;  // by lane
    std::vector<double> largest_;       // of a message, by lane
    double product_ = 1;                // of factors that log_evidence_ still lacks (one lane)
    double given_log_ = 0;              // of what the given factors were divided by (one lane)
    bool underflowed_ = false, constants_underflowed_ = false;  // in the messages to the parents
    std::vector<double> before_underflow_;                      // log_evidence_ before the first such message
    std::unique_ptr<WidePlanRunner> wide_;                      // after a run that was made again
};

}  // namespace bayou
