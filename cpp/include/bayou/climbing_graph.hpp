// A graph under local search: its arcs, who is whose ancestor, and what every single change would gain. Scores come
// from outside: a column of gains for each child and its parents, remembered for as long as the graph lives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

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

    // `required[parent * size + child]`: arcs that are never taken away or turned.
    ClimbingGraph(std::size_t size, std::vector<char> required);

    // Takes over a whole graph without circles (std::invalid_argument else).
    void rebuild(std::vector<Parents> parents);

    // The children whose gains with their present parents nobody has told yet; all must be known to move on.
    std::vector<std::uint32_t> unknown() const;

    // `adding[p]`: what p as one more parent gains (minus infinity: not allowed, or a parent already); `dropping[p]`.
    void know(std::uint32_t child, double score, std::span<const double> adding, std::span<const double> dropping);

    // The legal change with the largest gain, perhaps a loss; of equal ones (but for `tolerance`) additions first, then
    // deletions, by parent and child. `held`: pairs (parent * size + child) that are left alone.
    std::optional<GraphMove> best(double tolerance, const std::vector<char>* held = nullptr) const;
    void apply(const GraphMove& move);

    // Makes the best change while it gains more than `tolerance`, at most so many times, or until a column is unknown.
    std::vector<GraphMove> climb(double tolerance, std::size_t most);

    std::size_t size() const { return size_; }
    double score() const;  // of the children that are known
    const std::vector<Parents>& parents() const { return parents_; }
    bool is_ancestor(std::uint32_t of, std::uint32_t node) const { return has(all_, of, node); }

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
    using Bits = std::vector<std::uint64_t>;

    bool has(const Bits& bits, std::uint32_t row, std::uint32_t bit) const {
        return bits[row * words_ + bit / 64] >> bit % 64 & 1;
    }
    bool may_add(std::uint32_t parent, std::uint32_t child, const std::vector<char>* held) const {
        return !has(all_, parent, child) && !(held && (*held)[parent * size_ + child]);
    }
    void link(std::uint32_t parent, std::uint32_t child);
    void unlink(std::uint32_t parent, std::uint32_t child);
    void trace(std::uint32_t node);
    void trace_below(std::uint32_t child);
    void look_up(std::uint32_t child);
    std::optional<GraphMove> best_addition(double tolerance, const std::vector<char>* held) const;
    void improve_by_change(Change change, double tolerance, const std::vector<char>* held,
                           std::optional<GraphMove>& found) const;

    std::size_t size_, words_;
    std::vector<char> required_;
    std::vector<Parents> parents_;
    Bits all_, far_;  // a row a node: its ancestors and itself; those to whom there is a way over others
    std::vector<std::map<Parents, Column>> columns_;  // by child
    std::vector<const Column*> now_;                  // null: unknown
};

}  // namespace bayou
