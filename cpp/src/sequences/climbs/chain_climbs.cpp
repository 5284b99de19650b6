#include "bayou/sequences/chain_climbs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../chain_bundle.hpp"
#include "bayou/base/interrupt.hpp"
#include "bayou/base/threads.hpp"
#include "climb_estimates.hpp"
#include "climb_loops.hpp"

namespace bayou {

namespace {

constexpr double log_two_pi = 1.8378770664093454836;

// The rows as the loops read them, made once for all climbs.
struct ClimbRows {
    explicit ClimbRows(const ClimbProblem& problem) : codes(problem.columns.size()) {
        const std::size_t rows = problem.rows(), d = problem.numbers.size();
        for (std::size_t c = 0; c < codes.size(); ++c) {
            codes[c].resize(rows);
            for (std::size_t row = 0; row < rows; ++row) codes[c][row] = emitted_code(problem.columns[c], row);
        }
        cells.resize(rows * d);
        for (std::size_t row = 0; row < rows; ++row) {
            for (std::size_t a = 0; a < d; ++a) cells[row * d + a] = problem.numbers[a].at(row);
        }
        for (std::size_t k = 0; k < problem.sequences.count; ++k) {
            longest = std::max(longest, problem.sequences.length(k));
        }
    }

    std::vector<std::vector<std::uint32_t>> codes;
    std::vector<double> cells;
    std::size_t longest = 0;
};

// Eight climbs: their parameters in lanes, and the memory of a pass over the rows.
class EightClimbs {
  public:
    EightClimbs(const ClimbProblem& problem, const ClimbLayout& layout, const ClimbRows& rows)
        : problem_(problem), layout_(layout), rows_(rows), d_(problem.numbers.size()) {
        const std::size_t k = problem.states;
        start_.resize(k * lanes);
        transition_.resize(k * k * lanes);
        for (const CodeColumn& column : problem.columns) {
            tables_.emplace_back((std::size_t{column.card} + 1) * k * lanes, 1.0);
            counts_.emplace_back(tables_.back().size());
        }
        means_.resize(k * d_ * lanes);
        whiteners_.resize(k * d_ * (d_ + 1) / 2 * lanes);
        bases_.resize(k * lanes);
        first_.resize(start_.size());
        moves_.resize(transition_.size());
        sums_.resize(d_ ? k * sum_width() * lanes : 0);
        likelihoods_.resize(rows.longest * k * lanes);
        messages_.resize(likelihoods_.size());
        inverses_.resize(rows.longest * lanes);
        own_counts_.resize(problem.table_cells());
        own_sums_.resize(k * sum_width());
    }

    // Climbs `count` ones (at most eight) whose results begin here.
    void run(const ClimbResults& results, std::size_t count, std::size_t steps, double tolerance) {
        bool done[lanes] = {};
        for (std::size_t lane = 0; lane < lanes; ++lane) done[lane] = lane >= count;
        for (std::size_t lane = 0; lane < lanes; ++lane) fill_lane(parameters_of(results, lane < count ? lane : 0), lane);
        for (std::size_t step = 0; step < steps && std::count(done, done + lanes, false); ++step) {
            expect();
            for (std::size_t lane = 0; lane < count; ++lane) {
                if (!done[lane]) done[lane] = !improved(results, lane, tolerance);
            }
        }
    }

  private:
    static constexpr std::size_t lanes = chain_lanes;

    std::size_t sum_width() const { return 1 + d_ + d_ * (d_ + 1) / 2; }

    double* parameters_of(const ClimbResults& results, std::size_t lane) const {
        return results.parameters + lane * problem_.cells();
    }

    void fill_lane(const double* parameters, std::size_t lane) {
        const std::size_t k = problem_.states;
        for (std::size_t i = 0; i < k; ++i) start_[i * lanes + lane] = parameters[i];
        for (std::size_t i = 0; i < k * k; ++i) transition_[i * lanes + lane] = parameters[layout_.transition + i];
        for (std::size_t c = 0; c < tables_.size(); ++c) {
            const double* table = parameters + layout_.tables[c];
            const std::size_t card = problem_.columns[c].card;
            for (std::size_t s = 0; s < k; ++s) {
                for (std::size_t code = 0; code < card; ++code) {
                    tables_[c][(code * k + s) * lanes + lane] = table[s * card + code];
                }
            }
        }
        for (std::size_t s = 0; s < k && d_; ++s) fill_gaussian(parameters, s, lane);
    }

    void fill_gaussian(const double* parameters, std::size_t s, std::size_t lane) {
        const double *slope = parameters + layout_.slopes + s * problem_.slopes(),
                     *variance = parameters + layout_.variances + s * d_;
        double base = 0;
        double* whitener = whiteners_.data() + s * d_ * (d_ + 1) / 2 * lanes + lane;
        for (std::size_t j = 0; j < d_; ++j) {
            const double root = 1 / std::sqrt(variance[j]);
            means_[(s * d_ + j) * lanes + lane] = parameters[layout_.means + s * d_ + j];
            base -= 0.5 * (std::log(variance[j]) + log_two_pi);
            for (std::size_t i = 0; i < j; ++i, whitener += lanes) *whitener = -*slope++ * root;
            *whitener = root;
            whitener += lanes;
        }
        bases_[s * lanes + lane] = base;
    }

