// The positions of a clique's entries in the tables around it, for kernels that compute one row at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayou/inference/clique_tree.hpp"

namespace bayou {

// Positions in all tables that a clique reads and writes: its own table, its children's messages, its own message.
struct Offsets {
    static constexpr std::size_t width = most_children + 2;
    std::int32_t at[width];

    void operator+=(const Offsets& by) {
        for (std::size_t k = 0; k < width; ++k) at[k] += by.at[k];
    }
    void operator-=(const Offsets& by) {
        for (std::size_t k = 0; k < width; ++k) at[k] -= by.at[k];
    }
};

struct CliqueLayout {
    std::vector<std::uint32_t> scope;        // what is passed on first, then what is summed out
    std::size_t passed = 0;                  // how many are passed on
    std::vector<std::uint32_t> children;
    std::size_t table = 0;                   // where its own table starts, among all tables
    std::size_t message = 0, message_size = 1;  // where its message starts, among all messages; in states
    bool is_top = false;                     // it has no parent
    std::vector<Offsets> offsets;            // how far the states of each variable lie from the first state
    std::vector<std::uint32_t> first_state;  // of each variable: where in `offsets` its states start

    const Offsets* states(std::size_t variable) const { return offsets.data() + first_state[variable]; }

    // The mean number of entries that agree with a row; `missing` is the share of rows without each variable.
    double expected_entries(const std::vector<std::uint32_t>& cards, const std::vector<double>& missing) const;
};

struct LayoutChoices {
    bool has_table = true;             // else its table is one number for all entries
    std::int32_t message_stride = 1;   // numbers for each state of a message
};

// `scope` is the clique's, with `passed` (in the order of the message's axes) before the rest.
CliqueLayout clique_layout(const CliqueTree& tree, std::size_t clique, const std::vector<std::uint32_t>& scope,
                           const std::vector<std::uint32_t>& passed, const std::vector<std::uint32_t>& cards,
                           const LayoutChoices& choices);

// The stride of each variable of `scope` in a table over `axes`, whose last axis has this stride.
std::vector<std::int32_t> strides_in(const std::vector<std::uint32_t>& scope, const std::vector<std::uint32_t>& axes,
                                     const std::vector<std::uint32_t>& cards, std::int32_t stride = 1);

// Calls take(entry, place) for every entry of a clique; place is its position in a table over `axes`.
template <class Take>
void for_each_entry(const std::vector<std::uint32_t>& scope, const std::vector<std::uint32_t>& axes,
                    const std::vector<std::uint32_t>& cards, std::size_t entries, const Take& take) {
    const std::vector<std::int32_t> strides = strides_in(scope, axes, cards);
    std::vector<std::uint32_t> index(scope.size(), 0);
    std::ptrdiff_t place = 0;
    for (std::size_t entry = 0; entry < entries; ++entry) {
        take(entry, place);
        for (std::size_t k = index.size(); k-- > 0;) {
            place += strides[k];
            if (++index[k] < cards[scope[k]]) break;
            place -= strides[k] * static_cast<std::ptrdiff_t>(index[k]);
            index[k] = 0;
        }
    }
}

}  // namespace bayou
