// The combinations of states that can occur in each clique of a network's tree (Jensen and Andersen 1990, 'zero
// compression'), found without going through those that cannot: by joins of the tables' own combinations.
#pragma once

#include <cstdint>
#include <vector>

#include "bayou/inference/clique_tree.hpp"
#include "bayou/inference/inference_plan.hpp"
#include "support_join.hpp"

namespace bayou {

// A table that a clique is multiplied by.
struct CliquePart {
    enum class Kind : char { message, factor, variable };
    Kind kind;
    std::uint32_t number;  // of the child, the factor or the variable
};

class SparseSupports {
  public:
    using Scope = std::vector<std::uint32_t>;

    // Every variable has at most 64 states and is in a factor. Finds the combinations of the separators, upwards.
    SparseSupports(const std::vector<std::uint32_t>& cards, const std::vector<PlanFactor>& factors,
                   const EliminationOrder& order);

    // How many combinations all separators have.
    double separator_entries() const;

    // From the root down, leaves out the combinations of the separators that cannot occur with the rest of the network.
    // Calls take(clique) as soon as all tables around a clique have their final combinations.
    template <class Take>
    void reduce(const Take& take) {
        for (std::size_t clique = tree_.cliques.size(); clique-- > 0;) {
            if (!tree_.cliques[clique].children.empty()) restrict_children(clique);
            take(clique);
        }
    }

    const CliqueTree& tree() const { return tree_; }
    const std::vector<CliquePart>& parts(std::size_t clique) const { return parts_[clique]; }
    const SupportTrie& trie(const CliquePart& part) const;
    const SupportTrie& separator(std::size_t clique) const { return separators_[clique]; }
    const Scope& factor_axes(std::uint32_t factor) const { return factor_axes_[factor]; }

    // The tables of a clique: its parts, then its separator if it has a parent.
    SupportJoin join(std::size_t clique) const;

  private:

    void place_parts(const std::vector<PlanFactor>& factors);
    SupportTrie trie_of(const PlanFactor& factor, const Scope& axes) const;
    SupportJoin::Table joined(std::size_t clique, const SupportTrie& trie, const Scope& axes) const;
    Scope separator_axes(std::size_t clique) const;
    void restrict_children(std::size_t clique);

    std::vector<std::uint32_t> cards_;
    CliqueTree tree_;
    std::vector<Scope> axes_;                     // of each clique: descending rank, so the separator comes first
    std::vector<std::vector<CliquePart>> parts_;  // of each clique
    std::vector<SupportTrie> separators_, factors_, variables_;
    std::vector<Scope> factor_axes_;
};

// Calls take(bits, states) for each run of a combination: as many neighbouring states as are next to each other in every
// table that has the last variable. `gaps` are states that some of these tables have and the clique has not.
template <class Take>
void for_each_run(std::uint64_t mask, std::uint64_t gaps, const Take& take) {
    for (std::uint64_t rest = mask; rest;) {
        const std::uint64_t lowest = rest & -rest;
        const std::uint64_t above = gaps & ~(lowest - 1);
        const std::uint64_t before_gap = above ? (above & -above) - 1 : ~std::uint64_t{0};
        take(lowest, rest & before_gap);
        rest &= ~before_gap;
    }
}

}  // namespace bayou
