#include "slice_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "bayou/base/underflow.hpp"
#include "slice_entries.hpp"
#include "slice_loops.hpp"

namespace bayou {

// Tables and likelihoods are doubles: wide numbers are made of them in memory of their own.
template <>
const double* SliceStep<double>::entered(const double* values, std::size_t, std::size_t) {
    return values;
}

template <>
const WideNumber* SliceStep<WideNumber>::entered(const double* values, std::size_t entries, std::size_t at) {
    std::copy_n(values, entries, given_.begin() + static_cast<std::ptrdiff_t>(at));
    return given_.data() + at;
}

template <typename Number>
void SliceStep<Number>::enter(const SliceProgram& program, std::size_t row, std::size_t first_row, const Number* incoming,
                              const Number* later) {
    program_ = &program;
    const std::size_t given = program.operands.size();
    values_.resize(given + program.passes.size());
    offsets_.resize(given);
    if (work_.size() < program.work_entries) work_.resize(program.work_entries);
    if (!later && ones_.size() < program.outgoing_entries) ones_.assign(program.outgoing_entries, Number(1.0));
    if constexpr (!is_double<Number>) {
        std::size_t entries = 0;
        for (const SliceOperand& operand : program.operands) entries += operand.entries;
        if (given_.size() < entries) given_.resize(entries);
    }
    std::size_t at = 0;
    for (std::size_t k = 0; k < given; ++k) {
        const SliceOperand& operand = program.operands[k];
        switch (operand.source) {
            case SliceSource::message: values_[k] = incoming + operand.index; break;
            case SliceSource::later: values_[k] = (later ? later : ones_.data()) + operand.index; break;
            case SliceSource::one: values_[k] = &number_one_; break;
            case SliceSource::likelihood:
                values_[k] = entered(rows_.likelihoods[operand.index] + row * operand.entries, operand.entries, at);
                break;
            case SliceSource::table:
                offsets_[k] = offset_of(operand, row, first_row);
                values_[k] = entered(program.tables[operand.index].data() + offsets_[k], operand.entries, at);
                break;
        }
        at += operand.entries;
    }
    for (std::size_t pass = 0; pass < program.passes.size(); ++pass) {
        values_[given + pass] = work_.data() + program.work_starts[pass];
    }
}

template <typename Number>
std::size_t SliceStep<Number>::offset_of(const SliceOperand& operand, std::size_t row, std::size_t first_row) const {
    std::size_t offset = 0;
    for (const SlicePick& pick : operand.picks) {
        if (row < first_row + pick.age) throw std::invalid_argument("a slice program looks back beyond the first row");
        const std::uint32_t code = rows_.codes[pick.column * rows_.rows + row - pick.age];
        if (code >= pick.states) throw std::invalid_argument("a code is out of range, or missing where it is needed");
        offset += code * pick.stride;
    }
    return offset;
}

template <typename Number>
double SliceStep<Number>::run_passes(bool maximum, bool rescale, const char* needed) {
    const std::size_t given = program_->operands.size();
    double log = 0;
    for (std::size_t at = 0; at < program_->passes.size(); ++at) {
        if (needed && !needed[given + at]) continue;
        const SlicePass& pass = program_->passes[at];
        Number* out = work_.data() + program_->work_starts[at];
        if (maximum) maximum_pass(pass, value(pass.left), value(pass.right), out);
        else sum_pass(pass, value(pass.left), value(pass.right), out);
        if constexpr (is_double<Number>) {
            if (rescale) {
                note_loss(log);
                log += rescaled(out, pass.entries);
            }
        }
    }
    return log;
}

// Remembers the log before the first product that was too small for a double.
template <typename Number>
void SliceStep<Number>::note_loss(double log) {
    if (is_double<Number> && !underflowed_ && has_underflowed()) {
        underflowed_ = true;
        log_before_loss_ = log;
    }
}

template <typename Number>
double SliceStep<Number>::forward(Number* outgoing, bool maximum) {
    constexpr double impossible = -std::numeric_limits<double>::infinity();
    const std::size_t entries = program_->entries(program_->result);
    const auto total_of = [&](const Number* found) {
        return maximum ? largest_entry(found, entries) : sum_entries(found, entries);
    };
    underflowed_ = false;
    log_before_loss_ = 0;
    if constexpr (is_double<Number>) forget_underflow();
    double log = run_passes(maximum, false, nullptr);
    const Number* found = value(program_->result);
    Number total = total_of(found);
    if constexpr (is_double<Number>) {
        if (total < small_total) {
            forget_underflow();
            log = run_passes(maximum, true, nullptr);
            total = total_of(found);
        }
    }
    if (!(total > Number(0.0))) {
        note_loss(log);
        std::fill_n(outgoing, program_->outgoing_entries, Number(0.0));
        return message_log_ = impossible;
    }
    if (program_->factored) {
        send_parts(outgoing);
    } else {
        for (std::size_t i = 0; i < entries; ++i) outgoing[i] = found[i] / total;
    }
    note_loss(log);
    message_log_ = log + log_of(total);
    double numbers = 0;
    for (const std::size_t number : program_->numbers) numbers += log_of(*value(number));
    return message_log_ + numbers;
}

template <typename Number>
void SliceStep<Number>::send_parts(Number* outgoing) {
    if (program_->parts.empty()) {
        *outgoing = 1;
        return;
    }
    const Number one = 1;
    if (!backward(&one, nullptr, 1)) {
        underflowed_ = true;
        log_before_loss_ = std::numeric_limits<double>::infinity();
    }
    for (const SliceMarginal& part : program_->parts) {
        const Number* shares = share(part.operand);
        sum_marginal(part, shares, outgoing);
        outgoing += part.states;
    }
}

template <typename Number>
std::size_t SliceStep<Number>::trace(std::size_t outgoing, std::vector<std::uint32_t>& values) const {
    const SliceProgram& program = *program_;
    for (std::size_t k = program.outgoing.size(); k-- > 0;) {
        const MessageAxis& axis = program.outgoing[k];
        values[axis.variable] = static_cast<std::uint32_t>(outgoing % axis.size);
        outgoing /= axis.size;
    }
    for (std::size_t at = program.passes.size(); at-- > 0;) {
        const SlicePass& pass = program.passes[at];
        std::size_t left = 0, right = 0;
        std::vector<const SliceAxis*> open;
        for (const SliceAxis& axis : pass.axes) {
            if (axis.out || axis.size == 1) {
                if (axis.size == 1) values[axis.variable] = 0;
                left += values[axis.variable] * axis.left;
                right += values[axis.variable] * axis.right;
            } else {
                open.push_back(&axis);
                values[axis.variable] = 0;
            }
        }
        if (open.empty()) continue;
        // All combinations of the summed variables, the first best one wins.
        std::vector<std::size_t> digits(open.size(), 0);
        Number best = 0;
        bool first = true;
        for (bool more = true; more;) {
            std::size_t l = left, r = right;
            for (std::size_t k = 0; k < open.size(); ++k) {
                l += digits[k] * open[k]->left;
                r += digits[k] * open[k]->right;
            }
            const Number found = value(pass.left)[l] * value(pass.right)[r];
            if (first || found > best) {
                best = found;
                first = false;
                for (std::size_t k = 0; k < open.size(); ++k) {
                    values[open[k]->variable] = static_cast<std::uint32_t>(digits[k]);
                }
            }
            more = false;
            for (std::size_t k = open.size(); k-- > 0;) {
                if (++digits[k] < open[k]->size) {
                    more = true;
                    break;
                }
                digits[k] = 0;
            }
        }
    }
    std::size_t cell = 0;
    for (const MessageAxis& axis : program.incoming) cell = cell * axis.size + values[axis.variable];
    return cell;
}

template class SliceStep<double>;
template class SliceStep<WideNumber>;

}  // namespace bayou
