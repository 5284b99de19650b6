// The clique tree of a whole network with all its tables, made once: any findings are entered into it by a run, so that
// a new set of findings needs no plan of its own. Messages that no finding changes are those of the network without
// findings, which are kept; a question about one variable sends messages only from the findings to the root, and from
// the root to that variable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bayou/inference/inference_plan.hpp"
#include "bayou/inference/scope_maps.hpp"

namespace bayou {

struct ObservedState {
    std::uint32_t variable, code;
};

class NetworkTree {
  public:
    // Every factor has a table, which is not needed after construction. Throws std::length_error if the cliques have
    // more than `most_entries` entries in all, and std::invalid_argument if a table does not sum to 1 over its last
    // variable: a plan leaves out the variables that sum to 1, and the tree does not.
    NetworkTree(const std::vector<std::uint32_t>& cards, const std::vector<PlanFactor>& factors, double most_entries);

    // The memory of a run; each thread needs its own.
    struct Workspace {
        std::vector<double> numbers;              // tables and messages
        std::vector<char> changed;                // of each clique: whether there is a finding in its subtree
        std::vector<std::int32_t> first_finding;  // of each clique, -1: none
        std::vector<std::int32_t> next_finding;   // of each finding: the next one of the same clique, -1: none
        std::vector<std::uint32_t> path;
        std::vector<WalkTable> in, out;
    };

    // Both return log P(findings), minus infinity if they are impossible or so nearly impossible that doubles underflow
    // in a way that may matter; then there is no answer, and a plan must be asked.
    // P(target | findings): one number a state.
    double query(std::span<const ObservedState> findings, std::uint32_t target, Workspace& work,
                 std::span<double> answer) const;
    // P(variable | findings) of every variable, one after the other; an observed one has its state.
    double marginals(std::span<const ObservedState> findings, Workspace& work, std::span<double> answer) const;

    const std::vector<std::uint32_t>& cards() const { return cards_; }
    const std::vector<std::size_t>& offsets() const { return offsets_; }  // of marginals, then the end
    double entries() const { return entries_; }
    double bytes() const {
        return 8.0 * static_cast<double>(kept_.size() + workspace_size_) + 4.0 * static_cast<double>(map_offsets_.size());
    }

  private:
    // A variable and the map from a table that has it to its states.
    struct Part {
        std::uint32_t variable;
        TableMap map;
    };
    struct Node {
        std::vector<std::uint32_t> children;
        std::int32_t parent = -1;
        std::size_t blocks = 1, block = 1;                      // of its table
        std::size_t separator_blocks = 1, separator_block = 1;  // of its message to the parent
        TableMap up;                                            // from the table to that message
        std::vector<TableMap> to_child;                         // from the table to each child's message
        std::vector<Part> from_table, from_separator;           // the marginals that are summed from these tables
        std::size_t base = 0, prior_table = 0, prior_up = 0;    // in kept_: the factors' product; without findings
        std::size_t table = 0, up_message = 0, belief = 0, down_message = 0;  // in a workspace
        double base_log = 0, prior_log = 0;  // logs of what the base, and all messages below without findings, lack
        std::size_t entries() const { return blocks * block; }
        std::size_t separator() const { return separator_blocks * separator_block; }
    };
    // Where a variable is observed or asked for: a clique, and the map from its table to the variable's states.
    struct Place {
        std::uint32_t node = 0;
        TableMap map;
    };

    // Building (network_tree.cpp).
    void make_node(const CliqueTree& tree, std::size_t number, const std::vector<PlanFactor>& factors, ScopeMaps& maps);
    void fill_base(Node& node, const Clique& clique, const std::vector<PlanFactor>& factors);
    void place_variables(const CliqueTree& tree, ScopeMaps& maps);
    void choose_sources(const CliqueTree& tree, ScopeMaps& maps);
    void keep_prior_messages();

    // Running (network_tree_runs.cpp).
    void enter(std::span<const ObservedState> findings, Workspace& work) const;
    double collect(std::span<const ObservedState> findings, Workspace& work) const;
    double send_up(std::uint32_t number, std::span<const ObservedState> findings, Workspace& work) const;
    void use_table(std::uint32_t number, Workspace& work) const;
    bool send_down(std::uint32_t child, Workspace& work) const;
    double unless_doubtful(double log_evidence) const;
    const double* up_message(std::uint32_t number, const Workspace& work) const;
    WalkTable walk_table(const TableMap& map, const double* values) const;

    std::vector<std::uint32_t> cards_;
    std::vector<Node> nodes_;  // children before parents
    std::vector<Place> observed_at_, asked_at_;  // of each variable: its smallest clique; that nearest to the root
    std::vector<std::size_t> offsets_;
    std::vector<std::uint32_t> map_offsets_;  // of all TableMaps
    std::vector<double> kept_;
    std::size_t workspace_size_ = 0;  // numbers
    double entries_ = 0;
    bool tables_underflowed_ = false;
};

}  // namespace bayou
