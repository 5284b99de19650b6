#include "slice_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "slice_loops.hpp"

namespace bayou {

namespace {

// Below this a sum of products may have lost entries to underflow: the step is run again, each result rescaled.
constexpr double small_total = 1e-200;
// A result is rescaled when its largest entry is below this.
constexpr double small_entry = 1e-50;
constexpr double number_one = 1;

double largest_entry(const double* values, std::size_t entries) {
    double most = 0;
    for (std::size_t i = 0; i < entries; ++i) most = std::max(most, values[i]);
    return most;
}

double sum_entries(const double* values, std::size_t entries) {
    double lane[4] = {};
    std::size_t i = 0;
    for (; i + 4 <= entries; i += 4) {
        for (std::size_t k = 0; k < 4; ++k) lane[k] += values[i + k];
    }
    for (; i < entries; ++i) lane[0] += values[i];
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
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

void SliceStep::enter(const SliceProgram& program, std::size_t row, std::size_t first_row, const double* incoming) {
    program_ = &program;
    const std::size_t given = program.operands.size();
    values_.resize(given + program.passes.size());
    offsets_.resize(given);
    if (work_.size() < program.work_entries) work_.resize(program.work_entries);
    for (std::size_t k = 0; k < given; ++k) {
        const SliceOperand& operand = program.operands[k];
        if (operand.source == SliceSource::message) {
            values_[k] = incoming + operand.index;
            continue;
        }
        if (operand.source == SliceSource::one) {
            values_[k] = &number_one;
            continue;
        }
        if (operand.source == SliceSource::likelihood) {
            values_[k] = rows_.likelihoods[operand.index] + row * operand.entries;
            continue;
        }
        std::size_t offset = 0;
        for (const SlicePick& pick : operand.picks) {
            if (row < first_row + pick.age) throw std::invalid_argument("a slice program looks back beyond the first row");
            const std::uint32_t code = rows_.codes[pick.column * rows_.rows + row - pick.age];
            if (code >= pick.states) throw std::invalid_argument("a code is out of range, or missing where it is needed");
            offset += code * pick.stride;
        }
        offsets_[k] = offset;
        values_[k] = program.tables[operand.index].data() + offset;
    }
    for (std::size_t at = 0; at < program.passes.size(); ++at) values_[given + at] = work_.data() + program.work_starts[at];
}

double SliceStep::run_passes(bool maximum, bool rescale, const char* needed) {
    const std::size_t given = program_->operands.size();
    double log = 0;
    for (std::size_t at = 0; at < program_->passes.size(); ++at) {
        if (needed && !needed[given + at]) continue;
        const SlicePass& pass = program_->passes[at];
        double* out = work_.data() + program_->work_starts[at];
        (maximum ? maximum_pass : sum_pass)(pass, value(pass.left), value(pass.right), out);
        if (rescale) log += rescaled(out, pass.entries);
    }
    return log;
}

double SliceStep::forward(double* outgoing, bool maximum) {
    const std::size_t entries = program_->entries(program_->result);
    const auto total_of = [&](const double* found) {
        return maximum ? largest_entry(found, entries) : sum_entries(found, entries);
    };
    double log = run_passes(maximum, false, nullptr);
    const double* found = value(program_->result);
    double total = total_of(found);
    if (total < small_total) {
        log = run_passes(maximum, true, nullptr);
        total = total_of(found);
    }
    for (const std::size_t number : program_->numbers) log += std::log(*value(number));
    if (!(total > 0) || log == -std::numeric_limits<double>::infinity()) {
        std::fill_n(outgoing, program_->outgoing_entries, 0.0);
        return -std::numeric_limits<double>::infinity();
    }
    if (program_->factored) {
        send_parts(outgoing);
    } else {
        for (std::size_t i = 0; i < entries; ++i) outgoing[i] = found[i] / total;
    }
    return log + std::log(total);
}

void SliceStep::send_parts(double* outgoing) {
    if (program_->parts.empty()) {
        *outgoing = 1;
        return;
    }
    const double one = 1;
    backward(&one, nullptr, 1);
    for (const SliceMarginal& part : program_->parts) {
        sum_marginal(part, share(part.operand), outgoing);
        outgoing += part.states;
    }
}

void SliceStep::backward(const double* outgoing, double* incoming, int tables) {
    run_backward(outgoing, incoming, tables, false);
    bool lost = incoming && largest_entry(incoming, program_->incoming_entries) < small_total;
    if (tables) {
        const std::size_t given = program_->operands.size();
        for (std::size_t k = 0; k < given && !lost; ++k) {
            if (derivatives_[k] && program_->operands[k].source == SliceSource::table) {
                lost = largest_entry(derivatives_[k], program_->operands[k].entries) < small_total;
            }
        }
    }
    if (lost) run_backward(outgoing, incoming, tables, true);
    if (incoming) {
        const double most = largest_entry(incoming, program_->incoming_entries);
        if (most > 0) {
            for (std::size_t i = 0; i < program_->incoming_entries; ++i) incoming[i] /= most;
        }
    }
}

void SliceStep::run_backward(const double* outgoing, double* incoming, int tables, bool rescale) {
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
    run_passes(false, rescale, needed.data());
    std::size_t size = 0;
    for (std::size_t k = 0; k < all; ++k) size += asked[k] ? program.entries(k) : 0;
    if (derivative_work_.size() < size) derivative_work_.resize(size);
    derivatives_.assign(all, nullptr);
    double* free = derivative_work_.data();
    for (std::size_t k = 0; k < all; ++k) {
        if (!asked[k]) continue;
        derivatives_[k] = free;
        free += program.entries(k);
    }
    if (incoming) std::fill_n(incoming, program.incoming_entries, 1.0);  // where no pass uses the message
    for (std::size_t k = 0; k < given; ++k) {
        // A table that no pass has is the result itself, or a number.
        if (derivatives_[k]) std::fill_n(derivatives_[k], program.entries(k), 1.0);
    }
    if (derivatives_[program.result]) std::copy_n(outgoing, program.entries(program.result), derivatives_[program.result]);
    for (std::size_t at = program.passes.size(); at-- > 0;) {
        const SlicePass& pass = program.passes[at];
        const double* by_result = derivatives_[given + at];
        if (!by_result) continue;
        if (double* left = derivatives_[pass.left]) {
            left_derivatives(pass, left, program.entries(pass.left), value(pass.right), by_result);
            if (rescale) rescaled(left, program.entries(pass.left));
        }
        if (double* right = derivatives_[pass.right]) {
            right_derivatives(pass, right, program.entries(pass.right), value(pass.left), by_result);
            if (rescale) rescaled(right, program.entries(pass.right));
        }
    }
    for (std::size_t k = 0; incoming && k < given; ++k) {
        if (program.operands[k].source == SliceSource::message) {
            std::copy_n(derivatives_[k], program.incoming_entries, incoming);
        }
    }
}

const double* SliceStep::share(std::size_t operand) {
    const std::size_t entries = program_->operands[operand].entries;
    shares_.resize(entries);
    for (std::size_t i = 0; i < entries; ++i) shares_[i] = values_[operand][i] * derivatives_[operand][i];
    const double total = sum_entries(shares_.data(), entries);
    if (total > 0) {
        for (double& share : shares_) share /= total;
    }
    return shares_.data();
}

std::size_t SliceStep::trace(std::size_t outgoing, std::vector<std::uint32_t>& values) const {
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
        double best = -1;
        for (bool more = true; more;) {
            std::size_t l = left, r = right;
            for (std::size_t k = 0; k < open.size(); ++k) {
                l += digits[k] * open[k]->left;
                r += digits[k] * open[k]->right;
            }
            const double found = value(pass.left)[l] * value(pass.right)[r];
            if (found > best) {
                best = found;
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

void sum_marginal(const SliceMarginal& one, const double* entries, double* out) {
    double total = 0;
    for (std::size_t state = 0; state < one.states; ++state) {
        double sum = 0;
        for (std::size_t outer = 0; outer < one.outer; ++outer) {
            const double* from = entries + (outer * one.states + state) * one.inner;
            for (std::size_t i = 0; i < one.inner; ++i) sum += from[i];
        }
        out[state] = sum;
        total += sum;
    }
    if (total > 0) {
        for (std::size_t state = 0; state < one.states; ++state) out[state] /= total;
    }
}

}  // namespace bayou