    // The E-step of all lanes.
    void expect() {
        std::vector<ClimbTable> tables;
        for (std::size_t c = 0; c < tables_.size(); ++c) {
            std::fill(counts_[c].begin(), counts_[c].end(), 0.0);
            tables.push_back({rows_.codes[c].data(), tables_[c].data(), counts_[c].data()});
        }
        for (std::vector<double>* sums : {&first_, &moves_, &sums_}) std::fill(sums->begin(), sums->end(), 0.0);
        std::fill_n(log_likelihood_, lanes, 0.0);
        const ClimbPass pass{problem_.states,   tables.size(),      d_,                 start_.data(),
                             transition_.data(), tables.data(),      rows_.cells.data(), means_.data(),
                             whiteners_.data(), bases_.data(),      first_.data(),      moves_.data(),
                             sums_.data(),      likelihoods_.data(), messages_.data(),   inverses_.data(),
                             log_likelihood_};
        const SequenceRows& sequences = problem_.sequences;
        for (std::size_t k = 0; k < sequences.count; ++k) {
            stop_if_interrupted();
            const double weight = sequences.weights ? sequences.weights[k] : 1.0;
            if (sequences.length(k)) climb_loops()(pass, {sequences.first(k), sequences.length(k), weight});
        }
    }

    // Takes the objective of a lane, and improves its parameters; false if it has ended.
    bool improved(const ClimbResults& results, std::size_t lane, double tolerance) {
        double* parameters = parameters_of(results, lane);
        double& objective = results.objectives[lane];
        const double before = objective, now = log_likelihood_[lane] + climb_log_prior(problem_, parameters);
        const bool first = results.taken[lane] == 0;
        objective = std::isfinite(now) ? now : -std::numeric_limits<double>::infinity();
        if (!std::isfinite(now) || (!first && now - before < tolerance)) return false;
        gather_lane(lane);
        estimate_climb(problem_, layout_, own_counts_.data(), own_sums_.data(), parameters);
        fill_lane(parameters, lane);
        ++results.taken[lane];
        return true;
    }

    // The counts and sums of a lane in the order of the parameters.
    void gather_lane(std::size_t lane) {
        const std::size_t k = problem_.states;
        double* to = own_counts_.data();
        for (std::size_t i = 0; i < k; ++i) *to++ = first_[i * lanes + lane];
        for (std::size_t i = 0; i < k * k; ++i) *to++ = transition_[i * lanes + lane] * moves_[i * lanes + lane];
        for (std::size_t c = 0; c < counts_.size(); ++c) {
            for (std::size_t s = 0; s < k; ++s) {
                for (std::size_t code = 0; code < problem_.columns[c].card; ++code) {
                    *to++ = counts_[c][(code * k + s) * lanes + lane];
                }
            }
        }
        for (std::size_t at = 0; at * lanes < sums_.size(); ++at) own_sums_[at] = sums_[at * lanes + lane];
    }

    const ClimbProblem& problem_;
    const ClimbLayout& layout_;
    const ClimbRows& rows_;
    std::size_t d_;
    std::vector<double> start_, transition_, means_, whiteners_, bases_;
    std::vector<std::vector<double>> tables_, counts_;
    std::vector<double> first_, moves_, sums_, likelihoods_, messages_, inverses_, own_counts_, own_sums_;
    double log_likelihood_[lanes] = {};
};

}  // namespace

std::size_t ClimbProblem::table_cells() const {
    std::size_t total = states + states * states;
    for (const CodeColumn& column : columns) total += states * column.card;
    return total;
}

void climb_chains(const ClimbProblem& problem, const ClimbResults& results, std::size_t climbs, std::size_t steps,
                  double tolerance, int threads) {
    const ClimbLayout layout(problem);
    const ClimbRows rows(problem);
    const std::size_t groups = (climbs + chain_lanes - 1) / chain_lanes;
    const int workers = std::min<int>(usable_threads(threads), static_cast<int>(std::min<std::size_t>(groups, 1 << 20)));
    std::vector<EightClimbs> memory(std::max(workers, 1), EightClimbs(problem, layout, rows));
    std::fill_n(results.taken, climbs, std::int64_t{0});
    std::fill_n(results.objectives, climbs, std::numeric_limits<double>::quiet_NaN());
    parallel_for(groups, workers, [&](std::size_t group, int worker) {
        const std::size_t first = group * chain_lanes;
        const ClimbResults own{results.parameters + first * problem.cells(), results.objectives + first,
                               results.taken + first};
        memory[worker].run(own, std::min(chain_lanes, climbs - first), steps, tolerance);
    });
}

}  // namespace bayou
