// The backward pass of a step: the derivatives of the joint probability by every operand.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "bayou/base/underflow.hpp"
#include "slice_entries.hpp"
#include "slice_loops.hpp"
#include "slice_step.hpp"

namespace bayou {

template <typename Number>
bool SliceStep<Number>::backward(const Number* outgoing, Number* incoming, int tables) {
    run_backward(outgoing, incoming, tables, false);
    if constexpr (is_double<Number>) {
        if (joint() < small_total) {
            run_backward(outgoing, incoming, tables, true);
            if (!is_sound()) return false;
        }
    }
    const std::size_t given = program_->operands.size();
    for (std::size_t k = 0; incoming && k < given; ++k) {
        const SliceOperand& operand = program_->operands[k];
        if (operand.source != SliceSource::message) continue;
        const Number most = largest_entry(derivatives_[k], operand.entries);
        for (std::size_t i = 0; i < operand.entries; ++i) {
            incoming[operand.index + i] = most > Number(0.0) ? derivatives_[k][i] / most : Number(0.0);
        }
    }
    return true;
}

// The sum of the products of all entries with their derivatives, which is the same for every operand of the passes.
template <typename Number>
double SliceStep<Number>::joint() const {
    const SliceProgram& program = *program_;
    for (std::size_t k = 0; k < program.operands.size(); ++k) {
        if (!derivatives_[k] || is_number(k)) continue;
        if constexpr (is_double<Number>) return dot_product(values_[k], derivatives_[k], program.operands[k].entries);
    }
    return 1;
}

// Whether no product that was lost in a rescaled run can matter.
template <typename Number>
bool SliceStep<Number>::is_sound() const {
    const SliceProgram& program = *program_;
    for (std::size_t k = 0; k < program.operands.size() + program.passes.size(); ++k) {
        if (!derivatives_[k] || is_number(k)) continue;
        if constexpr (is_double<Number>) {
            const std::size_t entries = program.entries(k);
            const double whole = dot_product(values_[k], derivatives_[k], entries);
            const double most = largest_entry(values_[k], entries) * largest_entry(derivatives_[k], entries);
            if (!(whole > 0 && whole >= small_total * most)) return false;
        }
    }
    return true;
}

template <typename Number>
bool SliceStep<Number>::is_number(std::size_t operand) const {
    const auto& numbers = program_->numbers;
    return std::find(numbers.begin(), numbers.end(), operand) != numbers.end();
}

template <typename Number>
void SliceStep<Number>::run_backward(const Number* outgoing, Number* incoming, int tables, bool rescale) {
    const SliceProgram& program = *program_;
    const std::size_t given = program.operands.size(), all = given + program.passes.size();
    // Which derivatives are asked for, and which values these need.
    std::vector<char> asked(all), needed(all);
    for (std::size_t k = 0; k < all; ++k) {
        const bool other = k < given && program.operands[k].source != SliceSource::table;
        asked[k] = (incoming && program.has_message[k]) || (tables == 2 && !other) || (tables == 1 && program.has_wanted[k]);
    }
    for (std::size_t at = program.passes.size(); at-- > 0;) {
        const SlicePass& pass = program.passes[at];
        if (needed[given + at]) needed[pass.left] = needed[pass.right] = 1;
        if (asked[given + at]) {
            if (asked[pass.left]) needed[pass.right] = 1;
            if (asked[pass.right]) needed[pass.left] = 1;
        }
    }
    run_passes(false, rescale, rescale ? nullptr : needed.data());
    std::size_t size = 0;
    for (std::size_t k = 0; k < all; ++k) size += asked[k] ? program.entries(k) : 0;
    if (derivative_work_.size() < size) derivative_work_.resize(size);
    derivatives_.assign(all, nullptr);
    Number* free = derivative_work_.data();
    for (std::size_t k = 0; k < all; ++k) {
        if (!asked[k]) continue;
        derivatives_[k] = free;
        free += program.entries(k);
    }
    if (incoming) std::fill_n(incoming, program.incoming_entries, Number(1.0));  // where no pass uses the message
    for (std::size_t k = 0; k < given; ++k) {
        // A table that no pass has is the result itself, or a number.
        if (derivatives_[k]) std::fill_n(derivatives_[k], program.entries(k), Number(1.0));
    }
    if (derivatives_[program.result]) std::copy_n(outgoing, program.entries(program.result), derivatives_[program.result]);
    for (std::size_t at = program.passes.size(); at-- > 0;) {
        const SlicePass& pass = program.passes[at];
        const Number* by_result = derivatives_[given + at];
        if (!by_result) continue;
        if (Number* left = derivatives_[pass.left]) {
            left_derivatives(pass, left, program.entries(pass.left), value(pass.right), by_result);
            if constexpr (is_double<Number>) {
                if (rescale) rescaled(left, program.entries(pass.left));
            }
        }
        if (Number* right = derivatives_[pass.right]) {
            right_derivatives(pass, right, program.entries(pass.right), value(pass.left), by_result);
            if constexpr (is_double<Number>) {
                if (rescale) rescaled(right, program.entries(pass.right));
            }
        }
    }
}

template <typename Number>
const Number* SliceStep<Number>::share(std::size_t operand) {
    const std::size_t entries = program_->operands[operand].entries;
    shares_.resize(entries);
    for (std::size_t i = 0; i < entries; ++i) shares_[i] = values_[operand][i] * derivatives_[operand][i];
    const Number total = sum_entries(shares_.data(), entries);
    if (total > Number(0.0)) {
        for (Number& share : shares_) share /= total;
    }
    return shares_.data();
}

template bool SliceStep<double>::backward(const double*, double*, int);
template const double* SliceStep<double>::share(std::size_t);
template bool SliceStep<WideNumber>::backward(const WideNumber*, WideNumber*, int);
template const WideNumber* SliceStep<WideNumber>::share(std::size_t);

}  // namespace bayou
