// Scores of families by one rule, each computed once: searches ask for the same ones again and again.
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

    // The score of each child with its parents; those that are new are worked out together.
    void families(const Wanted& wanted, double* scores);

    // The scores of the child with these parents and each of the candidates.
    void additions(std::uint32_t child, const Parents& parents, std::span<const std::uint32_t> candidates,
                   double* scores);

    std::size_t size() const { return scorer_.size(); }
    std::size_t remembered();  // families, those that came as additions not counted

  private:
    struct Entry {
        double own;                // of the family itself; NaN: not known
        std::vector<double> more;  // with one more parent, by its position; NaN: not known. Empty: none is
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
