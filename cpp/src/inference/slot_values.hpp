// What PlanRunner and WidePlanRunner have in common, in their own kinds of numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bayou/base/wide_number.hpp"
#include "bayou/inference/inference_plan.hpp"

namespace bayou {

// Copies a factor into its slot, with the axes of observed variables looked up.
template <class Number>
void copy_factor(const FactorCopy& copy, const std::uint32_t* codes, const double* from, Number* out) {
    for (const auto& [index, stride] : copy.fixed) from += stride * static_cast<std::ptrdiff_t>(codes[index]);
    if (copy.sizes.empty()) {
        *out = *from;
        return;
    }
    const std::size_t inner = copy.sizes.back();
    const std::ptrdiff_t step = copy.strides.back();
    std::vector<std::size_t> index(copy.sizes.size(), 0);
    for (std::size_t done = 0; done < copy.size; done += inner) {
        for (std::size_t i = 0; i < inner; ++i) out[done + i] = from[static_cast<std::ptrdiff_t>(i) * step];
        for (std::size_t depth = copy.sizes.size() - 1; depth-- > 0;) {
            from += copy.strides[depth];
            if (++index[depth] < copy.sizes[depth]) break;
            from -= copy.strides[depth] * static_cast<std::ptrdiff_t>(copy.sizes[depth]);
            index[depth] = 0;
        }
    }
}

// The most probable states of the maximised variables, from the root down: the states of a clique's separator are
// known, those of its other variables are tried. `values_of(slot)` is where the numbers of a slot begin.
template <class ValuesOf>
void trace_best_states(const InferencePlan& plan, const ValuesOf& values_of, std::span<std::uint32_t> states) {
    for (const MaximisedClique& clique : plan.maximisations) {
        const std::vector<std::uint32_t>& free = clique.variables;
        std::vector<std::uint32_t> trial(free.size(), 0), best(free.size(), 0);
        WideNumber highest = 0.0;
        for (bool more = true; more;) {
            for (std::size_t k = 0; k < free.size(); ++k) states[free[k]] = trial[k];
            WideNumber value = 1.0;
            for (const std::uint32_t slot : clique.slots) {
                std::size_t at = 0;
                for (const std::uint32_t variable : plan.slots[slot].scope) {
                    at = at * plan.cards[variable] + states[variable];
                }
                value *= values_of(slot)[at];
            }
            if (value > highest) {
                highest = value;
                best = trial;
            }
            more = false;
            for (std::size_t k = free.size(); k-- > 0;) {
                if (++trial[k] < plan.cards[free[k]]) {
                    more = true;
                    break;
                }
                trial[k] = 0;
            }
        }
        for (std::size_t k = 0; k < free.size(); ++k) states[free[k]] = best[k];
    }
}

}  // namespace bayou
