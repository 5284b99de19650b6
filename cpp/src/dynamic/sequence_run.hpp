// One sequence run through the programs of its slices, in doubles or in numbers of any range.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "bayou/base/interrupt.hpp"
#include "bayou/base/underflow.hpp"
#include "slice_step.hpp"

namespace bayou {

using SlicePrograms = std::vector<const SliceProgram*>;
using TableCounts = std::vector<std::vector<std::vector<double>>>;

// The messages of one sequence. If they are too many, those at the starts of stretches are kept, and the messages of one
// stretch at a time are computed again.
//
// Doubles lose what is below e^-708 times the probability of all findings so far. That is noticed, and matters only if
// the probability of the findings since has fallen below e^-600: then states that seemed impossible may be the only ones
// that are left. Such a sequence has to be run again in wide numbers, and the methods say so.
template <typename Number>
class SequenceRun {
  public:
    SequenceRun(const SlicePrograms& programs, const SliceRows& rows, const SliceResults& results)
        : programs_(programs), rows_(rows), results_(results), step_(rows) {}

    void start(std::size_t sequence) {
        sequence_ = sequence;
        first_ = static_cast<std::size_t>(rows_.starts[sequence]);
        end_ = static_cast<std::size_t>(rows_.starts[sequence + 1]);
        weight_ = rows_.weights ? rows_.weights[sequence] : 1.0;
        underflowed_ = false;
        fallen_ = 0;
    }

    std::size_t first() const { return first_; }
    std::size_t end() const { return end_; }

    // False: to be run again in wide numbers.
    bool filter() {
        const Number* incoming = one_.data();
        std::vector<Number>* pair[2] = {&ahead_, &behind_};
        double total = 0;
        for (std::size_t row = first_; row < end_; ++row) {
            stop_if_interrupted();
            std::vector<Number>& outgoing = *pair[(row - first_) % 2];
            const SliceProgram& program = program_of(row);
            outgoing.resize(program.outgoing_entries);
            step_.enter(program, row, first_, incoming);
            const double log = step_.forward(outgoing.data(), false);
            if (!is_safe()) return false;
            total += log;
            if (results_.step_logs) results_.step_logs[row] = log;
            if (log == impossible) {
                for (std::size_t rest = row + 1; results_.step_logs && rest < end_; ++rest) results_.step_logs[rest] = impossible;
                break;
            }
            write_beliefs(program, row, outgoing.data(), nullptr);
            if (!results_.beliefs.empty() && !program.table_marginals.empty()) {
                if (program.parts.empty()) {  // otherwise forward() has run it backwards already
                    ones_.assign(program.entries(program.result), Number(1.0));
                    if (!step_.backward(ones_.data(), nullptr, 1)) return false;
                }
                write_table_beliefs(program, row);
            }
            incoming = outgoing.data();
        }
        results_.logs[sequence_] = total;
        return true;
    }

    // Smooths the rows before `end` and adds their counts. Returns the end of the rows that must be done in wide numbers:
    // those after it are right; first() if all are.
    std::size_t smooth(std::size_t kept_entries, TableCounts* counts, std::size_t end) {
        if (!forward(kept_entries, false)) return end_;
        if (results_.logs[sequence_] == impossible) return first_;
        std::vector<Number> later, earlier;
        if (end_ > first_) later.assign(program_of(end_ - 1).outgoing_entries, Number(1.0));
        std::size_t left = first_;
        for_rows_backwards(false, [&](std::size_t row, const Number* incoming, const Number* outgoing) {
            const SliceProgram& program = program_of(row);
            const bool written = row < end;
            if (written) write_beliefs(program, row, outgoing, later.data());
            earlier.resize(program.incoming_entries);
            step_.enter(program, row, first_, incoming, program.factored ? later.data() : nullptr);
            const bool wanted = !results_.beliefs.empty() && !program.table_marginals.empty();
            const int tables = !written ? 0 : counts ? 2 : wanted ? 1 : 0;
            if (!step_.backward(program.factored ? one_.data() : later.data(), earlier.data(), tables)) {
                left = row + 1;
                return false;
            }
            if (written && wanted) write_table_beliefs(program, row);
            if (written && counts) add_counts(program, (*counts)[rows_.programs[row]]);
            later.swap(earlier);
            return true;
        });
        return left;
    }

