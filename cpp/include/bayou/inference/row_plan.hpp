// P(target | findings) of many rows, each with its own gaps, one row at a time: a row visits only the entries of the
// cliques that agree with its findings. If most cells are observed, these are few.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayou/data/codes.hpp"
#include "bayou/inference/clique_cursor.hpp"
#include "bayou/inference/inference_plan.hpp"

namespace bayou {

class RowPlan {
  public:
    // `target` is never observed. Every factor has a table, which is not needed after construction.
    RowPlan(const std::vector<std::uint32_t>& cards, const std::vector<PlanFactor>& factors, std::uint32_t target);

    // `columns[k]` are the findings about `variables[k]`. `answers` takes one number per row and state of the target
    // (NaN if the row is impossible), `log_evidence` one per row (NaN if products of doubles underflowed in a way that
    // may matter: such rows need another plan, which answers them whatever their range).
    void run(const std::vector<CodeColumn>& columns, const std::vector<std::uint32_t>& variables, std::size_t rows,
             double* answers, double* log_evidence, int threads) const;

    // The mean number of entries visited per row; `missing` is the share of rows in which each variable is missing.
    double expected_entries(const std::vector<double>& missing) const;
    std::size_t cliques() const { return cliques_.size(); }
    std::size_t states() const { return cards_[target_]; }
    double bytes() const {
        return 8.0 * (static_cast<double>(tables_.size() + messages_ + 4 * offsets_) + remembered_);
    }

  private:
    // One step for a row: a clique, or a whole subtree whose findings have so few combinations that its message is
    // cached for each of them.
    struct Task {
        std::uint32_t clique;                // the topmost
        std::vector<std::uint32_t> members;  // all cliques of a remembered subtree, children first; else empty
        std::vector<std::uint32_t> variables, factors;  // a combination's number is the sum of code times factor
        std::size_t combinations = 0;
    };
    struct SubtreeMemory {
        std::vector<double> messages, logs;  // by combination; a NaN log: not met yet
    };
    struct RowWorkspace {
        std::vector<double> messages;
        std::vector<const double*> inputs;  // of each clique: its message
        std::vector<std::uint32_t> codes;   // of the row, by variable
        std::vector<SubtreeMemory> memories;       // of each task
    };

    void make_clique(const CliqueTree& tree, std::size_t at, const std::vector<PlanFactor>& factors,
                     const std::vector<std::size_t>& starts);
    void fill_table(const CliqueLayout& clique, const Clique& of, const std::vector<PlanFactor>& factors);
    void make_tasks(const CliqueTree& tree);
    void prepare(RowWorkspace& work, std::size_t rows) const;
    double run_row(RowWorkspace& work, double* before_underflow = nullptr) const;
    bool is_doubtful(double log, RowWorkspace& work) const;
    double run_members(const Task& task, RowWorkspace& work) const;
    double remembered_message(const Task& task, SubtreeMemory& memory, RowWorkspace& work) const;
    double run_scaled(std::uint32_t number, RowWorkspace& work) const;
    double run_clique(const CliqueLayout& clique, RowWorkspace& work) const;

    std::vector<std::uint32_t> cards_;
    std::uint32_t target_;
    std::vector<CliqueLayout> cliques_;
    std::uint32_t root_ = UINT32_MAX;  // the clique that passes the target on, if there is one
    std::vector<Task> tasks_;
    double remembered_ = 0;  // numbers in the memories of a thread
    std::vector<double> tables_;
    bool tables_underflowed_ = false;
    std::size_t offsets_ = 0, messages_ = 0;  // of all cliques
    std::size_t answer_ = 0;                  // where the target's own message starts
};

}  // namespace bayou
