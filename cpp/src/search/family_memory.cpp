#include "bayou/search/family_memory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bayou {

namespace {

constexpr double unknown_score = std::numeric_limits<double>::quiet_NaN();

}  // namespace

FamilyMemory::FamilyMemory(const FamilyScorer& scorer, const ScoreRule& rule)
    : scorer_(scorer), rule_(rule), entries_(scorer.size()) {}

FamilyMemory::Entry& FamilyMemory::entry(std::uint32_t child, const Parents& parents) {
    return entries_[child].try_emplace(parents, Entry{unknown_score, {}}).first->second;
}

std::vector<double>& FamilyMemory::additions_to(std::uint32_t child, const Parents& parents) {
    std::vector<double>& more = entry(child, parents).more;
    if (!more.empty()) return more;
    if (!parents.empty()) {
        more.assign(size(), unknown_score);
        return more;
    }
    // Searches begin with all children without parents: one table serves a pair both ways.
    std::vector<double> pairs(size() * size());
    scorer_.pairs(rule_, pairs.data());
    for (std::uint32_t other = 0; other < size(); ++other) {
        Entry& alone = entry(other, {});
        alone.own = pairs[other * size() + other];
        alone.more.resize(size());
        for (std::size_t parent = 0; parent < size(); ++parent) alone.more[parent] = pairs[parent * size() + other];
    }
    return more;
}

// The score if it is known, perhaps only as an addition to a set with one parent less; else NaN.
double FamilyMemory::known_score(std::uint32_t child, const Parents& parents) {
    const auto& known = entries_[child];
    if (const auto found = known.find(parents); found != known.end() && !std::isnan(found->second.own)) {
        return found->second.own;
    }
    Parents fewer;
    for (std::size_t at = 0; at < parents.size(); ++at) {
        fewer = parents;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(at));
        const auto found = known.find(fewer);
        if (found == known.end() || found->second.more.empty()) continue;
        if (const double score = found->second.more[parents[at]]; !std::isnan(score)) return score;
    }
    return unknown_score;
}

void FamilyMemory::score_new(const Wanted& unknown) {
    std::vector<std::int64_t> children, offsets{0}, parents;
    for (const auto& [child, given] : unknown) {
        children.push_back(child);
        parents.insert(parents.end(), given.begin(), given.end());
        offsets.push_back(static_cast<std::int64_t>(parents.size()));
    }
    std::vector<double> scores(unknown.size());
    scorer_.families(children.data(), unknown.size(), offsets.data(), parents.data(), rule_, scores.data());
    for (std::size_t at = 0; at < unknown.size(); ++at) {
        entry(unknown[at].first, unknown[at].second).own = scores[at];
    }
}

void FamilyMemory::families(const Wanted& wanted, double* scores) {
    const std::lock_guard<std::mutex> hold(lock_);
    Wanted unknown;
    std::vector<std::size_t> places;
    for (std::size_t at = 0; at < wanted.size(); ++at) {
        scores[at] = known_score(wanted[at].first, wanted[at].second);
        if (!std::isnan(scores[at])) continue;
        unknown.push_back(wanted[at]);
        places.push_back(at);
    }
    if (unknown.empty()) return;
    score_new(unknown);
    for (std::size_t at = 0; at < places.size(); ++at) {
        scores[places[at]] = entry(unknown[at].first, unknown[at].second).own;
    }
}

void FamilyMemory::additions(std::uint32_t child, const Parents& parents, std::span<const std::uint32_t> candidates,
                             double* scores) {
    const std::lock_guard<std::mutex> hold(lock_);
    std::vector<double>& more = additions_to(child, parents);
    std::vector<std::size_t> unknown;
    for (const std::uint32_t candidate : candidates) {
        if (std::isnan(more[candidate])) unknown.push_back(candidate);
    }
    if (!unknown.empty()) {
        std::vector<double> found(unknown.size());
        scorer_.additions(child, {parents.begin(), parents.end()}, unknown, rule_, found.data());
        for (std::size_t at = 0; at < unknown.size(); ++at) more[unknown[at]] = found[at];
    }
    for (std::size_t at = 0; at < candidates.size(); ++at) scores[at] = more[candidates[at]];
}

std::size_t FamilyMemory::remembered() {
    const std::lock_guard<std::mutex> hold(lock_);
    std::size_t count = 0;
    for (const auto& known : entries_) {
        for (const auto& [parents, found] : known) count += !std::isnan(found.own);
    }
    return count;
}

}  // namespace bayou
