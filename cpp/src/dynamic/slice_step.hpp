// One step of one sequence: the program of a row, run forwards and backwards in memory of its own; in doubles, or in
// numbers of any range where these could lose something.
#pragma once

#include <type_traits>
#include <vector>

#include "bayou/base/wide_number.hpp"
#include "bayou/dynamic/slice_runner.hpp"

namespace bayou {

template <typename Number>
class SliceStep {
  public:
    explicit SliceStep(const SliceRows& rows) : rows_(rows) {}

    // Sets the program and the tables of a row; `incoming` must live until the next call, and so must `later`, the parts of
    // the message from the slices after this one (factored programs only; null: ones).
    void enter(const SliceProgram& program, std::size_t row, std::size_t first_row, const Number* incoming,
               const Number* later = nullptr);

    // Writes the outgoing message, divided by its sum (or its maximum), and returns the log of what it was divided by;
    // minus infinity if all entries are 0.
    double forward(Number* outgoing, bool maximum);

    // Of the last forward(): that log without the numbers beside the message; whether a product was too small for a double,
    // and the log of what all was multiplied with since. What was lost is below e^-700 of the whole before it.
    double message_log() const { return message_log_; }
    bool underflowed() const { return underflowed_; }
    double fallen() const { return message_log_ - log_before_loss_; }

    // The derivatives of log P by the incoming message (divided by the largest one) given those by the outgoing one.
    // `tables`: 0 none, 1 those with a wanted marginal, 2 all; afterwards share(operand, …) has their posteriors.
    // False if doubles may have lost something that matters.
    bool backward(const Number* outgoing, Number* incoming, int tables);

    // The posterior of the entries of a table, after backward(); sums to 1 (or is all 0).
    const Number* share(std::size_t operand);
    std::size_t offset(std::size_t operand) const { return offsets_[operand]; }

    // The best values of all variables of the program, given the entry of the outgoing message: `values` by variable.
    // Returns the entry of the incoming message. forward(…, true) must have run before.
    std::size_t trace(std::size_t outgoing, std::vector<std::uint32_t>& values) const;

  private:
    const Number* value(std::size_t operand) const { return values_[operand]; }
    const Number* entered(const double* values, std::size_t entries, std::size_t at);
    std::size_t offset_of(const SliceOperand& operand, std::size_t row, std::size_t first_row) const;
    double run_passes(bool maximum, bool rescale, const char* needed);
    void run_backward(const Number* outgoing, Number* incoming, int tables, bool rescale);
    // The parts of a factored message; a number 1 if there are none.
    void send_parts(Number* outgoing);
    void note_loss(double log);
    double joint() const;
    bool is_sound() const;
    bool is_number(std::size_t operand) const;

    const SliceRows& rows_;
    const SliceProgram* program_ = nullptr;
    const Number number_one_ = 1;
    std::vector<const Number*> values_;
    std::vector<std::size_t> offsets_;
    std::vector<Number> given_, ones_, work_, derivative_work_, shares_;
    std::vector<Number*> derivatives_;
    bool underflowed_ = false;
    double log_before_loss_ = 0, message_log_ = 0;
};

// P(states) from entries [outer][state][inner], divided by their sum.
template <typename Number, typename Share>
void sum_marginal(const SliceMarginal& one, const Number* entries, Share* out) {
    Number total = 0;
    std::vector<Number> wide;
    Number* sums;
    if constexpr (std::is_same_v<Number, Share>) {
        sums = out;
    } else {
        wide.resize(one.states);
        sums = wide.data();
    }
    for (std::size_t state = 0; state < one.states; ++state) {
        Number sum = 0;
        for (std::size_t outer = 0; outer < one.outer; ++outer) {
            const Number* from = entries + (outer * one.states + state) * one.inner;
            for (std::size_t i = 0; i < one.inner; ++i) sum += from[i];
        }
        sums[state] = sum;
        total += sum;
    }
    for (std::size_t state = 0; state < one.states; ++state) {
        out[state] = static_cast<Share>(total > Number(0.0) ? sums[state] / total : sums[state]);
    }
}

}  // namespace bayou
