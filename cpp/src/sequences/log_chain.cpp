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

// A sum of many numbers that keeps what each addition rounds off (Neumaier 1974).
class CarefulSum {
  public:
    void add(double number) {
        const double next = sum_ + number;
        lost_ += std::abs(sum_) >= std::abs(number) ? (sum_ - next) + number : (number - next) + sum_;
        sum_ = next;
    }
    double value() const { return sum_ + lost_; }

  private:
    double sum_ = 0, lost_ = 0;
};

// Subtracts `from` from all logarithms, which may be -inf.
void subtract(double from, double* logs, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) logs[i] -= from;
}

// The messages of one sequence, [step, state] in logarithms. Each is divided by its sum: after millions of steps the
// difference of two states would have lost its digits in the probability of all rows.
class LogMessages {
  public:
    explicit LogMessages(const LogChainRun& run)
        : run_(run), k_(run.chain.states), terms_(k_), emitted_(run.length * k_), forward_(run.length * k_),
          transition_(k_ * k_), scales_(run.length) {
        for (std::size_t at = 0; at < k_ * k_; ++at) transition_[at] = log_or_nothing(run.chain.transition[at]);
        for (std::size_t t = 0; t < run.length; ++t) emission_logs(run.emissions, k_, run.first + t, &emitted_[t * k_]);
    }

    // The log-likelihood; -inf stops at the row that is impossible.
    double run_forward() {
        CarefulSum total;
        for (std::size_t t = 0; t < run_.length; ++t) {
            if (t % 1024 == 0) stop_if_interrupted();
            double* now = &forward_[t * k_];
            for (std::size_t j = 0; j < k_; ++j) {
                now[j] = emitted_[t * k_ + j] + (t ? reached(t, j) : log_or_nothing(run_.chain.start[j]));
            }
            scales_[t] = log_sum(now, k_);
            if (scales_[t] == minus_infinity) {
                std::fill(scales_.begin() + t, scales_.end(), minus_infinity);
                std::fill(forward_.begin() + t * k_, forward_.end(), minus_infinity);
                return minus_infinity;
            }
            subtract(scales_[t], now, k_);
            total.add(scales_[t]);
        }
        for (std::size_t j = 0; j < k_; ++j) terms_[j] = forward_[(run_.length - 1) * k_ + j] + end(j);
        const double ended = log_sum(terms_.data(), k_);
        total.add(ended);
        return ended == minus_infinity ? minus_infinity : total.value();
    }

    // log P(row | rows before it), and log P(state | rows so far).
    double step_log(std::size_t t) const { return scales_[t]; }
    double filtered(std::size_t t, std::size_t j) const { return forward_[t * k_ + j]; }

    // Going back, the messages are scaled so that the states of a row sum to 1 again: with the scales of the way forward
    // the errors of all rows would add up.
    void run_backward(const ChainResults& results, const LogChainCounts& counts) {
        std::vector<double> message(k_), after(k_), smoothed(k_), moves(k_ * k_);
        for (std::size_t j = 0; j < k_; ++j) message[j] = end(j);
        scale_to_one(run_.length - 1, message);
        for (std::size_t t = run_.length; t-- > 0;) {
            if (t % 1024 == 0) stop_if_interrupted();
            for (std::size_t j = 0; j < k_; ++j) {
                smoothed[j] = run_.weight * std::exp(forward_[t * k_ + j] + message[j]);
            }
            take(t, smoothed, results, counts);
            if (t == 0) return;
            for (std::size_t j = 0; j < k_; ++j) after[j] = emitted_[t * k_ + j] + message[j];
            for (std::size_t i = 0; i < k_; ++i) {
                for (std::size_t j = 0; j < k_; ++j) moves[i * k_ + j] = transition_[i * k_ + j] + after[j];
                message[i] = log_sum(&moves[i * k_], k_);
            }
            count_moves(t - 1, moves, scale_to_one(t - 1, message), counts);
        }
    }

  private:
    double end(std::size_t j) const { return run_.chain.end ? log_or_nothing(run_.chain.end[j]) : 0.0; }

    double reached(std::size_t t, std::size_t j) {
        for (std::size_t i = 0; i < k_; ++i) terms_[i] = forward_[(t - 1) * k_ + i] + transition_[i * k_ + j];
        return log_sum(terms_.data(), k_);
    }

    // Divides a message on the way back so that P(state | all rows) of row t sums to 1; the log of the divisor.
    double scale_to_one(std::size_t t, std::vector<double>& message) {
        for (std::size_t j = 0; j < k_; ++j) terms_[j] = forward_[t * k_ + j] + message[j];
        const double scale = log_sum(terms_.data(), k_);
        subtract(scale, message.data(), k_);
        return scale;
    }

    // Adds the moves from row t to the next one, given by log P(move, what follows | state of row t) and their scale.
    void count_moves(std::size_t t, const std::vector<double>& moves, double scale, const LogChainCounts& counts) const {
        for (std::size_t i = 0; i < k_; ++i) {
            const double before = forward_[t * k_ + i];
            for (std::size_t j = 0; j < k_; ++j) {
                if (transition_[i * k_ + j] == minus_infinity || before == minus_infinity) continue;
                counts.transition[i * counts.padded + j] +=
                    run_.weight * std::exp(before + moves[i * k_ + j] - scale) / run_.chain.transition[i * k_ + j];
            }
        }
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
    std::vector<double> terms_, emitted_, forward_, transition_, scales_;
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

double carry_message(const HiddenChain& chain, const Emissions& emissions, std::size_t rows, bool backward, bool best,
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
    CarefulSum scale;
    for (std::size_t step = 0; step < rows; ++step) {
        if (step % 1024 == 0) stop_if_interrupted();
        if (step) move();
        emission_logs(emissions, k, backward ? rows - 1 - step : step, emitted.data());
        for (std::size_t j = 0; j < k; ++j) message[j] += emitted[j];
        const double largest = *std::max_element(message, message + k);
        if (largest == minus_infinity) return minus_infinity;
        subtract(largest, message, k);
        scale.add(largest);
    }
    return scale.value();
}

double run_log_chain(const LogChainRun& run, const ChainResults& results, const LogChainCounts& counts) {
    LogMessages messages(run);
    const double log_likelihood = messages.run_forward();
    const std::size_t k = run.chain.states;
    for (std::size_t t = 0; t < run.length; ++t) {
        const std::size_t row = run.first + t;
        if (results.step_logs) results.step_logs[row] = messages.step_log(t);
        for (std::size_t j = 0; results.filtered && j < k; ++j) {
            results.filtered[row * k + j] = std::exp(messages.filtered(t, j));
        }
    }
    if (log_likelihood > minus_infinity && results.backward(run.emissions)) messages.run_backward(results, counts);
    return log_likelihood;
}

}  // namespace bayou
