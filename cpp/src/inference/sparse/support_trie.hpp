// Which combinations of states of a few variables can occur, as a tree of bit masks with a level for each variable.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bayou {

constexpr std::uint32_t most_states_of_a_mask = 64;

// The combinations are numbered in the order of their first variable, then of the second, and so on.
class SupportTrie {
  public:
    // A node stands for the states of the variables before its level; its mask says which states of this one can follow.
    struct Node {
        std::uint64_t mask = 0;
        std::uint32_t first = 0;  // the number of its first child on the next level, or of its first combination
        std::uint32_t child(std::uint64_t bit) const {
            return first + static_cast<std::uint32_t>(std::popcount(mask & (bit - 1)));
        }
    };

    explicit SupportTrie(std::size_t levels = 0) : levels_(levels) {}

    std::size_t depth() const { return levels_.size(); }
    std::uint32_t combinations() const { return combinations_; }
    const Node& node(std::size_t level, std::uint32_t number) const { return levels_[level][number]; }

    // Depth first: open a node, open and close those of its children that have combinations, close it with the states
    // that led to any. A node that is closed with none goes away.
    void open(std::size_t level) {
        const bool is_last = level + 1 == levels_.size();
        const std::size_t next = is_last ? combinations_ : levels_[level + 1].size();
        levels_[level].push_back({0, static_cast<std::uint32_t>(next)});
    }
    bool close(std::size_t level, std::uint64_t mask) {
        if (mask == 0) {
            levels_[level].pop_back();
            return false;
        }
        levels_[level].back().mask = mask;
        if (level + 1 == levels_.size()) combinations_ += static_cast<std::uint32_t>(std::popcount(mask));
        return true;
    }

    // Only the combinations that are marked.
    SupportTrie restricted_to(std::span<const char> marks) const;

    // All states of one variable.
    static SupportTrie of_variable(std::uint32_t states);

  private:
    bool copy_marked(const SupportTrie& from, std::size_t level, std::uint32_t number, std::span<const char> marks);

    std::vector<std::vector<Node>> levels_;
    std::uint32_t combinations_ = 0;
};

}  // namespace bayou