    // False: to be run again in wide numbers.
    bool best_path(std::size_t kept_entries) {
        if (!forward(kept_entries, true)) return false;
        if (results_.logs[sequence_] == impossible) return true;
        std::vector<std::uint32_t> values(std::max(most_variables(), rows_.variables));
        std::size_t cell = SIZE_MAX;
        for_rows_backwards(true, [&](std::size_t row, const Number* incoming, const Number* outgoing) {
            const SliceProgram& program = program_of(row);
            if (cell == SIZE_MAX) {
                cell = static_cast<std::size_t>(std::max_element(outgoing, outgoing + program.outgoing_entries) - outgoing);
            }
            std::fill(values.begin(), values.end(), UINT32_MAX);
            again_.resize(program.outgoing_entries);
            step_.enter(program, row, first_, incoming);
            step_.forward(again_.data(), true);
            cell = step_.trace(cell, values);
            for (std::size_t k = 0; k < rows_.variables; ++k) {
                if (values[k] != UINT32_MAX) results_.paths[k * rows_.rows + row] = values[k];
            }
            return true;
        });
        return true;
    }

    static constexpr double impossible = -std::numeric_limits<double>::infinity();

    const SliceProgram& program_of(std::size_t row) const { return *programs_[rows_.programs[row]]; }

    // One row forwards: the outgoing message, and its log is added. False: to be run again in wide numbers, or impossible.
    bool advance(std::size_t row, const Number* incoming, std::vector<Number>& outgoing, double& log) {
        stop_if_interrupted();
        outgoing.resize(program_of(row).outgoing_entries);
        step_.enter(program_of(row), row, first_, incoming);
        log += step_.forward(outgoing.data(), false);
        return is_safe() && log != impossible;
    }

    // One row backwards, for the message from the slices after the one before. False: to be run again in wide numbers.
    bool retreat(std::size_t row, const Number* incoming, const Number* later, std::vector<Number>& earlier) {
        stop_if_interrupted();
        earlier.resize(program_of(row).incoming_entries);
        step_.enter(program_of(row), row, first_, incoming);
        return step_.backward(later, earlier.data(), 0);
    }

    // P(variable | what the message from behind, and the one from ahead if there is one, know).
    void write_beliefs(const SliceProgram& program, std::size_t row, const Number* message, const Number* by) {
        if (results_.beliefs.empty() || program.message_marginals.empty()) return;
        const std::size_t entries = program.outgoing_entries;
        left_over_.resize(entries);
        for (std::size_t i = 0; i < entries; ++i) left_over_[i] = by ? message[i] * by[i] : message[i];
        std::size_t summed = 1;  // entries that each one of left_over_ is the sum of
        for (SliceMarginal one : program.message_marginals) {
            const std::size_t together = one.inner / summed;
            for (std::size_t i = 0; together > 1 && i < entries / one.inner; ++i) {
                Number sum = 0;
                for (std::size_t j = 0; j < together; ++j) sum += left_over_[i * together + j];
                left_over_[i] = sum;
            }
            summed = one.inner;
            one.inner = 1;
            sum_marginal(one, left_over_.data(), results_.beliefs[one.wanted] + row * results_.belief_states[one.wanted]);
        }
    }

  private:

    std::size_t most_variables() const {
        std::size_t most = 0;
        for (const SliceProgram* program : programs_) {
            for (const auto* axes : {&program->incoming, &program->outgoing}) {
                for (const MessageAxis& axis : *axes) most = std::max(most, axis.variable + 1);
            }
            for (const SlicePass& pass : program->passes) {
                for (const SliceAxis& axis : pass.axes) most = std::max(most, axis.variable + 1);
            }
        }
        return most;
    }

    // After a step forwards: whether nothing that was lost can matter.
    bool is_safe() {
        if (underflowed_) {
            fallen_ += step_.message_log();
        } else if (step_.underflowed()) {
            underflowed_ = true;
            fallen_ = step_.fallen();
        }
        return !underflowed_ || fallen_ > safe_log;
    }

