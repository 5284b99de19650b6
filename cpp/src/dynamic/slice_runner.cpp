#include "bayou/dynamic/slice_runner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "bayou/base/interrupt.hpp"
#include "bayou/base/threads.hpp"
#include "slice_step.hpp"

namespace bayou {

namespace {

constexpr double impossible = -std::numeric_limits<double>::infinity();
// Sequences are cut into so many parts at most, each with counts of its own, which are added in order.
constexpr std::size_t most_parts = 32;

using Programs = std::vector<const SliceProgram*>;
using TableCounts = std::vector<std::vector<std::vector<double>>>;

// The messages of one sequence. If they are too many, those at the starts of stretches are kept, and the messages of one
// stretch at a time are computed again.
class SequenceRun {
  public:
    SequenceRun(const Programs& programs, const SliceRows& rows, const SliceResults& results)
        : programs_(programs), rows_(rows), results_(results), step_(rows), one_{1.0} {}

    void start(std::size_t sequence) {
        sequence_ = sequence;
        first_ = static_cast<std::size_t>(rows_.starts[sequence]);
        end_ = static_cast<std::size_t>(rows_.starts[sequence + 1]);
        weight_ = rows_.weights ? rows_.weights[sequence] : 1.0;
    }

    void filter() {
        const double* incoming = one_.data();
        std::vector<double>* pair[2] = {&ahead_, &behind_};
        double total = 0;
        for (std::size_t row = first_; row < end_; ++row) {
            stop_if_interrupted();
            std::vector<double>& outgoing = *pair[(row - first_) % 2];
            const SliceProgram& program = program_of(row);
            outgoing.resize(program.outgoing_entries);
            step_.enter(program, row, first_, incoming);
            const double log = step_.forward(outgoing.data(), false);
            total += log;
            if (results_.step_logs) results_.step_logs[row] = log;
            if (log == impossible) {
                for (std::size_t rest = row + 1; results_.step_logs && rest < end_; ++rest) results_.step_logs[rest] = impossible;
                break;
            }
            write_beliefs(program, row, outgoing.data(), nullptr);
            if (!results_.beliefs.empty() && !program.table_marginals.empty()) {
                if (program.parts.empty()) {  // otherwise forward() has run it backwards already
                    ones_.assign(program.entries(program.result), 1.0);
                    step_.backward(ones_.data(), nullptr, 1);
                }
                write_table_beliefs(program, row);
            }
            incoming = outgoing.data();
        }
        results_.logs[sequence_] = total;
    }

    void smooth(std::size_t kept_entries, TableCounts* counts) {
        if (!forward(kept_entries, false)) return;
        std::vector<double> later, earlier;
        if (end_ > first_) later.assign(program_of(end_ - 1).outgoing_entries, 1.0);
        const int tables = counts ? 2 : results_.beliefs.empty() ? 0 : 1;
        for_rows_backwards(false, [&](std::size_t row, const double* incoming, const double* outgoing) {
            const SliceProgram& program = program_of(row);
            write_beliefs(program, row, outgoing, later.data());
            earlier.resize(program.incoming_entries);
            step_.enter(program, row, first_, incoming);
            step_.backward(later.data(), earlier.data(), tables == 1 && program.table_marginals.empty() ? 0 : tables);
            if (!results_.beliefs.empty()) write_table_beliefs(program, row);
            if (counts) add_counts(program, (*counts)[rows_.programs[row]]);
            later.swap(earlier);
        });
    }

    void best_path(std::size_t kept_entries) {
        if (!forward(kept_entries, true)) return;
        std::size_t most = 0;
        for (const SliceProgram* program : programs_) {
            for (const auto* axes : {&program->incoming, &program->outgoing}) {
                for (const MessageAxis& axis : *axes) most = std::max(most, axis.variable + 1);
            }
            for (const SlicePass& pass : program->passes) {
                for (const SliceAxis& axis : pass.axes) most = std::max(most, axis.variable + 1);
            }
        }
        std::vector<std::uint32_t> values(std::max(most, rows_.variables));
        std::size_t cell = SIZE_MAX;
        for_rows_backwards(true, [&](std::size_t row, const double* incoming, const double* outgoing) {
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
        });
    }

  private:
    const SliceProgram& program_of(std::size_t row) const { return *programs_[rows_.programs[row]]; }

