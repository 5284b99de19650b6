// A question to a network, compiled once: which tables are multiplied and summed in which order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayou/clique_tree.hpp"
#include "bayou/sum_product.hpp"

namespace bayou {

struct PlanFactor {
    std::vector<std::uint32_t> scope;  // the order of the table's axes
    const double* table = nullptr;     // must outlive the plan
};

struct PlanQuestion {
    std::vector<std::uint32_t> cards;
    std::vector<PlanFactor> factors;
    std::vector<std::uint32_t> observed;  // variables with a hard finding
    std::vector<std::uint32_t> soft;      // variables with a likelihood
    std::vector<std::uint32_t> joint;     // asked for together; empty: every variable by itself
};

class InferencePlan {
  public:
    explicit InferencePlan(const PlanQuestion& question);

    // log P(findings), -infinity where they are impossible. `codes`: one a variable of `observed`;
    // `likelihoods`: one array a variable of `soft`. `answer` takes the normalised tables: of every
    // unobserved variable in order, or of the joint variables in their order.
    double run(const std::uint32_t* codes, const double* const* likelihoods, double* answer, int threads);

    const std::vector<std::size_t>& answer_offsets() const { return answer_offsets_; }
    const CliqueTree& tree() const { return tree_; }
    double entries() const { return entries_; }
    double largest() const { return largest_; }
    std::size_t buffer_size() const { return buffer_.size(); }
    // How many doubles the buffer of a question would need, without making it: for refusing in time.
    double bytes() const { return bytes_; }
    void allocate();

  private:
    struct Gather {            // a factor with its observed axes looked up
        std::uint32_t slot;
        const double* table;
        std::vector<std::pair<std::uint32_t, std::ptrdiff_t>> fixed;  // index into codes, stride
        std::vector<std::size_t> sizes;
        std::vector<std::ptrdiff_t> strides;
        std::size_t size = 1;
        void run(const std::uint32_t* codes, double* out) const;
    };
    struct Step {              // one product and sum
        LoopNest nest;
        std::uint32_t slot;    // where the result goes
        bool message;          // rescaled, its scale counts for log P
        bool upward;
    };
    struct Marginal {
        LoopNest nest;
        std::size_t offset;    // in the answer
        std::size_t size;
    };

    Axes axes_of(const std::vector<std::uint32_t>& scope) const;
    std::uint32_t new_slot(const std::vector<std::uint32_t>& scope);
    void place_factors(const PlanQuestion& question);
    void merge_factors(std::size_t clique);
    void schedule(bool downward);
    void schedule_marginals(const PlanQuestion& question);
    std::vector<std::uint32_t> incoming(std::size_t clique, std::int64_t except) const;
    LoopNest nest_for(std::size_t clique, const std::vector<std::uint32_t>& slots,
                      const std::vector<std::uint32_t>& kept) const;
    double rescale(std::uint32_t slot);

    CliqueTree tree_;
    std::vector<std::uint32_t> cards_;
    std::vector<std::vector<std::uint32_t>> slot_scope_;   // ascending rank
    std::vector<std::size_t> slot_offset_, slot_size_;
    std::vector<double*> slot_values_;
    std::vector<std::vector<std::uint32_t>> clique_slots_; // factors and likelihoods of a clique
    std::vector<std::uint32_t> up_, down_;                 // message slots of each clique
    std::vector<std::uint32_t> soft_slots_;
    std::vector<Gather> gathers_;
    std::vector<Step> prepare_, steps_;
    std::vector<Marginal> marginals_;
    std::vector<std::size_t> answer_offsets_;
    std::vector<double> buffer_;
    std::size_t doubles_ = 0;
    double entries_ = 0, largest_ = 0, bytes_ = 0;
    std::size_t constants_ = 0;                            // slots without variables: plain numbers
    std::vector<std::uint32_t> constant_slots_;
};

}  // namespace bayou
