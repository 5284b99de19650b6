#include "log_chain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bayou/base/interrupt.hpp"
#include "chain_bundle.hpp"

namespace bayou {

namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

double log_or_nothing(double p) { return p > 0 ? std::log(p) : minus_infinity; }

double log_sum(const double* logs, std::size_t count) {
    const double largest = *std::max_element(logs, logs + count);
    if (largest == minus_infinity) return minus_infinity;
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += std::exp(logs[i] - largest);
    return largest + std::log(sum);
}

// The messages of one sequence, [step, state] in logarithms.
class LogMessages {
  public:
    explicit LogMessages(const LogChainRun& run)
        : run_(run), k_(run.chain.states), terms_(k_), emitted_(run.length * k_), forward_(run.length * k_),
          transition_(k_ * k_) {
        for (std::size_t at = 0; at < k_ * k_; ++at) transition_[at] = log_or_nothing(run.chain.transition[at]);
        for (std::size_t t = 0; t < run.length; ++t) emission_logs(run.emissions, k_, run.first + t, &emitted_[t * k_]);
    }

    double run_forward() {
        for (std::size_t t = 0; t < run_.length; ++t) {
            if (t % 1024 == 0) stop_if_interrupted();
            for (std::size_t j = 0; j < k_; ++j) {
                forward_[t * k_ + j] = emitted_[t * k_ + j] + (t ? reached(t, j) : log_or_nothing(run_.chain.start[j]));
            }
        }
        for (std::size_t j = 0; j < k_; ++j) terms_[j] = forward_[(run_.length - 1) * k_ + j] + end(j);
        return log_likelihood_ = log_sum(terms_.data(), k_);
    }

    // What a step's filtered states sum to.
    double total(std::size_t t) const { return log_sum(&forward_[t * k_], k_); }
    double filtered(std::size_t t, std::size_t j) const { return forward_[t * k_ + j]; }

    void run_backward(const ChainResults& results, const LogChainCounts& counts) {
        std::vector<double> message(k_), after(k_), smoothed(k_);
        for (std::size_t j = 0; j < k_; ++j) message[j] = end(j);
        for (std::size_t t = run_.length; t-- > 0;) {
            if (t % 1024 == 0) stop_if_interrupted();
            for (std::size_t j = 0; j < k_; ++j) {
                smoothed[j] = run_.weight * std::exp(forward_[t * k_ + j] + message[j] - log_likelihood_);
            }
            take(t, smoothed, results, counts);
            if (t == 0) return;
            for (std::size_t j = 0; j < k_; ++j) after[j] = emitted_[t * k_ + j] + message[j];
            for (std::size_t i = 0; i < k_; ++i) {
                for (std::size_t j = 0; j < k_; ++j) {
                    terms_[j] = transition_[i * k_ + j] + after[j];
                    const double before = forward_[(t - 1) * k_ + i];
                    if (transition_[i * k_ + j] == minus_infinity || before == minus_infinity) continue;
                    counts.transition[i * counts.padded + j] +=
                        run_.weight * std::exp(before + terms_[j] - log_likelihood_) / run_.chain.transition[i * k_ + j];
                }
                message[i] = log_sum(terms_.data(), k_);
            }
        }
    }

  private:
    double end(std::size_t j) const { return run_.chain.end ? log_or_nothing(run_.chain.end[j]) : 0.0; }

    double reached(std::size_t t, std::size_t j) {
        for (std::size_t i = 0; i < k_; ++i) terms_[i] = forward_[(t - 1) * k_ + i] + transition_[i * k_ + j];
        return log_sum(terms_.data(), k_);
    }

    void take(std::size_t t, const std::vector<double>& smoothed, const ChainResults& results,
              const LogChainCounts& counts) const {
        const std::size_t row = run_.first + t;
        if (results.smoothed) std::copy(smoothed.begin(), smoothed.end(), results.smoothed + row * k_);
        for (std::size_t j = 0; j < k_; ++j) {
            if (t == 0) counts.start[j] += smoothed[j];
            if (t + 1 == run_.length) counts.end[j] += smoothed[j];
        }
        for (std::size_t c = 0; c < run_.emissions.coded.size(); ++c) {
            const CodedEmission& one = run_.emissions.coded[c];
            if (!one.counts) continue;
            double* to = (*counts.coded)[c].data() + std::size_t{emitted_code(one.column, row)} * k_;
            for (std::size_t j = 0; j < k_; ++j) to[j] += smoothed[j];
        }
        if (run_.emissions.gaussian.sums) add_moments(row, smoothed, counts.gaussian);
    }