    // Runs the whole sequence forwards and sets its log P; false if it has to be run again in wide numbers.
    bool forward(std::size_t kept_entries, bool maximum) {
        std::size_t entries = 0;
        for (std::size_t row = first_; row < end_; ++row) entries += program_of(row).outgoing_entries;
        const std::size_t length = end_ - first_;
        stretch_ = entries <= kept_entries ? std::max<std::size_t>(length, 1)
                                           : static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(length))));
        checkpoints_.clear();
        double total = 0;
        std::vector<Number> incoming = one_;
        for (std::size_t from = first_; from < end_; from += stretch_) {
            checkpoints_.push_back(incoming);
            const std::size_t to = std::min(end_, from + stretch_);
            total += run_stretch(from, to, incoming, stretch_ >= length, maximum);
            if (underflowed_ && !(fallen_ > safe_log)) return false;
            if (total == impossible) break;
        }
        results_.logs[sequence_] = total;
        return true;
    }

    // Computes the messages of some rows from `incoming`, which becomes the last one; `keep`: all in messages_.
    double run_stretch(std::size_t from, std::size_t to, std::vector<Number>& incoming, bool keep, bool maximum) {
        double total = 0;
        if (keep) messages_.resize(std::max(messages_.size(), to - from));
        std::vector<Number> own;
        for (std::size_t row = from; row < to; ++row) {
            stop_if_interrupted();
            const SliceProgram& program = program_of(row);
            std::vector<Number>& outgoing = keep ? messages_[row - from] : own;
            outgoing.resize(program.outgoing_entries);
            const Number* before = keep && row > from ? messages_[row - from - 1].data() : incoming.data();
            step_.enter(program, row, first_, before);
            total += step_.forward(outgoing.data(), maximum);
            if (!is_safe() || total == impossible) return total;
            if (!keep) incoming.swap(own);
        }
        if (keep && to > from) incoming = messages_[to - from - 1];
        return total;
    }

    // Calls body(row, incoming message, outgoing message) from the last row to the first, until it returns false.
    template <typename Body>
    void for_rows_backwards(bool maximum, const Body& body) {
        for (std::size_t at = checkpoints_.size(); at-- > 0;) {
            const std::size_t from = first_ + at * stretch_, to = std::min(end_, from + stretch_);
            if (checkpoints_.size() > 1) {
                // Messages that were found safe before; what they lose is not counted twice.
                underflowed_ = false;
                std::vector<Number> incoming = checkpoints_[at];
                run_stretch(from, to, incoming, true, maximum);
            }
            for (std::size_t row = to; row-- > from;) {
                stop_if_interrupted();
                const Number* incoming = row > from ? messages_[row - from - 1].data() : checkpoints_[at].data();
                if (!body(row, incoming, messages_[row - from].data())) return;
            }
        }
    }

    void write_table_beliefs(const SliceProgram& program, std::size_t row) {
        for (const SliceMarginal& one : program.table_marginals) {
            sum_marginal(one, step_.share(one.operand),
                         results_.beliefs[one.wanted] + row * results_.belief_states[one.wanted]);
        }
    }

    void add_counts(const SliceProgram& program, std::vector<std::vector<double>>& counts) {
        for (std::size_t k = 0; k < program.operands.size(); ++k) {
            const SliceOperand& operand = program.operands[k];
            if (operand.source != SliceSource::table) continue;
            double* own = counts[operand.index].data() + step_.offset(k);
            const Number* share = step_.share(k);
            for (std::size_t i = 0; i < operand.entries; ++i) own[i] += weight_ * static_cast<double>(share[i]);
        }
    }

    const SlicePrograms& programs_;
    const SliceRows& rows_;
    const SliceResults& results_;
    SliceStep<Number> step_;
    const std::vector<Number> one_{Number(1.0)};
    std::size_t sequence_ = 0, first_ = 0, end_ = 0, stretch_ = 1;
    double weight_ = 1, fallen_ = 0;
    bool underflowed_ = false;
    std::vector<Number> ahead_, behind_, ones_, again_, left_over_;
    std::vector<std::vector<Number>> checkpoints_, messages_;
};

}  // namespace bayou
