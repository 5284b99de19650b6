// Runs a compiled question in numbers of any range, where products of doubles have underflowed: far slower, and the
// answer is right however small the probabilities are. It computes all from the factors, and nothing is rescaled.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayou/base/wide_number.hpp"
#include "bayou/inference/inference_plan.hpp"

namespace bayou {

class WidePlanRunner {
  public:
    // The plan must outlive the runner. Arguments and results are those of PlanRunner.
    explicit WidePlanRunner(const InferencePlan& plan);
    void run(std::span<const std::uint32_t> codes, std::span<const double* const> given, std::span<double> answer);
    void trace_back(std::span<std::uint32_t> states) const;
    const std::vector<double>& log_evidence() const { return log_evidence_; }

  private:
    void run_step(const PlanStep& step);
    void run_nest(const LoopNest& nest, std::vector<WideNumber>& out, Combine how) const;
    void make_base(const CliqueTable& clique);
    void collect(const CliqueTable& clique);
    void distribute(const CliqueTable& clique);
    void multiply(const TableMap& map, std::size_t block, const std::vector<WideNumber>& by,
                  std::vector<WideNumber>& table) const;
    void add(const TableMap& map, std::size_t block, const std::vector<WideNumber>& table, WideNumber* to) const;
    void count_evidence();
    void answer_marginal(const PlanMarginal& marginal, std::vector<WideNumber>& cells, double* answer) const;

    const InferencePlan& plan_;
    std::vector<std::vector<WideNumber>> values_;  // of each slot
    std::vector<double> log_evidence_;             // by lane
};

}  // namespace bayou
