// What the runs of bundles add up: expected counts, logarithms of scales, and what the pieces of a sequence say.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayou/sequences/hidden_chain.hpp"
#include "chain_bundle.hpp"

namespace bayou {

// Expected counts of some bundles; those of all parts are added in order, so that threads change no bit.
struct ChainCounts {
    std::vector<double> start, transition, end;
    std::vector<std::vector<double>> coded;
    std::vector<double> gaussian;  // [state, cell, lane]

    ChainCounts(std::size_t states, std::size_t padded, const Emissions& emissions)
        : start(states), transition(padded * padded), end(states),
          gaussian(emissions.gaussian.sums ? states * emissions.gaussian.cells() * chain_lanes : 0) {
        for (const CodedEmission& one : emissions.coded) {
            coded.emplace_back(one.counts ? (std::size_t{one.column.card} + 1) * states : 0);
        }
    }
};

// The sum of the logarithms of many scales per lane: exponents are added, mantissas multiplied.
class LogSum {
  public:
    void add(double scale) {
        const auto bits = std::bit_cast<std::uint64_t>(scale);
        exponent_ += static_cast<std::int64_t>(bits >> 52) - 1023;
        mantissa_ *= std::bit_cast<double>((bits & 0xFFFFFFFFFFFFFull) | 0x3FF0000000000000ull);
        if (++count_ == 512) settle();
    }
    void add_log(double log) { rest_ += log; }
    // The product of at most 512 scales.
    void add_product(double mantissa, std::int64_t exponent) {
        rest_ += std::log(mantissa);
        exponent_ += exponent;
    }
    double value() {
        settle();
        return rest_ + static_cast<double>(exponent_) * 0.693147180559945309417;
    }

  private:
    void settle() {
        rest_ += std::log(mantissa_);
        mantissa_ = 1;
        count_ = 0;
    }
    double mantissa_ = 1, rest_ = 0;
    std::int64_t exponent_ = 0;
    int count_ = 0;
};

// Where the pieces of a sequence meet. A piece starts some steps before its own ones, from uniform states, and ends
// some steps after them: messages forget where they come from, usually within a few steps. That they have is checked:
// both neighbours must say the same about the last step of the left one (filtered states; smoothed ones, which depend
// on both messages, if there is a way back). Otherwise the sequence runs again in one piece.
struct Borders {
    std::size_t states = 0;
    double tolerance = 0;
    std::vector<std::size_t> first;      // own first row of each piece, in order
    std::vector<double> left, right;     // [piece, state] at the last row of a piece: as it says, as the next one says
    std::vector<double> log_likelihood;  // of each piece

    Borders(const std::vector<Bundle>& bundles, std::size_t count, double weight)
        : states(count), tolerance(1e-13 * std::max(weight, 1.0)) {
        for (const Bundle& bundle : bundles) {
            for (std::size_t lane = 0; lane < bundle.lanes; ++lane) {
                first.push_back(bundle.first[lane] + bundle.begin[lane]);
            }
        }
        std::sort(first.begin(), first.end());
        left.resize(first.size() * states);
        right.resize(first.size() * states);
        log_likelihood.resize(first.size());
    }

    std::size_t piece(std::size_t row) const {
        return std::upper_bound(first.begin(), first.end(), row) - first.begin() - 1;
    }
    double* slot(std::size_t row, bool by_next) { return (by_next ? right : left).data() + piece(row) * states; }

    bool agree() const {
        for (std::size_t at = 0; at + states < left.size(); ++at) {
            if (!(std::abs(left[at] - right[at]) <= tolerance)) return false;
        }
        return true;
    }
};

}  // namespace bayou
