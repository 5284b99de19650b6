#include "bayou/dynamic/slice_runner.hpp"

#include <algorithm>
#include <stdexcept>

#include "bayou/base/threads.hpp"
#include "both_ends.hpp"
#include "sequence_run.hpp"

namespace bayou {

namespace {

// Sequences are cut into so many parts at most, each with counts of its own, which are added in order.
constexpr std::size_t most_parts = 32;

using Programs = SlicePrograms;

// Calls body(run, wide run, part) for every sequence; part p has sequences of its own, whatever the number of threads.
template <typename Body>
void for_sequences(const Programs& programs, const SliceRows& rows, const SliceResults& results, int threads, const Body& body) {
    const std::size_t parts = std::min(rows.sequences, most_parts);
    parallel_for(parts, threads, [&](std::size_t part, int) {
        SequenceRun<double> run(programs, rows, results);
        SequenceRun<WideNumber> wide(programs, rows, results);
        const std::size_t to = (part + 1) * rows.sequences / parts;
        for (std::size_t at = part * rows.sequences / parts; at < to; ++at) {
            run.start(at);
            wide.start(at);
            body(run, wide, part);
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
    for_sequences(programs, rows, results, threads, [](auto& run, auto& wide, std::size_t) {
        if (!run.filter()) wide.filter();
    });
}

void smooth_slices(const Programs& programs, const SliceRows& rows, const SliceResults& results, std::size_t kept_entries,
                   int threads) {
    if (BothEnds::suits(programs, rows, results, kept_entries) && BothEnds(programs, rows, results).smooth(threads)) return;
    std::vector<TableCounts> counts;
    if (results.counts) counts.assign(std::min(rows.sequences, most_parts), empty_counts(programs));
    for_sequences(programs, rows, results, threads, [&](auto& run, auto& wide, std::size_t part) {
        TableCounts* own = results.counts ? &counts[part] : nullptr;
        const std::size_t end = run.smooth(kept_entries, own, run.end());
        if (end > run.first()) wide.smooth(kept_entries / 2, own, end);  // they take twice the memory
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
    for (const SliceProgram* program : programs) {
        if (program->factored) throw std::invalid_argument("factored programs have no best paths");
    }
    for_sequences(programs, rows, results, threads, [&](auto& run, auto& wide, std::size_t) {
        if (!run.best_path(kept_entries)) wide.best_path(kept_entries / 2);
    });
}

}  // namespace bayou
