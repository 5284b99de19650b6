// A class of equivalent networks as a partly directed graph, and the steps to other classes (Chickering 2002). The
// conditions and gains of the steps are explained in src/bayou/learning/search/ges_operators.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "bayou/base/bit_rows.hpp"

namespace bayou {

// An acyclic network: the parents of each node, and the nodes in order, descendants before ancestors.
struct OrderedNetwork {
    BitRows parents;
    std::vector<std::uint32_t> order;
};

// Arcs (bit j of parents[i]: j -> i) and undirected edges (bits in both rows).
struct Marks {
    BitRows parents, edges;

    void direct(std::uint32_t tail, std::uint32_t head);
};

// A network with these arcs, this skeleton and no further v-structures (Dor and Tarsi 1992), if there is one. Later
// nodes become children if possible.
std::optional<OrderedNetwork> extend(const Marks& marks);

class EquivalenceClass {
  public:
    explicit EquivalenceClass(std::size_t size);  // of the network without arcs
    explicit EquivalenceClass(const OrderedNetwork& network);

    ConstBitSpan parents(std::uint32_t node) const { return marks_.parents[node]; }
    ConstBitSpan edges(std::uint32_t node) const { return marks_.edges[node]; }
    ConstBitSpan joined(std::uint32_t node) const { return joined_[node]; }
    std::size_t size() const { return joined_.size(); }

    // Whether inserting tail -> head, with this clique of the head's neighbours as its parents, is valid.
    bool admits_insertion(std::uint32_t tail, std::uint32_t head, const Members& clique);

    // The graph with tail -> head, and with the clique's edges to the head directed to the head.
    Marks after_insertion(std::uint32_t tail, std::uint32_t head, const Members& clique) const;

    // The graph without the edge, in which shared neighbours outside the clique are children of both ends.
    Marks after_deletion(std::uint32_t tail, std::uint32_t head, const Members& clique) const;

  private:
    void trace(std::uint32_t start, const Members& blocked, BitSpan seen) const;

    Marks marks_;
    BitRows onward_;  // of each node: its children and undirected neighbours
    BitRows joined_;  // of each node: the nodes that it has an arc or an edge with
    BitRows within_reach_;  // of each node in is_traced_: the nodes that paths along onward_ lead to
    std::vector<char> is_traced_;
};

// The cliques within a set of nodes, the empty one first; produced one at a time, since there may be very many.
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
