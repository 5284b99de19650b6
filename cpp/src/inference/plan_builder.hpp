// The state of build_plan(): the plan so far, and data needed only while it is built.
#pragma once

#include "bayou/inference/plan_builder.hpp"
#include "bayou/inference/scope_maps.hpp"

namespace bayou {

class PlanBuilder {
  public:
    explicit PlanBuilder(const PlanQuestion& question) : question_(question) {}

    InferencePlan build();

  private:
    using Scope = std::vector<std::uint32_t>;
    using Slots = std::vector<std::uint32_t>;

    void make_tree();
    std::uint32_t new_slot(Scope scope, bool varies, bool with_lanes);
    Axes axes_of(const Scope& scope, bool with_lanes) const;
    Axes axes_of_slot(std::uint32_t slot) const;
    bool varies(const Slots& slots) const;
    bool have_lanes(const Slots& slots) const;
    std::uint32_t keep(LoopNest nest);
    void lay_out();

    // Factors (plan_factors.cpp).
    void place_factors();
    FactorCopy copy_of(const PlanFactor& factor, const std::vector<std::int64_t>& observed_at);
    void merge_factors(std::size_t clique);
    bool merge_some_factors(std::size_t clique);
    void merge_smallest_factor(std::size_t clique);
    std::uint32_t product_of(const Slots& slots, const Scope& scope);

    // Messages.
    Slots incoming(std::size_t clique, std::int64_t except) const;
    LoopNest nest_for(std::size_t clique, const Slots& slots, const Scope& kept, bool with_lanes) const;
    void schedule_collect(bool distributes);
    void schedule_distribute();
    void add_maximisations();

    // Answers (plan_answers.cpp).
    void add_marginal(std::uint32_t nest, std::size_t size);
    void add_marginal_of(std::uint32_t slot, std::uint32_t variable);
    std::size_t answer_end() const;
    void schedule_joint();
    void schedule_marginals();
    std::vector<std::int64_t> smallest_separators() const;

    // Cliques that keep their own table (plan_clique_tables.cpp).
    void choose_clique_tables();
    void make_clique_table(std::size_t clique);
    void map_children(std::size_t clique);

    const PlanQuestion& question_;
    InferencePlan plan_;
    ScopeMaps maps_{plan_.cards, plan_.map_offsets};
    std::vector<Slots> clique_factors_;        // the factors of a clique
    Slots up_, down_;                          // of each clique: its message to the parent, and from there
    Slots belief_;                             // of each clique: over the separator, where the parent has a table
    std::vector<std::uint32_t> clique_table_;  // of each clique: which of plan_.clique_tables, or no_slot
    std::vector<char> maximises_;              // of each clique
    std::vector<std::int32_t> source_of_;      // of each slot: which of plan_.sources, -1: none
    std::vector<std::pair<std::uint32_t, std::ptrdiff_t>> hidden_;  // of a factor: its variables and their strides
};

}  // namespace bayou
