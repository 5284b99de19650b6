// Up to eight sequences that run side by side, and the memory that they need: one for each thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayou/sequences/hidden_chain.hpp"
#include "chain_loops.hpp"

namespace bayou {

// The matrices of a chain in the loops' order, made once for a run.
class TiledChain {
  public:
    explicit TiledChain(const HiddenChain& chain, bool logs);

    std::size_t states() const { return chain_.states; }
    std::size_t padded() const { return padded_; }
    const HiddenChain& chain() const { return chain_; }
    TiledMatrix forward() const { return {forward_.data(), chain_.states, padded_}; }
    TiledMatrix backward() const { return {backward_.data(), chain_.states, padded_}; }
    const double* start() const { return start_.data(); }
    // Whether a state that can hardly be reached may be the only one that can go on: then lost numbers matter.
    bool careful() const { return careful_; }

  private:
    HiddenChain chain_;
    std::size_t padded_;
    std::vector<double> forward_, backward_, start_;
    bool careful_ = false;
};

// Which sequences run in which lanes, longest first. A long sequence may run in pieces: then a lane has steps before
// and after its own ones, in which the messages forget that they did not start at the end of the sequence.
struct Bundle {
    std::size_t sequence[chain_lanes] = {};
    std::size_t length[chain_lanes] = {};  // 0: an empty lane
    std::size_t first[chain_lanes] = {};   // row of the first step
    std::size_t begin[chain_lanes] = {};   // the lane's own steps
    std::size_t end[chain_lanes] = {};
    bool opens[chain_lanes] = {};   // whether the lane has the first step of its sequence
    bool closes[chain_lanes] = {};  // and the last one
    std::size_t lanes = 0;

    void add(std::size_t which, std::size_t row, std::size_t steps);

    std::size_t steps() const { return length[0]; }
    std::size_t active(std::size_t step) const;  // lanes 0 up to this one have such a step
};

// Sequences in bundles of similar length.
std::vector<Bundle> bundles_of(const SequenceRows& rows, std::vector<std::size_t> sequences);

// One long sequence as pieces of equal length in two bundles.
std::vector<Bundle> pieces_of(const SequenceRows& rows, std::size_t sequence);

// Whether a sequence is so long beside the others that it runs faster in pieces.
bool runs_in_pieces(const SequenceRows& rows, std::size_t sequence);

// The code of a row; that of a missing cell is `card`, the last row of the tables.
inline std::uint32_t emitted_code(const CodeColumn& column, std::size_t row) {
    std::uint32_t code;
    if (column.bytes == 1) {
        code = static_cast<const std::uint8_t*>(column.codes)[row];
    } else if (column.bytes == 2) {
        code = static_cast<const std::uint16_t*>(column.codes)[row];
    } else {
        code = static_cast<const std::uint32_t*>(column.codes)[row];
    }
    return code < column.card ? code : column.card;
}

// The steps that are held at once. Where there is a way back, longer sequences keep the messages between stretches, and
// run each stretch twice.
std::size_t stretch_of(std::size_t padded, bool returns);

}  // namespace bayou
