// Visits the entries of a clique that agree with a row: observed variables stay at their state, missing ones (called
// open) run through all of their states, the last one fastest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayou/inference/clique_layout.hpp"

namespace bayou {

// A product in a clique has its table and at most most_children messages: if each of these is at least this (and at
// most the inverse), the product neither underflows nor overflows.
constexpr double small_message = 1e-30, large_message = 1e30;

constexpr std::uint32_t not_known = UINT32_MAX;  // the code of a variable that is missing in a row

struct OpenVariable {
    const Offsets* step;  // one state on; step[size - 2] leads from the first state to the last
    std::uint32_t size, left;
};

struct CliqueCursor {
    Offsets here;        // where the present entry lies in each table
    OpenVariable* open;  // memory of the caller's, for as many as the clique has variables
    std::uint32_t count, passed;  // how many are open; how many of these are passed on, which are the first
    std::size_t entries;          // that agree with the row

    // Goes to the first entry that agrees with the row, whose codes are by variable.
    void start(const CliqueLayout& layout, const std::uint32_t* codes, const std::vector<std::uint32_t>& cards) {
        Offsets place{};
        count = 0;
        passed = 0;
        entries = 1;
        for (std::size_t k = 0; k < layout.scope.size(); ++k) {
            const std::uint32_t variable = layout.scope[k], code = codes[variable];
            const Offsets* states = layout.states(k);
            if (code != not_known) {
                place += states[code];
            } else if (const std::uint32_t size = cards[variable]; size > 1) {
                open[count++] = {states + 1, size, size};
                passed += k < layout.passed;
                entries *= size;
            }
        }
        here = place;
    }

    // Goes to the next state of the open variables in [first, last); returns false, back at the first state, after the
    // last one.
    bool advance(std::size_t first, std::size_t last) {
        for (; last > first; --last) {
            OpenVariable& digit = open[last - 1];
            if (--digit.left > 0) {
                here += *digit.step;
                return true;
            }
            digit.left = digit.size;
            here -= digit.step[digit.size - 2];
        }
        return false;
    }
};

}  // namespace bayou
