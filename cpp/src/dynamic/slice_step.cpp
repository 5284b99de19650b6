#include "slice_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "bayou/base/underflow.hpp"
#include "slice_loops.hpp"

namespace bayou {

namespace {

// Below this a sum of products may have lost entries to underflow: the step is run again, each result rescaled.
constexpr double small_total = 1e-200;
// A result is rescaled when its largest entry is below this.
constexpr double small_entry = 1e-50;

template <typename Number>
constexpr bool is_double = std::is_same_v<Number, double>;

template <typename Number>
Number largest_entry(const Number* values, std::size_t entries) {
    Number most = 0;
    for (std::size_t i = 0; i < entries; ++i) most = std::max(most, values[i]);
    return most;
}

template <typename Number>
Number sum_entries(const Number* values, std::size_t entries) {
    Number lane[4] = {};
    std::size_t i = 0;
    for (; i + 4 <= entries; i += 4) {
        for (std::size_t k = 0; k < 4; ++k) lane[k] += values[i + k];
    }
    for (; i < entries; ++i) lane[0] += values[i];
    lane[0] += lane[1];
    lane[2] += lane[3];
    return lane[0] += lane[2];
}

double dot_product(const double* a, const double* b, std::size_t entries) {
    double sum = 0;
    for (std::size_t i = 0; i < entries; ++i) sum += a[i] * b[i];
    return sum;
}

// Divides by the largest entry if that is small, and returns the log of it.
double rescaled(double* values, std::size_t entries) {
    const double most = largest_entry(values, entries);
    if (!(most > 0) || most >= small_entry) return 0;
    // In two parts: 1 / most may be infinite.
    const double half = 1 / std::sqrt(most);
    for (std::size_t i = 0; i < entries; ++i) values[i] = values[i] * half * half;
    return std::log(most);
}

}  // namespace

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
