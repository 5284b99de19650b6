// A question to a network, compiled once: which tables are multiplied and summed in which order. A plan may
// answer many rows at a time (lanes): then every message has one more axis, the innermost, with a cell a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "bayou/clique_tree.hpp"
#include "bayou/sum_product.hpp"

namespace bayou {

struct PlanFactor {
    std::vector<std::uint32_t> scope;  // the order of the table's axes
    const double* table = nullptr;     // must outlive the plan; null: given anew at every run
};

struct PlanQuestion {
    std::vector<std::uint32_t> cards;
    std::vector<PlanFactor> factors;
    std::vector<std::uint32_t> observed;   // variables with a hard finding, the same in all lanes
    std::vector<std::uint32_t> joint;      // asked for together; empty: every variable by itself
    bool marginals = true;                 // false: only log P(findings) is asked
    std::vector<std::uint32_t> maximised;  // for these the most probable states are asked; summed: the rest
    std::size_t lanes = 1;
};

// The memory of one run; a thread each.
struct Workspace {
    std::vector<double> buffer;
    std::vector<double*> values;       // by slot
    std::vector<double> log_evidence;  // by lane
};

class InferencePlan {
  public:
    explicit InferencePlan(const PlanQuestion& question);

    Workspace workspace() const;

    // `codes`: one a variable of `observed`; `given`: the values of each factor without a table of its own,
    // its axes in the order of its scope, lanes innermost. Fills work.log_evidence (-infinity: impossible) and
    // `answer`: the normalised tables of every unobserved variable, or of the joint variables in ascending
    // rank, lanes innermost.
    void run(const std::uint32_t* codes, const double* const* given, Workspace& work, double* answer,
             int threads) const;

    // The most probable states of the maximised variables, after a run with one lane.
    void trace_back(const Workspace& work, std::uint32_t* states) const;

    std::size_t lanes() const { return lanes_; }
    std::size_t answer_size() const { return answer_offsets_.back(); }
    const std::vector<std::size_t>& answer_offsets() const { return answer_offsets_; }
    const CliqueTree& tree() const { return tree_; }
    double entries() const { return entries_; }
    double largest() const { return largest_; }
    double bytes() const { return 8.0 * static_cast<double>(doubles_); }

  private:
    struct Gather {  // a factor with its observed axes looked up and its other axes in ascending rank
        std::uint32_t slot = 0;
        const double* table = nullptr;
        std::size_t given = 0;  // which of the given ones, where there is no table
        std::vector<std::pair<std::uint32_t, std::ptrdiff_t>> fixed;  // index into codes, stride
        std::vector<std::size_t> sizes;
        std::vector<std::ptrdiff_t> strides;
        std::size_t size = 1;
        void run(const std::uint32_t* codes, const double* from, double* out) const;
    };
    struct Step {  // one product and sum
        LoopNest nest;
        std::uint32_t slot;
        Combine how;
        bool upward;
    };
    struct Marginal {
        LoopNest nest;
        std::size_t offset, size;  // in the answer, without lanes
    };

    Axes axes_of(const std::vector<std::uint32_t>& scope, bool with_lanes) const;
    Axes axes_of_slot(std::uint32_t slot) const { return axes_of(slot_scope_[slot], slot_lanes_[slot]); }
    std::uint32_t new_slot(const std::vector<std::uint32_t>& scope, bool with_lanes);
    void place_factors(const PlanQuestion& question);
    Gather gather_of(const PlanFactor& factor, const std::vector<std::int64_t>& observed_at);
    void merge_factors(std::size_t clique);
    bool merge_some_factors(std::size_t clique);
    void schedule(bool downward, const std::vector<char>& maximised);
    void schedule_joint(const PlanQuestion& question);
    void schedule_marginals();
    void add_marginal(LoopNest nest, std::size_t size);
    std::vector<std::uint32_t> incoming(std::size_t clique, std::int64_t except) const;
    LoopNest nest_for(std::size_t clique, const std::vector<std::uint32_t>& slots,
                      const std::vector<std::uint32_t>& kept) const;
    bool rescale(std::uint32_t slot, Workspace& work, bool counts) const;
    void normalise(const Marginal& marginal, double* answer) const;

    CliqueTree tree_;
    std::vector<std::uint32_t> cards_;
    std::size_t lanes_ = 1;
    std::vector<std::vector<std::uint32_t>> slot_scope_;    // ascending rank
    std::vector<char> slot_lanes_;
    std::vector<std::size_t> slot_offset_, slot_size_;      // size with lanes
    std::vector<std::vector<std::uint32_t>> clique_slots_;  // the factors of a clique
    std::vector<std::uint32_t> up_, down_;                  // message slots of each clique
    std::vector<char> clique_maximises_;
    std::vector<Gather> gathers_;
    std::vector<std::uint32_t> constant_slots_;             // factors whose variables are all observed
    std::vector<Step> prepare_, steps_;
    std::vector<Marginal> marginals_;
    std::vector<std::size_t> answer_offsets_;
    std::size_t doubles_ = 0;
    double entries_ = 0, largest_ = 0;
};

}  // namespace bayou
