// Sums over weighted rows, which are drawn block by block and never kept.
#include <algorithm>
#include <cmath>

#include "bayou/base/interrupt.hpp"
#include "bayou/base/threads.hpp"
#include "sampler_block.hpp"

namespace bayou {

namespace {

// Where the cells of each target are: its place in the rows' codes, and its first cell among those of all targets.
struct TargetCells {
    TargetCells(const std::vector<std::vector<std::uint32_t>>& targets, const std::vector<std::uint32_t>& cards) {
        for (const auto& target : targets) {
            const std::uint32_t cells = checked_cells(target, cards);
            TablePlace place;
            std::uint32_t stride = 1;
            for (std::size_t axis = target.size(); axis-- > 0;) {
                place.variables.push_back(target[axis]), place.strides.push_back(stride);
                stride *= cards[target[axis]];
            }
            places.push_back(std::move(place));
            first_cells.push_back(first_cells.back() + cells);
        }
    }

    std::vector<TablePlace> places;
    std::vector<std::size_t> first_cells{0};
};

}  // namespace

// The sums of one part of the rows. Neighbouring rows add to different lanes, so that none waits for the one before.
struct RowSampler::Sums {
    static constexpr std::size_t few_cells = 4096;

    explicit Sums(std::size_t cells) : lanes(cells <= few_cells ? 4 : 1), cells(cells), sums(lanes * cells),
                                       square_sums(lanes * cells) {}

    void rescale(double to) {
        const double factor = log_scale == no_weight ? 0.0 : std::exp(log_scale - to);
        for (double& sum : sums) sum *= factor;
        for (double& sum : square_sums) sum *= factor * factor;
        total *= factor, largest *= factor, squares *= factor * factor;
        log_scale = to;
    }

    // The weights of some rows, in units of exp(log_scale).
    void weigh(const double* logs, std::size_t rows, double* weights) {
        const double most = *std::max_element(logs, logs + rows);
        if (most > log_scale) rescale(most);
        for (std::size_t row = 0; row < rows; ++row) {
            const double w = logs[row] == no_weight ? 0.0 : std::exp(logs[row] - log_scale);
            weights[row] = w;
            total += w, squares += w * w, largest = std::max(largest, w), positive += logs[row] != no_weight;
        }
    }

    void add(const std::uint32_t* cell, std::size_t first_cell, const double* weights, std::size_t rows) {
        for (std::size_t row = 0; row < rows; ++row) {
            const std::size_t at = (row % lanes) * cells + first_cell + cell[row];
            sums[at] += weights[row], square_sums[at] += weights[row] * weights[row];
        }
    }

    // Rows that all have the weight 1, in units of 1.
    void count(std::size_t rows) {
        const auto drawn = static_cast<double>(rows);
        total += drawn, squares += drawn, largest = 1.0, positive += rows;
    }

    void join_lanes() {
        for (std::size_t lane = 1; lane < lanes; ++lane) {
            for (std::size_t at = 0; at < cells; ++at) {
                sums[at] += sums[lane * cells + at], square_sums[at] += square_sums[lane * cells + at];
            }
        }
        sums.resize(cells), square_sums.resize(cells);
        sums.shrink_to_fit(), square_sums.shrink_to_fit();
        lanes = 1;
    }

    static WeightedSums joined(std::vector<Sums>& parts, std::size_t cells) {
        WeightedSums result;
        result.log_scale = no_weight;
        for (const Sums& part : parts) result.log_scale = std::max(result.log_scale, part.log_scale);
        result.sums.resize(cells), result.square_sums.resize(cells);
        for (Sums& part : parts) {
            if (part.log_scale == no_weight) continue;
            part.rescale(result.log_scale);
            result.total += part.total, result.squares += part.squares;
            result.largest = std::max(result.largest, part.largest), result.positive += part.positive;
            for (std::size_t at = 0; at < cells; ++at) {
                result.sums[at] += part.sums[at], result.square_sums[at] += part.square_sums[at];
            }
        }
        return result;
    }

    std::size_t lanes, cells;
    double log_scale = no_weight, total = 0.0, squares = 0.0, largest = 0.0;
    std::uint64_t positive = 0;
    std::vector<double> sums, square_sums;
};

WeightedSums RowSampler::weighted_sums(std::uint64_t seed, std::uint64_t first_row, std::size_t n,
                                       const std::vector<std::vector<std::uint32_t>>& targets, int threads) const {
    const TargetCells target_cells(targets, cards_);
    const std::size_t cells = target_cells.first_cells.back();
    // The parts depend on the rows and on the targets only: sums are the same on any number of threads.
    const std::size_t most_parts = std::clamp<std::size_t>((std::size_t{1} << 24) / (cells + 1), 1, 64);
    const std::size_t tasks = (n + rows_at_once - 1) / rows_at_once;
    const std::size_t parts = std::min(most_parts, std::max<std::size_t>(tasks / 8, 1));
    std::vector<Sums> found(parts, Sums(0));
    std::vector<Block> blocks(usable_threads(threads), Block(cards_.size()));
    parallel_for(parts, threads, [&](std::size_t part, int worker) {
        Block& block = blocks[worker];
        Sums sums(cells);
        double weights[rows_at_once];
        std::fill_n(weights, rows_at_once, 1.0);
        if (!weighted_) sums.log_scale = 0.0;
        const std::size_t end = std::min(n, (part + 1) * tasks / parts * rows_at_once);
        for (std::size_t first = part * tasks / parts * rows_at_once; first < end; first += rows_at_once) {
            const std::size_t rows = std::min(rows_at_once, end - first);
            if ((first / rows_at_once) % 64 == 0) stop_if_interrupted();
            fill(block, seed, first_row + first, rows);
            if (weighted_) sums.weigh(block.log_weights, rows, weights);
            else sums.count(rows);
            for (std::size_t at = 0; at < targets.size(); ++at) {
                block.find(target_cells.places[at], rows);
                sums.add(block.index, target_cells.first_cells[at], weights, rows);
            }
        }
        sums.join_lanes();
        found[part] = std::move(sums);
    });
    return Sums::joined(found, cells);
}

}  // namespace bayou
