// Scores of families for structure search, from data that are kept for many calls.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "bayou/base/thread_pool.hpp"
#include "bayou/search/family_formulas.hpp"
#include "bayou/search/row_partition.hpp"

namespace bayou {

// The memory of one thread that scores candidates.
struct ScoringScratch;
class CandidateCounts;

class FamilyScorer {
  public:
    // Copies the columns; checks every code.
    FamilyScorer(const std::vector<CodeColumn>& columns, int threads);
    ~FamilyScorer();

    // scores[i] of children[i] with the parents [offsets[i], offsets[i + 1]) of the flat list.
    void families(const std::int64_t* children, std::size_t count, const std::int64_t* offsets,
                  const std::int64_t* parents, const ScoreRule& rule, double* scores) const;

    // scores[i] of the child with the parents and candidates[i].
    void additions(std::size_t child, const std::vector<std::size_t>& parents,
                   const std::vector<std::size_t>& candidates, const ScoreRule& rule, double* scores) const;

    // scores[parent * n + child] for all pairs; on the diagonal, of the child without parents.
    void pairs(const ScoreRule& rule, double* scores) const;

    std::size_t size() const { return data_.columns.size(); }

  private:
    struct Group;  // families that differ in one parent only

    std::vector<Group> grouped(const std::int64_t* children, std::size_t count, const std::int64_t* offsets,
                               const std::int64_t* parents) const;
    double alone(std::size_t child, const ScoreRule& rule) const;
    double configurations(const std::vector<std::size_t>& parents) const;
    void score_group(const Group& group, const ScoreRule& rule, double* scores, bool may_share) const;
    void score_chunk(const Group& group, const RowPartition& partition, std::size_t begin, std::size_t end,
                     const ScoreRule& rule, CandidateCounts& counts, double* scores) const;
    void score_pairs(std::size_t first, std::size_t begin, std::size_t end, const ScoreRule& rule,
                     ScoringScratch& scratch, double* scores) const;
    std::size_t most_listed(const std::vector<std::size_t>& candidates) const;
    double cost(const RowPartition& partition, const std::vector<std::size_t>& candidates) const;
    std::unique_ptr<ScoringScratch> acquire_scratch() const;
    void release_scratch(std::unique_ptr<ScoringScratch> scratch) const;
    ThreadPool& pool() const;

    PlaneRows data_;
    FamilyFormulas formulas_;
    int threads_;
    mutable std::mutex scratch_lock_;
    mutable std::vector<std::unique_ptr<ScoringScratch>> idle_scratch_;  // kept, because fresh memory is slow
    mutable std::once_flag pool_made_;
    mutable std::unique_ptr<ThreadPool> pool_;
};

}  // namespace bayou