    void add_moments(std::size_t row, const std::vector<double>& smoothed, double* to) const {
        const GaussianEmission& own = run_.emissions.gaussian;
        const std::size_t d = own.columns.size();
        const auto away = [&](std::size_t j, std::size_t a) { return own.columns[a].at(row) - own.means[j * d + a]; };
        for (std::size_t j = 0; j < k_; ++j) {
            const auto add = [&](double value) {
                *to += smoothed[j] * value;
                to += chain_lanes;
            };
            add(1.0);
            for (std::size_t a = 0; a < d; ++a) add(away(j, a));
            for (std::size_t a = 0; a < d; ++a) {
                for (std::size_t b = 0; b <= a; ++b) add(away(j, a) * away(j, b));
            }
        }
    }

    const LogChainRun& run_;
    std::size_t k_;
    std::vector<double> terms_, emitted_, forward_, transition_;
    double log_likelihood_ = 0;
};

}  // namespace

void emission_logs(const Emissions& emissions, std::size_t states, std::size_t row, double* logs) {
    std::fill_n(logs, states, 0.0);
    for (const CodedEmission& one : emissions.coded) {
        const double* table = one.table + std::size_t{emitted_code(one.column, row)} * states;
        for (std::size_t j = 0; j < states; ++j) logs[j] += log_or_nothing(table[j]);
    }
    for (std::size_t j = 0; emissions.logs && j < states; ++j) logs[j] += emissions.logs[row * states + j];
    const GaussianEmission& gaussian = emissions.gaussian;
    const std::size_t d = gaussian.columns.size();
    const double* whitener = gaussian.whiteners;
    for (std::size_t j = 0; d && j < states; ++j) {
        double squares = 0;
        for (std::size_t a = 0; a < d; ++a) {
            double residual = 0;
            for (std::size_t b = 0; b <= a; ++b) {
                residual += *whitener++ * (gaussian.columns[b].at(row) - gaussian.means[j * d + b]);
            }
            squares += residual * residual;
        }
        logs[j] += gaussian.bases[j] - 0.5 * squares;
    }
}

void carry_message(const HiddenChain& chain, const Emissions& emissions, std::size_t rows, bool backward, bool best,
                   double* message) {
    const std::size_t k = chain.states;
    // Moves into a state stand together on the way forward, moves out of it on the way back.
    std::vector<double> moves(k * k), terms(k), emitted(k), next(k);
    for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t j = 0; j < k; ++j) {
            moves[backward ? i * k + j : j * k + i] = log_or_nothing(chain.transition[i * k + j]);
        }
    }
    const auto move = [&] {
        for (std::size_t j = 0; j < k; ++j) {
            for (std::size_t i = 0; i < k; ++i) terms[i] = message[i] + moves[j * k + i];
            next[j] = best ? *std::max_element(terms.begin(), terms.end()) : log_sum(terms.data(), k);
        }
        std::copy(next.begin(), next.end(), message);
    };
    for (std::size_t step = 0; step < rows; ++step) {
        if (step % 1024 == 0) stop_if_interrupted();
        if (step) move();
        emission_logs(emissions, k, backward ? rows - 1 - step : step, emitted.data());
        for (std::size_t j = 0; j < k; ++j) message[j] += emitted[j];
    }
}

double run_log_chain(const LogChainRun& run, const ChainResults& results, const LogChainCounts& counts) {
    LogMessages messages(run);
    const double log_likelihood = messages.run_forward();
    const std::size_t k = run.chain.states;
    double before = 0;
    for (std::size_t t = 0; t < run.length; ++t) {
        const double total = messages.total(t);
        const std::size_t row = run.first + t;
        const bool possible = total > minus_infinity;
        if (results.step_logs) results.step_logs[row] = possible ? total - before : minus_infinity;
        for (std::size_t j = 0; results.filtered && j < k; ++j) {
            results.filtered[row * k + j] = possible ? std::exp(messages.filtered(t, j) - total) : 0.0;
        }
        before = total;
    }
    if (log_likelihood > minus_infinity && results.backward(run.emissions)) messages.run_backward(results, counts);
    return log_likelihood;
}

}  // namespace bayou
