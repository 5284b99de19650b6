// The graph of a local search: its arcs, the ancestors of each node, and the gain of every single change. Gains are
// stored in columns, one per child and set of parents, set by the caller or scored with a FamilyMemory. Columns are
// kept as long as the graph exists, and used again whenever the child has the same parents again.
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

    // `required[parent * size + child]`: arcs that are never removed or turned; `allowed`: arcs that may be there.
    ClimbingGraph(std::size_t size, std::vector<char> required, std::vector<char> allowed);

    // From now on fill() and climb() score unknown columns with this memory, which must outlive the graph. No child gets
    // more than `most_parents`; a score below `worst` counts as `worst`.
    void use_memory(FamilyMemory& memory, std::size_t most_parents, double worst);

    // Replaces all arcs. Throws std::invalid_argument if they contain a cycle.
    void rebuild(std::vector<Parents> parents);

    // Moves to an equivalent graph, then removes some arcs at random. `numbers` are uniform in [0, 1). The last ones,
    // one per arc, decide which arcs are removed (those whose number is below `share`). Each number before them picks
    // an arc, which is turned if that gives an equivalent graph.
    void perturb(double share, std::span<const double> numbers);

    // The children whose column for their present parents is unknown; best() needs all of them.
    std::vector<std::uint32_t> unknown() const;

    // `adding[p]`: the gain of p as one more parent (minus infinity: not allowed, or a parent already). `dropping[p]`:
    // the gain of removing the parent p.
    void set_column(std::uint32_t child, double score, std::span<const double> adding, std::span<const double> dropping);

    // The legal change with the largest gain, which may be negative. Among gains that differ by no more than
    // `tolerance`: additions first, then deletions, then by parent and child. `excluded[parent * size + child]`: arcs
    // that must not be changed.
    std::optional<GraphMove> best(double tolerance, const std::vector<char>* excluded = nullptr) const;
    void apply(const GraphMove& move);

    // Scores unknown columns, at least one, until the time is up. Returns whether all are known afterwards.
    bool fill(Clock::time_point until);

    // Makes the best change while it gains more than `tolerance`, at most `most` times, or until a column is unknown and
    // there is no memory or no time to score it.
    std::vector<GraphMove> climb(double tolerance, std::size_t most, Clock::time_point until);

    std::size_t size() const { return size_; }
    double score() const;  // the sum over the children whose column is known
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
        std::vector<Candidate> ranked;  // parents that may be added, the best first
    };
    bool may_add(std::uint32_t parent, std::uint32_t child, const std::vector<char>* excluded) const {
        return !ancestors_.has(parent, child) && !(excluded && (*excluded)[parent * size_ + child]);
    }
    void link(std::uint32_t parent, std::uint32_t child);
    void unlink(std::uint32_t parent, std::uint32_t child);
    void update_ancestors(std::uint32_t node);
    void update_descendants(std::uint32_t child);
    void find_column(std::uint32_t child);
    void score_column(std::uint32_t child);
    bool is_covered(std::uint32_t parent, std::uint32_t child) const;
    std::optional<GraphMove> best_addition(double tolerance, const std::vector<char>* excluded) const;
    void improve_by_change(Change change, double tolerance, const std::vector<char>* excluded,
                           std::optional<GraphMove>& found) const;

    std::size_t size_;
    std::vector<char> required_, allowed_;
    FamilyMemory* memory_ = nullptr;
    std::size_t most_parents_ = 0;
    double worst_ = 0;
    std::vector<Parents> parents_;
    BitRows ancestors_;        // of each node, with itself
    BitRows far_ancestors_;    // of each node: the nodes from which a path of two or more arcs leads to it
    std::vector<std::map<Parents, Column>> columns_;  // by child
    std::vector<const Column*> current_;                  // null: unknown
};

}  // namespace bayou
