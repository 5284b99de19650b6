// A question to a network, compiled once: the tables to be multiplied and summed, in order. PlanBuilder
// (plan_builder.hpp) compiles it, PlanRunner (plan_runner.hpp) runs it; the plan itself is plain data that no run
// changes, so that any number of threads may read it.
//
// A plan is a list of slots (tables), and steps that compute one slot from others. It may answer several rows at a
// time (lanes): then every table that depends on findings has one more axis, the innermost, with a cell for each row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "bayou/inference/clique_tree.hpp"
#include "bayou/tables/sum_product.hpp"
#include "bayou/tables/table_walk.hpp"

namespace bayou {

struct PlanFactor {
    std::vector<std::uint32_t> scope;  // the order of the table's axes
    const double* table = nullptr;     // must outlive the plan; null: given at every run
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

constexpr std::uint32_t no_slot = UINT32_MAX;

// A table of the plan: a factor, a product of factors, a message, or the table of a clique.
struct PlanSlot {
    enum class Memory : char { scratch, constants };

    std::vector<std::uint32_t> scope;  // ascending rank
    std::size_t size = 1;              // how many numbers, lanes included
    std::size_t offset = 0;            // where it starts in its memory
    const double* table = nullptr;     // a factor's own table that is read where it lies
    Memory memory = Memory::scratch;   // constants that only the first run reads lie in the scratch memory, too
    bool varies = false;               // depends on the findings
    bool has_lanes = false;
};

// How a factor is copied into its slot: observed axes are looked up, the others are put into ascending rank.
struct FactorCopy {
    std::uint32_t slot = 0;
    const double* table = nullptr;
    std::size_t given = 0;  // which of the given factors, where there is no table
    std::vector<std::pair<std::uint32_t, std::ptrdiff_t>> fixed;  // index into the codes, stride
    std::vector<std::size_t> sizes;
    std::vector<std::ptrdiff_t> strides;
    std::size_t size = 1;
    bool varies = false;
};

struct MappedSlot {
    std::uint32_t slot;
    TableMap map;
};

// A clique that stores its own table. Each of its messages is one pass over that table (Lauritzen and Spiegelhalter
// 1988): to the parent, the product without the parent's message; to a child, the product divided by the child's own
// message.
struct CliqueTable {
    struct Child {
        std::uint32_t belief, message_up, message_down;  // slots over the separator
        TableMap map;
    };
    std::size_t blocks, block;
    std::uint32_t base = no_slot;   // the product of what never varies
    std::uint32_t table = no_slot;  // the product of everything
    bool has_parent = false;
    std::vector<MappedSlot> fixed, varying;  // factors and children's messages
    std::vector<Child> children;
    MappedSlot up, down;  // messages to and from the parent
};

struct PlanStep {
    enum class Kind : char { sum_product, collect, distribute };

    Kind kind;
    std::uint32_t target;  // the slot that is computed, or which clique table sends its messages
    bool varies;
    bool counts;  // the factor by which the result is scaled belongs to P(findings)
    Combine how = Combine::sum;
    std::uint32_t nest = no_slot;
};

// A table of the answer.
struct PlanMarginal {
    std::size_t offset, size;  // without lanes
    std::uint32_t nest;        // no_slot: read from a kept table
};

// A kept table and the marginals (`slot` of each is its number) that are summed from it in one walk.
struct MarginalSource {
    std::uint32_t slot;
    std::size_t blocks, block;
    std::vector<MappedSlot> marginals;
};

// A clique whose variables are maximised: their best states maximise the product of these slots.
struct MaximisedClique {
    std::vector<std::uint32_t> variables, slots;
};

struct InferencePlan {
    CliqueTree tree;
    std::vector<std::uint32_t> cards;
    std::size_t lanes = 1;
    std::vector<PlanSlot> slots;
    std::vector<FactorCopy> copies;
    std::vector<std::uint32_t> numbers;  // slots of factors whose variables are all observed
    std::vector<LoopNest> nests;
    std::vector<std::uint32_t> map_offsets;  // of all TableMaps
    std::vector<CliqueTable> clique_tables;
    std::vector<PlanStep> products, messages;  // in this order
    std::vector<PlanMarginal> marginals;
    std::vector<MarginalSource> sources;
    std::vector<MaximisedClique> maximisations;  // parents before children
    std::vector<std::size_t> answer_offsets;     // one a variable (or one for the joint), then the end
    std::size_t constants_size = 0, scratch_size = 0;  // numbers
    double entries = 0, largest = 0;                   // of the cliques' tables

    std::size_t answer_size() const { return answer_offsets.back(); }
    double bytes() const { return 8.0 * static_cast<double>(scratch_size) + kept_bytes(); }
    // The bytes kept between runs; the scratch memory is shared by all plans.
    double kept_bytes() const {
        return 8.0 * static_cast<double>(constants_size) + 4.0 * static_cast<double>(map_offsets.size());
    }
};

}  // namespace bayou
