// A question to a network, compiled once: which tables are multiplied and summed in which order. A plan may
// answer many rows at a time (lanes): then every message has one more axis, the innermost, with a cell a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "bayou/clique_tree.hpp"
#include "bayou/sum_product.hpp"
#include "bayou/table_walk.hpp"

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

// The memory of a run; a thread each. What does not depend on the findings is computed in the first run and kept.
struct Workspace {
    std::vector<double> constants, scratch;
    const double* place = nullptr;       // where the scratch lay when `values` was made
    std::vector<double*> values;         // by slot
    std::vector<double> log_evidence;    // by lane
    std::vector<double> largest;         // of a message, by lane
    double product = 1;                  // of factors that log_evidence still lacks (one lane)
    double constant_log = 0;
    bool ready = false;                  // the constants are there
    void count(double factor);
};

class InferencePlan {
  public:
    explicit InferencePlan(const PlanQuestion& question);

    Workspace workspace() const;

    // The same with scratch memory of the caller's, of scratch_size() numbers, which plans may share in turn.
    void prepare(Workspace& work, double* scratch) const;
    std::size_t scratch_size() const { return scratch_; }

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
    double bytes() const { return 8.0 * static_cast<double>(scratch_) + kept_bytes(); }
    // What stays between runs; the scratch memory is there for all plans.
    double kept_bytes() const {
        return 8.0 * static_cast<double>(constants_) + 4.0 * static_cast<double>(pool_.size());
    }

  private:
    static constexpr std::uint32_t no_slot = UINT32_MAX;

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
    struct MappedSlot {
        std::uint32_t slot;
        TableMap map;
    };
    // A clique whose own table is kept between the way up and the way down. Each message is then one walk over
    // it: up with all but the parent's message multiplied in, down divided by what the child had sent.
    struct HeldClique {
        std::uint32_t clique;
        std::size_t blocks, block;
        std::uint32_t base = no_slot, table = no_slot;  // the product of what never varies; of everything
        std::vector<MappedSlot> fixed, varying, children;
        MappedSlot up, down;
    };
    enum class Place : char { scratch, constants };
    enum class Work { nest, held_up, held_down };
    struct Step {  // a message, or those to all children of a held clique
        Work work;
        std::uint32_t slot;  // or which held clique
        bool varies, upward;
        Combine how = Combine::sum;
        std::uint32_t nest = no_slot;
    };
    struct Marginal {
        std::size_t offset, size;  // in the answer, without lanes
        std::uint32_t nest;        // no_slot: read from a kept table
    };
    // A kept table, and the marginals (by number) that are read from it.
    struct MarginalSource {
        std::uint32_t slot;
        std::size_t blocks, block;
        std::vector<MappedSlot> marginals;
    };

    Axes axes_of(const std::vector<std::uint32_t>& scope, bool with_lanes) const;
    Axes axes_of_slot(std::uint32_t slot) const { return axes_of(slot_scope_[slot], slot_lanes_[slot]); }
    std::uint32_t new_slot(const std::vector<std::uint32_t>& scope, bool varies, bool with_lanes);
    bool varies(const std::vector<std::uint32_t>& slots) const;
    void place_factors(const PlanQuestion& question);
    Gather gather_of(const PlanFactor& factor, const std::vector<std::int64_t>& observed_at);
    void merge_factors(std::size_t clique);
    bool merge_some_factors(std::size_t clique);
    void merge_smallest_factor(std::size_t clique);
    std::uint32_t product_of(const std::vector<std::uint32_t>& slots, std::vector<std::uint32_t> scope);
    void lay_out();
    void schedule(bool downward, const std::vector<char>& maximised);
    void schedule_joint(const PlanQuestion& question);
    void schedule_marginals();
    void choose_held(bool wanted);
    void hold(std::size_t clique);
    void hold_downward(std::size_t clique);
    std::vector<std::size_t> sizes_of(const std::vector<std::uint32_t>& scope) const;
    TableMap map_onto(const std::vector<std::uint32_t>& scope, const BlockShape& shape,
                      const std::vector<std::uint32_t>& part);
    std::uint32_t keep(LoopNest nest);
    void add_marginal(std::uint32_t nest, std::size_t size);
    void add_marginal_of(std::uint32_t slot, std::uint32_t variable);
    std::vector<std::uint32_t> incoming(std::size_t clique, std::int64_t except) const;
    LoopNest nest_for(std::size_t clique, const std::vector<std::uint32_t>& slots,
                      const std::vector<std::uint32_t>& kept, bool with_lanes) const;
    void run_constants(Workspace& work, int threads) const;
    bool run_step(const Step& step, Workspace& work, int threads) const;
    void make_base(const HeldClique& held, Workspace& work) const;
    bool send_up(const HeldClique& held, Workspace& work) const;
    bool send_down(const HeldClique& held, Workspace& work) const;
    WalkTable table_for(const MappedSlot& mapped, double* values) const;
    void read_marginals(const MarginalSource& source, const Workspace& work, double* answer) const;
    bool rescale(std::uint32_t slot, Workspace& work, bool counts) const;
    void normalise(const Marginal& marginal, double* answer) const;

    CliqueTree tree_;
    std::vector<std::uint32_t> cards_;
    std::size_t lanes_ = 1;
    std::vector<std::vector<std::uint32_t>> slot_scope_;    // ascending rank
    std::vector<char> slot_lanes_, slot_varies_;
    std::vector<Place> slot_place_;                         // constants that only the first run reads: scratch
    std::vector<const double*> slot_table_;                 // a given table that serves as it is, else null
    std::vector<std::size_t> slot_offset_, slot_size_;      // size with lanes
    std::vector<std::vector<std::uint32_t>> clique_slots_;  // the factors of a clique
    std::vector<std::uint32_t> up_, down_;                  // message slots of each clique
    std::vector<std::uint32_t> belief_;                     // of a separator, where the parent is held: no_slot
    std::vector<std::uint32_t> held_at_;                    // of each clique: which of held_, or no_slot
    std::vector<HeldClique> held_;
    std::vector<std::uint32_t> pool_;                       // offsets of all maps
    std::vector<char> clique_maximises_;
    std::vector<Gather> gathers_;
    std::vector<std::uint32_t> constant_slots_;             // factors whose variables are all observed
    std::vector<LoopNest> nests_;
    std::vector<Step> prepare_, steps_;
    std::vector<Marginal> marginals_;
    std::vector<MarginalSource> sources_;
    std::vector<std::int32_t> source_of_;                   // by slot, -1: none yet
    std::vector<std::size_t> answer_offsets_;
    std::size_t constants_ = 0, scratch_ = 0;
    double entries_ = 0, largest_ = 0;
};

}  // namespace bayou
