#include "support_trie.hpp"

namespace bayou {

SupportTrie SupportTrie::of_variable(std::uint32_t states) {
    SupportTrie trie(1);
    trie.open(0);
    trie.close(0, states == most_states_of_a_mask ? ~std::uint64_t{0} : (std::uint64_t{1} << states) - 1);
    return trie;
}

SupportTrie SupportTrie::restricted_to(std::span<const char> marks) const {
    SupportTrie kept(levels_.size());
    if (!levels_.front().empty()) kept.copy_marked(*this, 0, 0, marks);
    return kept;
}

bool SupportTrie::copy_marked(const SupportTrie& from, std::size_t level, std::uint32_t number,
                              std::span<const char> marks) {
    const Node node = from.levels_[level][number];
    const bool is_last = level + 1 == levels_.size();
    open(level);
    std::uint64_t kept = 0;
    std::uint32_t child = node.first;
    for (std::uint64_t rest = node.mask; rest; rest &= rest - 1, ++child) {
        const bool has_any = is_last ? marks[child] != 0 : copy_marked(from, level + 1, child, marks);
        if (has_any) kept |= rest & -rest;
    }
    return close(level, kept);
}

}  // namespace bayou