    // Runs the whole sequence forwards; false if it is impossible.
    bool forward(std::size_t kept_entries, bool maximum) {
        std::size_t entries = 0;
        for (std::size_t row = first_; row < end_; ++row) entries += program_of(row).outgoing_entries;
        const std::size_t length = end_ - first_;
        stretch_ = entries <= kept_entries ? std::max<std::size_t>(length, 1)
                                           : static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(length))));
        checkpoints_.clear();
        double total = 0;
        std::vector<double> incoming = one_, outgoing;
        for (std::size_t from = first_; from < end_; from += stretch_) {
            checkpoints_.push_back(incoming);
            const std::size_t to = std::min(end_, from + stretch_);
            total += run_stretch(from, to, incoming, stretch_ >= length, maximum);
            if (total == impossible) break;
        }
        results_.logs[sequence_] = total;
        return total != impossible;
    }

    // Computes the messages of some rows from `incoming`, which becomes the last one; `keep`: all in messages_.
    double run_stretch(std::size_t from, std::size_t to, std::vector<double>& incoming, bool keep, bool maximum) {
        double total = 0;
        if (keep) messages_.resize(std::max(messages_.size(), to - from));
        std::vector<double> own;
        for (std::size_t row = from; row < to; ++row) {
            stop_if_interrupted();
            const SliceProgram& program = program_of(row);
            std::vector<double>& outgoing = keep ? messages_[row - from] : own;
            outgoing.resize(program.outgoing_entries);
            const double* before = keep && row > from ? messages_[row - from - 1].data() : incoming.data();
            step_.enter(program, row, first_, before);
            total += step_.forward(outgoing.data(), maximum);
            if (total == impossible) return total;
            if (!keep) incoming.swap(own);
        }
        if (keep && to > from) incoming = messages_[to - from - 1];
        return total;
    }

    // Calls body(row, incoming message, outgoing message) from the last row to the first.
    template <typename Body>
    void for_rows_backwards(bool maximum, const Body& body) {
        for (std::size_t at = checkpoints_.size(); at-- > 0;) {
            const std::size_t from = first_ + at * stretch_, to = std::min(end_, from + stretch_);
            if (checkpoints_.size() > 1) {
                std::vector<double> incoming = checkpoints_[at];
                run_stretch(from, to, incoming, true, maximum);
            }
            for (std::size_t row = to; row-- > from;) {
                stop_if_interrupted();
                const double* incoming = row > from ? messages_[row - from - 1].data() : checkpoints_[at].data();
                body(row, incoming, messages_[row - from].data());
            }
        }
    }

    void write_beliefs(const SliceProgram& program, std::size_t row, const double* message, const double* by) {
        if (results_.beliefs.empty() || program.message_marginals.empty()) return;
        const std::size_t entries = program.outgoing_entries;
        left_over_.resize(entries);
        for (std::size_t i = 0; i < entries; ++i) left_over_[i] = by ? message[i] * by[i] : message[i];
        std::size_t summed = 1;  // entries that each one of left_over_ is the sum of
        for (SliceMarginal one : program.message_marginals) {
            const std::size_t together = one.inner / summed;
            for (std::size_t i = 0; together > 1 && i < entries / one.inner; ++i) {
                double sum = 0;
                for (std::size_t j = 0; j < together; ++j) sum += left_over_[i * together + j];
                left_over_[i] = sum;
            }
            summed = one.inner;
            one.inner = 1;
            sum_marginal(one, left_over_.data(), results_.beliefs[one.wanted] + row * results_.belief_states[one.wanted]);
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
            const double* share = step_.share(k);
            for (std::size_t i = 0; i < operand.entries; ++i) own[i] += weight_ * share[i];
        }
    }

    const Programs& programs_;
    const SliceRows& rows_;
    const SliceResults& results_;
    SliceStep step_;
    const std::vector<double> one_;
    std::size_t sequence_ = 0, first_ = 0, end_ = 0, stretch_ = 1;
    double weight_ = 1;
    std::vector<double> ahead_, behind_, ones_, again_, left_over_;
    std::vector<std::vector<double>> checkpoints_, messages_;
};

