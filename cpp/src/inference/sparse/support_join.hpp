// All combinations of states of a clique that each of several smaller tables allows: one walk from the first variable
// to the last, in which every table is followed down its own trie (Veldhuizen 2014, leapfrog triejoin).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "support_trie.hpp"

namespace bayou {

// Throws std::length_error where a walk takes too long.
class SupportJoin {
  public:
    // `levels`: the number of variables of the clique. `tables`: a trie and, for each of its levels, the level of the
    // clique. Every level of the clique must be one of some table.
    struct Table {
        const SupportTrie* trie;
        std::vector<std::uint32_t> levels;
        bool is_last_moving = false;  // has the last variable of the clique
    };
    SupportJoin(std::size_t levels, std::vector<Table> tables);

    const std::vector<Table>& tables() const { return tables_; }

    // The trie of the first `kept` variables, whose combinations can be completed.
    SupportTrie project(std::size_t kept);

    // Calls visit(mask, numbers, masks) for all combinations of the variables before the last: the states of the last
    // that are possible with them; of each table the number of the combination, or for one with the last variable the
    // number of its first combination, whose states are masks[table].
    template <class Visit>
    void for_each(const Visit& visit) {
        if (start()) walk(0, visit);
    }

  private:
    struct Follower {
        std::uint32_t table, level;  // the level of the table's own trie
        bool ends;                   // it is the table's last variable
    };

    bool start();
    void step() {
        if ((++steps_ & 0xFFFF) == 0) check();
    }
    void check() const;
    std::uint64_t common_mask(std::size_t level) const {
        std::uint64_t mask = ~std::uint64_t{0};
        for (const Follower& each : followers_[level]) mask &= node_of(each).mask;
        return mask;
    }
    const SupportTrie::Node& node_of(const Follower& each) const {
        return tables_[each.table].trie->node(each.level, at_[each.table * depth_ + each.level]);
    }
    void follow(std::size_t level, std::uint64_t bit) {
        for (const Follower& each : followers_[level]) {
            const std::uint32_t next = node_of(each).child(bit);
            if (each.ends) {
                numbers_[each.table] = next;
            } else {
                at_[each.table * depth_ + each.level + 1] = next;
            }
        }
    }
    bool can_complete(std::size_t level);
    bool project_from(std::size_t level, std::size_t kept, SupportTrie& made);

    template <class Visit>
    void walk(std::size_t level, const Visit& visit) {
        const std::uint64_t mask = common_mask(level);
        if (level + 1 == depth_) {
            if (mask == 0) return;
            for (const Follower& each : followers_[level]) {
                const SupportTrie::Node& node = node_of(each);
                numbers_[each.table] = node.first;
                masks_[each.table] = node.mask;
            }
            step();
            visit(mask, std::span<const std::uint32_t>(numbers_), std::span<const std::uint64_t>(masks_));
            return;
        }
        for (std::uint64_t rest = mask; rest; rest &= rest - 1) {
            follow(level, rest & -rest);
            walk(level + 1, visit);
        }
    }

    std::size_t depth_;
    std::vector<Table> tables_;
    std::vector<std::vector<Follower>> followers_;  // of each level
    std::vector<std::uint32_t> at_;                 // of each table and its levels: the node
    std::vector<std::uint32_t> numbers_;
    std::vector<std::uint64_t> masks_;
    std::size_t steps_ = 0;
};

}  // namespace bayou
