// The clique tree of a whole network, of which only the combinations of states that can occur are stored (Jensen and
// Andersen 1990). It is made once; any findings are entered into it by a run. For networks whose tables have many zeros
// and whose cliques are so large that to go through all their entries takes long.
//
// The combinations of a clique are stored as runs: combinations that differ in the last variable only and are next to
// each other in every table that has it. A run is a few numbers: its length, and where it starts in the tables around
// it, which are the messages of the neighbours, the factors, and the weights that findings give the states of a variable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bayou/inference/inference_plan.hpp"

namespace bayou {

class SparseSupports;

struct WeightedStates {
    std::uint32_t variable;
    const double* weights;  // of its states, at most 1; a state that is found: 1, the others 0
};

class SparseTree {
  public:
    // Every factor has a table, which is not needed after construction. Throws std::length_error if the runs would have
    // more than `most_words` numbers, and std::invalid_argument if a table does not sum to 1 over its
    // last variable, a variable is in no table, or has more than 64 states.
    SparseTree(const std::vector<std::uint32_t>& cards, const std::vector<PlanFactor>& factors, double most_words,
               int threads);

    // The memory of a run; each thread needs its own.
    struct Workspace {
        std::vector<double> numbers;  // messages, beliefs and weights
        std::vector<double> lanes;    // beliefs of the further lanes of a clique
        std::vector<char> changed;    // of each clique: whether there is a finding in its subtree
        std::vector<char> weighted;   // of each variable: whether it has a finding
    };

    // P(variable | findings) of every variable, one after the other. Returns log P(findings), minus infinity if they are
    // impossible, not a number if doubles underflow in a way that may matter: then there is no answer, and a plan must be
    // asked. The result is the same for any number of threads.
    double marginals(std::span<const WeightedStates> findings, Workspace& work, std::span<double> answer,
                     int threads) const;

    const std::vector<std::uint32_t>& cards() const { return cards_; }
    const std::vector<std::size_t>& offsets() const { return offsets_; }  // of marginals, then the end
    std::size_t cliques() const { return nodes_.size(); }
    double entries() const { return entries_; }              // combinations of all cliques that can occur
    double dense_entries() const { return dense_entries_; }  // all combinations
    double runs() const { return runs_; }
    double words() const { return words_; }  // numbers that describe the runs
    double bytes() const {
        return 4.0 * words_ + 8.0 * static_cast<double>(kept_.size() + workspace_size_ + lanes_size_);
    }

  private:
    // A table around a clique: where its values are and, where it takes a belief, where that is.
    struct Part {
        enum class Kind : char { message, factor, variable };
        Kind kind;
        std::uint32_t number;  // of the clique that sends the message, or of the variable
        std::uint32_t word;    // of each run: where it starts in this table
        bool moves;            // it has the last variable, so that a run has as many cells here; else one
        std::size_t size = 0;
        std::size_t values = 0;  // in kept_ (factors) or in a workspace
        std::size_t belief = 0;  // in a workspace (messages and variables)
    };
    struct Node {
        std::vector<Part> parts;
        std::int32_t parent = -1;
        bool parent_moves = false;
        std::size_t separator = 1;                     // cells of its message; of a root: one for each chunk
        std::size_t up = 0, down = 0;                  // in a workspace: its messages to and from the parent
        std::size_t prior_up = 0;                      // in kept_: the message without findings
        double prior_log = 0;                          // the log of what all such messages from here down lack
        std::vector<std::uint32_t> words;              // of all runs
        std::size_t runs = 0, run_words = 0;           // of one run: length, start at the parent, starts in the parts
        std::vector<std::size_t> chunks;               // first runs of tasks that write to cells of their own, and the end
        std::size_t lanes = 1;                         // shares of the runs that have beliefs of their own
        std::size_t lane_size = 0;                     // numbers of such beliefs
    };

    // Building (sparse_tree.cpp).
    void make_node(const SparseSupports& supports, std::size_t number, const std::vector<PlanFactor>& factors);
    void write_runs(const SparseSupports& supports, std::size_t number, double most_words);
    void split_runs(Node& node);
    void keep_values(const SparseSupports& supports, const PlanFactor& factor, Part& part);
    void keep_prior_messages(int threads);

    // Running (sparse_tree_runs.cpp).
    void enter(std::span<const WeightedStates> findings, Workspace& work) const;
    double collect(Workspace& work, int threads) const;
    double send_up(std::size_t number, Workspace& work, int threads) const;
    void distribute(std::size_t number, Workspace& work, int threads) const;
    void run_lane(const Node& node, std::size_t lane, Workspace& work) const;
    bool turn_beliefs(const Node& node, Workspace& work) const;
    const double* values_of(const Part& part, const Workspace& work) const;
    bool read_marginals(const Workspace& work, std::span<double> answer) const;

    std::vector<std::uint32_t> cards_;
    std::vector<Node> nodes_;  // children before parents
    std::vector<std::size_t> offsets_;
    std::vector<std::size_t> weights_, beliefs_;  // of each variable: in a workspace
    std::vector<std::uint32_t> home_;             // of each variable: the clique that it belongs to
    std::vector<double> kept_;  // values of factors, messages without findings
    std::size_t workspace_size_ = 0, lanes_size_ = 0;
    double entries_ = 0, dense_entries_ = 0, runs_ = 0, words_ = 0;
    bool tables_underflowed_ = false;
};

}  // namespace bayou
