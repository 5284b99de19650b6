// Greedy equivalence search: edges are added to a class of equivalent networks, then deleted, then arcs of one of its
// networks are turned, each time the step that gains most; this is repeated until no step gains.
// src/bayou/learning/search/ges.py is the same search for other scores; both make the same steps.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "bayou/search/equivalence_class.hpp"
#include "bayou/search/family_gains.hpp"

namespace bayou {

// An edge added or deleted, or an arc turned to lead from tail to head. `clique`: the neighbours of the head that count
// as its parents in the gain.
struct ClassStep {
    double gain;
    std::uint32_t tail, head;
    Members clique;
};

// Sets of nodes in the order of the numbers whose bits they are.
bool is_less(const Members& a, const Members& b);

class EquivalenceSearch {
  public:
    using Clock = std::chrono::steady_clock;

    // `joinable[a * size + b]`: pairs that may have an edge (symmetric). Gains up to `least_gain` count as none, and
    // gains that differ by no more count as equal. The memory must live as long as the search.
    EquivalenceSearch(FamilyMemory& memory, std::vector<char> joinable, std::size_t most_parents, double least_gain);

    // Continues until nothing gains or the time is up, and returns the steps made. The time may be up in the middle of
    // a step: the next call continues there.
    std::vector<ClassStep> steps(Clock::time_point until);

    bool is_finished() const { return is_finished_; }
    const BitRows& network() const { return network_.parents; }
    std::size_t size() const { return class_.size(); }

  private:
    enum class Phase : std::uint8_t { insertions, deletions, turns };
    struct Insertion {
        double gain;
        std::uint32_t tail, clique;
    };
    struct Insertions {  // into one head
        std::vector<Members> cliques;
        std::vector<Insertion> ranked;  // the best first, valid or not
    };

    // Each does a little work, so that steps() can check the clock in between.
    void work();
    void renew();
    void try_insertion();
    void list_deletion();
    void list_turn();
    void try_change();

    void begin_insertions();
    void begin_changes();
    void end_phase();
    void list_insertions(std::uint32_t head);
    void rank_insertions(Insertions& list);
    bool fits(const Marks& marks) const;
    std::optional<OrderedNetwork> turned_network(const ClassStep& turn) const;
    bool is_beaten(double gain) const;
    ClassStep chosen() const;
    void take(const ClassStep& step, const Marks& marks);
    void become(const ClassStep& step, OrderedNetwork network);

    FamilyGains gains_;
    std::size_t most_parents_;
    OrderedNetwork network_;
    EquivalenceClass class_;
    std::vector<ClassStep> made_;
    Phase phase_ = Phase::insertions;
    bool is_begun_ = false, has_moved_ = false, is_finished_ = false;

    CliqueWalk walk_;  // cliques of the head or the edge that is being listed
    bool is_walking_ = false;

    std::vector<std::uint32_t> renewed_;  // heads whose insertions are to be listed, the next one last
    std::vector<Insertions> insertions_;  // by head
    std::vector<std::pair<double, std::uint32_t>> heads_;  // those with insertions, by the gain of their best one
    std::size_t head_ = 0, place_ = 0;  // the insertion to be tried
    std::vector<ClassStep> good_;  // valid, and not clearly worse than any valid one found before

    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;  // tail and head, to be deleted or turned
    std::size_t edge_ = 0;                                        // the edge to be listed next
    std::vector<ClassStep> changes_;                              // changes that gain; ranked when all are listed
};

}  // namespace bayou
