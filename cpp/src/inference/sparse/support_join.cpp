#include "support_join.hpp"

#include <stdexcept>

#include "bayou/base/interrupt.hpp"

namespace bayou {

namespace {

constexpr std::size_t most_join_steps = 100'000'000;  // about two seconds

}  // namespace

SupportJoin::SupportJoin(std::size_t levels, std::vector<Table> tables)
    : depth_(levels), tables_(std::move(tables)), followers_(levels), at_(tables_.size() * levels),
      numbers_(tables_.size()), masks_(tables_.size()) {
    for (std::uint32_t table = 0; table < tables_.size(); ++table) {
        const std::vector<std::uint32_t>& own = tables_[table].levels;
        for (std::uint32_t level = 0; level < own.size(); ++level) {
            followers_[own[level]].push_back({table, level, level + 1 == own.size()});
        }
        tables_[table].is_last_moving = !own.empty() && own.back() + 1 == levels;
    }
}

bool SupportJoin::start() {
    for (std::size_t table = 0; table < tables_.size(); ++table) {
        if (tables_[table].trie->combinations() == 0) return false;
        if (!tables_[table].levels.empty()) at_[table * depth_] = 0;
    }
    return true;
}

void SupportJoin::check() const {
    stop_if_interrupted();
    if (steps_ > most_join_steps) throw std::length_error("the combinations of a clique are too many");
}

bool SupportJoin::can_complete(std::size_t level) {
    step();
    const std::uint64_t mask = common_mask(level);
    if (level + 1 == depth_) return mask != 0;
    for (std::uint64_t rest = mask; rest; rest &= rest - 1) {
        follow(level, rest & -rest);
        if (can_complete(level + 1)) return true;
    }
    return false;
}

bool SupportJoin::project_from(std::size_t level, std::size_t kept, SupportTrie& made) {
    step();
    made.open(level);
    std::uint64_t possible = common_mask(level);
    if (level + 1 < depth_) {
        for (std::uint64_t rest = possible; rest; rest &= rest - 1) {
            const std::uint64_t bit = rest & -rest;
            follow(level, bit);
            const bool completes =
                level + 1 < kept ? project_from(level + 1, kept, made) : can_complete(level + 1);
            if (!completes) possible &= ~bit;
        }
    }
    return made.close(level, possible);
}

SupportTrie SupportJoin::project(std::size_t kept) {
    SupportTrie made(kept);
    if (kept > 0 && start()) project_from(0, kept, made);
    return made;
}

}  // namespace bayou
