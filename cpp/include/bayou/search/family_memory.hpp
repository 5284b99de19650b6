// Scores of families by one rule, each computed once: searches need the same scores many times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "bayou/search/family_scores.hpp"

namespace bayou {

class FamilyMemory {
  public:
    using Parents = std::vector<std::uint32_t>;  // ascending
    using Wanted = std::vector<std::pair<std::uint32_t, Parents>>;

    // The scorer must outlive the memory.
    FamilyMemory(const FamilyScorer& scorer, const ScoreRule& rule);

    // The score of each child with its parents; new ones are computed together.
    void families(const Wanted& wanted, double* scores);

    // The scores of the child with these parents and each of the candidates.
    void additions(std::uint32_t child, const Parents& parents, std::span<const std::uint32_t> candidates,
                   double* scores);

    std::size_t size() const { return scorer_.size(); }
    std::size_t remembered();  // the number of remembered families, without those known only as additions

  private:
    struct Entry {
        double own;                // the score of the family itself; NaN: not known
        std::vector<double> more;  // with one more parent, by its position; NaN: not known. Empty: none is known
    };

    Entry& entry(std::uint32_t child, const Parents& parents);
    std::vector<double>& additions_to(std::uint32_t child, const Parents& parents);
    double known_score(std::uint32_t child, const Parents& parents);
    void score_new(const Wanted& unknown);

    const FamilyScorer& scorer_;
    ScoreRule rule_;
    std::mutex lock_;
    std::vector<std::map<Parents, Entry>> entries_;  // by child
};

}  // namespace bayou
