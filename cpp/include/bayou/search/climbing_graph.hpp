// A graph under local search: its arcs, who is whose ancestor, and what every single change would gain. Scores come
// from outside, told by a caller or asked of a memory: a column of gains for each child and its parents, kept for as
// long as the graph lives.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bayou/base/bit_rows.hpp"
#include "bayou/search/family_memory.hpp"

namespace bayou {

enum class Change : std::uint8_t { add, drop, turn };

struct GraphMove {
    Change change;
    std::uint32_t parent, child;
    double gain;
};

class ClimbingGraph {
  public:
    using Parents = std::vector<std::uint32_t>;  // ascending

    using Clock = std::chrono::steady_clock;

    // `required[parent * size + child]`: arcs that are never taken away or turned; `allowed`: those that may be there.
    ClimbingGraph(std::size_t size, std::vector<char> required, std::vector<char> allowed);

    // From now on unknown columns are asked of this memory, which must live as long as the graph. No child gets more
    // than `most_parents`; a score below `worst` counts as that.
    void ask(FamilyMemory& memory, std::size_t most_parents, double worst);

    // Takes over a whole graph without circles (std::invalid_argument else).
    void rebuild(std::vector<Parents> parents);

    // Walks to an equivalent graph, then takes out arcs by chance. The last numbers (from 0 to below 1), one an arc, say
    // which arcs go: those whose number is below `share`. Each number before them picks an arc, which is turned if that
    // leaves an equivalent graph.
    void shake(double share, std::span<const double> numbers);

    // The children whose gains with their present parents nobody has told yet; all must be known to move on.
    std::vector<std::uint32_t> unknown() const;

    // `adding[p]`: what p as one more parent gains (minus infinity: not allowed, or a parent already); `dropping[p]`.
    void know(std::uint32_t child, double score, std::span<const double> adding, std::span<const double> dropping);

    // The legal change with the largest gain, perhaps a loss; of equal ones (but for `tolerance`) additions first, then
    // deletions, by parent and child. `held`: pairs (parent * size + child) that are left alone.
    std::optional<GraphMove> best(double tolerance, const std::vector<char>* held = nullptr) const;
    void apply(const GraphMove& move);

    // Asks the memory, if there is one, for unknown columns, one at least, until the time is up. Whether all are known.
    bool fill(Clock::time_point until);

    // Makes the best change while it gains more than `tolerance`, at most so many times, or until a column is unknown
    // and there is no memory or no time to ask it.
    std::vector<GraphMove> climb(double tolerance, std::size_t most, Clock::time_point until);

    std::size_t size() const { return size_; }
    double score() const;  // of the children that are known
    const std::vector<Parents>& parents() const { return parents_; }
    bool is_ancestor(std::uint32_t of, std::uint32_t node) const { return ancestors_.has(of, node); }

  private:
    struct Candidate {
        double gain;
        std::uint32_t parent;
    };
    struct Column {
        double score;
        std::vector<double> adding, dropping;
        std::vector<Candidate> ranked;  // who may be added, the best first
    };
    bool may_add(std::uint32_t parent, std::uint32_t child, const std::vector<char>* held) const {
        return !ancestors_.has(parent, child) && !(held && (*held)[parent * size_ + child]);
    }
    void link(std::uint32_t parent, std::uint32_t child);
    void unlink(std::uint32_t parent, std::uint32_t child);
    void trace(std::uint32_t node);
    void trace_below(std::uint32_t child);
    void look_up(std::uint32_t child);
    void ask_for(std::uint32_t child);
    bool is_covered(std::uint32_t parent, std::uint32_t child) const;
    std::optional<GraphMove> best_addition(double tolerance, const std::vector<char>* held) const;
    void improve_by_change(Change change, double tolerance, const std::vector<char>* held,
                           std::optional<GraphMove>& found) const;

    std::size_t size_;
    std::vector<char> required_, allowed_;
    FamilyMemory* memory_ = nullptr;
    std::size_t most_parents_ = 0;
    double worst_ = 0;
    std::vector<Parents> parents_;
    BitRows ancestors_;        // of each node, with itself
    BitRows far_ancestors_;    // of each node: from where a path over at least one other node leads to it
    std::vector<std::map<Parents, Column>> columns_;  // by child
    std::vector<const Column*> now_;                  // null: unknown
};

}  // namespace bayou
