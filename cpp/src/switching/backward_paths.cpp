#include "bayou/switching/backward_paths.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bayou/base/interrupt.hpp"
#include "bayou/base/threads.hpp"
#include "bayou/particles/particle_models.hpp"
#include "future_evidence.hpp"

namespace bayou {

namespace {

constexpr std::uint64_t backward_slot = resampling_slot - 1;
constexpr double impossible_log = -std::numeric_limits<double>::infinity();

// One path, from the last row to the first.
class BackwardPath {
  public:
    BackwardPath(const MixedTemplate& model, const MixedRows& rows, const std::vector<KeptParticles>& kept)
        : model_(model), rows_(rows), kept_(kept), step_(model), future_(model.places), cells_(model.cells) {}

    // False (and `failed` is the row) if a row has no density given the slice before.
    bool draw(std::size_t path, std::uint64_t seed, std::uint32_t* states, std::size_t& failed) {
        future_ = switching::FutureEvidence(model_.places);
        for (std::size_t row = rows_.rows; row-- > 0;) {
            stop_if_interrupted();
            double u;
            uniforms({seed, particle_stream(row, backward_slot), path}, 1, &u);
            if (row + 1 == rows_.rows) {
                logs_.assign(kept_[row].weights.size(), impossible_log);
                for (std::size_t i = 0; i < logs_.size(); ++i) {
                    if (kept_[row].weights[i] > 0) logs_[i] = std::log(kept_[row].weights[i]);
                }
            } else if (!weigh(row)) {
                failed = row + 1;
                return false;
            }
            const std::size_t chosen = pick(u);
            if (row + 1 < rows_.rows) future_ = futures_[future_of_[chosen]];
            const std::uint32_t* cells = kept_[row].particles.cells.data() + chosen * model_.cells;
            std::copy_n(cells, model_.cells, cells_.begin());
            std::copy_n(cells, model_.codes, states + row * model_.codes);
        }
        return true;
    }

  private:
    // The logs of the weights of the particles of a row, given the path and the values after it.
    bool weigh(std::size_t row) {
        const KeptParticles& own = kept_[row];
        const std::size_t n = own.weights.size(), p = model_.places;
        const MixedSlice& slice = model_.slices[rows_.slices[row + 1]];
        logs_.assign(n, impossible_log);
        future_of_.assign(n, 0);
        futures_.clear();
        keys_.clear();
        for (std::size_t i = 0; i < n; ++i) {
            if (!(own.weights[i] > 0)) continue;
            const std::uint32_t* old_cells = own.particles.cells.data() + i * model_.cells;
            const double share = own.weights[i] * share_of_states(slice, row + 1, old_cells);
            if (!(share > 0)) continue;
            if (!find_future(slice, row + 1, old_cells, future_of_[i])) return false;
            // The state is only read.
            const switching::GaussianState state{const_cast<double*>(own.particles.means.data()) + i * p,
                                                 const_cast<double*>(own.particles.roots.data()) + i * p * p,
                                                 const_cast<std::uint32_t*>(own.particles.ranks.data()) + i};
            logs_[i] = std::log(share) + step_.log_weight(state, futures_[future_of_[i]]);
        }
        return true;
    }

    // P(states of the path in the next row | states of a particle).
    double share_of_states(const MixedSlice& slice, std::size_t next, const std::uint32_t* old_cells) const {
        double share = 1;
        for (const PlaceCopy& copy : slice.cell_copies) {
            if (cells_[copy.to] != old_cells[copy.from]) return 0;
        }
        for (const DiscreteNode& node : slice.nodes) {
            if (rows_.codes_are_set[next * model_.codes + node.cell]) continue;
            const TableBlock& table = model_.tables[node.table];
            const std::size_t group = switching::group_of(node.parents, old_cells, cells_.data());
            share *= table.shares[group * table.states + cells_[node.cell]];
        }
        return share;
    }

    // What the later values say of a particle's numbers depends on its states only through the groups of lines.
    bool find_future(const MixedSlice& slice, std::size_t next, const std::uint32_t* old_cells, std::size_t& at) {
        key_.clear();
        for (const GaussianLine& line : slice.lines) {
            key_.push_back(switching::group_of(line.groups, old_cells, cells_.data()));
        }
        at = static_cast<std::size_t>(std::find(keys_.begin(), keys_.end(), key_) - keys_.begin());
        if (at < keys_.size()) return true;
        keys_.push_back(key_);
        futures_.emplace_back(model_.places);
        return step_.take_back(slice, old_cells, cells_.data(), rows_.values + next * model_.variables,
                               rows_.are_set + next * model_.variables, future_, futures_.back());
    }

    std::size_t pick(double u) const {
        const double largest = *std::max_element(logs_.begin(), logs_.end());
        double sum = 0, below = 0;
        for (const double log : logs_) sum += std::exp(log - largest);
        std::size_t last = 0;
        for (std::size_t i = 0; i < logs_.size(); ++i) {
            if (!(logs_[i] > impossible_log)) continue;
            last = i;
            below += std::exp(logs_[i] - largest);
            if (u * sum < below) return i;
        }
        return last;
    }

    const MixedTemplate& model_;
    const MixedRows& rows_;
    const std::vector<KeptParticles>& kept_;
    switching::FutureStep step_;
    switching::FutureEvidence future_;
    std::vector<std::uint32_t> cells_;
    std::vector<double> logs_;
    std::vector<std::size_t> future_of_, key_;
    std::vector<std::vector<std::size_t>> keys_;
    std::vector<switching::FutureEvidence> futures_;
};

}  // namespace

std::int64_t draw_paths(const MixedTemplate& model, const MixedRows& rows, const std::vector<KeptParticles>& kept,
                        std::size_t paths, std::uint64_t seed, std::uint32_t* states, int threads) {
    std::vector<std::int64_t> failed(paths, -1);
    parallel_for(paths, threads, [&](std::size_t path, int) {
        std::size_t row = 0;
        BackwardPath one(model, rows, kept);
        if (!one.draw(path, seed, states + path * rows.rows * model.codes, row)) failed[path] = static_cast<std::int64_t>(row);
    });
    const auto first = std::find_if(failed.begin(), failed.end(), [](std::int64_t row) { return row >= 0; });
    return first == failed.end() ? -1 : *first;
}

}  // namespace bayou