// Calls body(run, part) for every sequence; part p has sequences of its own, whatever the number of threads.
template <typename Body>
void for_sequences(const Programs& programs, const SliceRows& rows, const SliceResults& results, int threads, const Body& body) {
    const std::size_t parts = std::min(rows.sequences, most_parts);
    parallel_for(parts, threads, [&](std::size_t part, int) {
        SequenceRun run(programs, rows, results);
        const std::size_t to = (part + 1) * rows.sequences / parts;
        for (std::size_t at = part * rows.sequences / parts; at < to; ++at) {
            run.start(at);
            body(run, part);
        }
    });
}

TableCounts empty_counts(const Programs& programs) {
    TableCounts counts;
    for (const SliceProgram* program : programs) {
        counts.emplace_back();
        for (const auto& table : program->tables) counts.back().emplace_back(table.size(), 0.0);
    }
    return counts;
}

}  // namespace

void check_slices(const Programs& programs, const SliceRows& rows, const SliceResults& results) {
    const auto require = [](bool fine, const char* problem) {
        if (!fine) throw std::invalid_argument(problem);
    };
    require(rows.starts[0] == 0, "starts: expected 0 first");
    for (std::size_t at = 0; at < rows.sequences; ++at) require(rows.starts[at] <= rows.starts[at + 1], "starts must not fall");
    require(static_cast<std::size_t>(rows.starts[rows.sequences]) == rows.rows, "starts: expected the number of rows last");
    for (const SliceProgram* program : programs) {
        for (const SliceOperand& operand : program->operands) {
            if (operand.source == SliceSource::likelihood) {
                require(operand.index < rows.likelihoods.size() && rows.likelihood_states[operand.index] == operand.entries,
                        "likelihoods: expected one for each state");
            }
            for (const SlicePick& pick : operand.picks) require(pick.column < rows.variables, "a pick has no column");
        }
        for (const auto* marginals : {&program->message_marginals, &program->table_marginals}) {
            for (const SliceMarginal& one : *marginals) {
                require(results.beliefs.empty() || (one.wanted < results.beliefs.size() &&
                                                    results.belief_states[one.wanted] == one.states),
                        "a marginal has no place");
            }
        }
    }
    for (std::size_t at = 0; at < rows.sequences; ++at) {
        std::size_t entries = 1;
        for (auto row = static_cast<std::size_t>(rows.starts[at]); row < static_cast<std::size_t>(rows.starts[at + 1]); ++row) {
            require(rows.programs[row] < programs.size(), "a row has no program");
            const SliceProgram& program = *programs[rows.programs[row]];
            require(program.incoming_entries == entries, "a message does not fit the next program");
            entries = program.outgoing_entries;
        }
    }
}

void filter_slices(const Programs& programs, const SliceRows& rows, const SliceResults& results, int threads) {
    for_sequences(programs, rows, results, threads, [](SequenceRun& run, std::size_t) { run.filter(); });
}

namespace {

void refuse_factored(const Programs& programs) {
    for (const SliceProgram* program : programs) {
        if (program->factored) throw std::invalid_argument("factored programs run forwards only");
    }
}

}  // namespace

void smooth_slices(const Programs& programs, const SliceRows& rows, const SliceResults& results, std::size_t kept_entries,
                   int threads) {
    refuse_factored(programs);
    std::vector<TableCounts> counts;
    if (results.counts) counts.assign(std::min(rows.sequences, most_parts), empty_counts(programs));
    for_sequences(programs, rows, results, threads, [&](SequenceRun& run, std::size_t part) {
        run.smooth(kept_entries, results.counts ? &counts[part] : nullptr);
    });
    if (!results.counts) return;
    *results.counts = empty_counts(programs);
    for (const TableCounts& part : counts) {
        for (std::size_t p = 0; p < part.size(); ++p) {
            for (std::size_t t = 0; t < part[p].size(); ++t) {
                for (std::size_t i = 0; i < part[p][t].size(); ++i) (*results.counts)[p][t][i] += part[p][t][i];
            }
        }
    }
}

void best_slices(const Programs& programs, const SliceRows& rows, const SliceResults& results, std::size_t kept_entries,
                 int threads) {
    refuse_factored(programs);
    for_sequences(programs, rows, results, threads, [&](SequenceRun& run, std::size_t) { run.best_path(kept_entries); });
}

}  // namespace bayou
