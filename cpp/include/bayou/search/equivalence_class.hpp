// A class of equivalent networks as a partly directed graph, and the steps from it to others (Chickering 2002).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "bayou/base/bit_rows.hpp"

namespace bayou {

// A network without circles: the parents of each node, and the nodes, descendants before ancestors.
struct OrderedNetwork {
    BitRows parents;
    std::vector<std::uint32_t> order;
};

// Arcs (bit j of parents[i]: j -> i) and edges without direction (bits in both rows).
struct Marks {
    BitRows parents, edges;

    void direct(std::uint32_t tail, std::uint32_t head);
};

// The network with these arcs, this skeleton and no further v-structures (Dor and Tarsi 1992), if there is one. Among
// several, later nodes come out as children where they can.
std::optional<OrderedNetwork> extend(const Marks& marks);

class EquivalenceClass {
  public:
    explicit EquivalenceClass(std::size_t size);  // of the network without arcs
    explicit EquivalenceClass(const OrderedNetwork& network);

    ConstBitSpan parents(std::uint32_t node) const { return marks_.parents[node]; }
    ConstBitSpan edges(std::uint32_t node) const { return marks_.edges[node]; }
    ConstBitSpan joined(std::uint32_t node) const { return joined_[node]; }
    std::size_t size() const { return joined_.size(); }

    // Whether tail -> head, with this clique of the head's neighbours as its parents, leads to a class.
    bool admits_insertion(std::uint32_t tail, std::uint32_t head, const Members& clique);

    // The graph with tail -> head and with the clique directed to the head.
    Marks after_insertion(std::uint32_t tail, std::uint32_t head, const Members& clique) const;

    // The graph without the edge, the shared neighbours outside the clique now effects of both ends.
    Marks after_deletion(std::uint32_t tail, std::uint32_t head, const Members& clique) const;

  private:
    void trace(std::uint32_t start, const Members& blocked, BitSpan seen) const;

    Marks marks_;
    BitRows onward_;  // where the arcs and edges of each node lead
    BitRows joined_;  // the nodes that it has an arc or an edge with
    BitRows within_reach_;  // of each node that is traced: the nodes that paths along onward_ lead to
    std::vector<char> is_traced_;
};

// The sets of nodes within a set that are all joined to each other, the empty one first; one at a time, since there
// may be very many.
class CliqueWalk {
  public:
    // The cliques of an empty set: the empty one.
    CliqueWalk() = default;

    void start(std::vector<std::uint64_t> within);

    const Members& clique() const { return clique_; }
    bool next(const EquivalenceClass& graph);  // false: that was the last one

  private:
    std::vector<std::vector<std::uint64_t>> left_;  // the nodes that may still be the next member, at each depth
    Members clique_;
};

}  // namespace bayou
