#include "bayou/search/family_gains.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace bayou {

FamilyGains::FamilyGains(FamilyMemory& memory, std::vector<char> joinable, double least)
    : memory_(memory), joinable_(std::move(joinable)), least_(least), known_(memory.size()) {
    if (joinable_.size() != size() * size()) throw std::invalid_argument("joinable: expected a square matrix");
}

// Kept here too, because the memory, which may be shared, has to lock and to look through sets with one parent less.
double FamilyGains::score(Known& known, std::uint32_t child, const Members& parents) {
    if (!known.score) {
        double found = 0;
        memory_.families({{child, parents}}, &found);
        known.score = found;
    }
    return *known.score;
}

double FamilyGains::family(std::uint32_t child, const Members& parents) {
    return score(known_[child][parents], child, parents);
}

const std::vector<FamilyGains::Gain>& FamilyGains::additions(std::uint32_t child, const Members& parents) {
    Known& known = known_[child][parents];
    if (known.gains) return *known.gains;
    Members others;
    for (std::uint32_t other = 0; other < size(); ++other) {
        const bool may_join = other != child && joinable_[child * size() + other];
        if (may_join && !std::binary_search(parents.begin(), parents.end(), other)) others.push_back(other);
    }
    std::vector<double> scores(others.size());
    if (!others.empty()) memory_.additions(child, parents, others, scores.data());
    const double own = score(known, child, parents);
    std::vector<Gain> gains;
    for (std::size_t at = 0; at < others.size(); ++at) {
        if (scores[at] - own > least_) gains.push_back({scores[at] - own, others[at]});
    }
    known.gains = std::move(gains);
    return *known.gains;
}

}  // namespace bayou
