// One long sequence smoothed from both ends at once, by two threads.
#pragma once

#include <algorithm>
#include <numeric>

#include "bayou/base/threads.hpp"
#include "sequence_run.hpp"

namespace bayou {

// One thread goes forwards to the middle, the other backwards; then each goes on through the other's half, where the
// messages that it meets give the answers. The bits are those of one run there and back, whatever the number of threads.
class BothEnds {
  public:
    BothEnds(const SlicePrograms& programs, const SliceRows& rows, const SliceResults& results)
        : results_(results), behind_(programs, rows, results), ahead_(programs, rows, results) {
        behind_.start(0);
        ahead_.start(0);
        end_ = behind_.end();
        middle_ = end_ / 2;
    }

    // For sequences that are long enough to gain, whose answers are in the messages, and whose messages fit.
    static bool suits(const SlicePrograms& programs, const SliceRows& rows, const SliceResults& results, std::size_t kept) {
        if (rows.sequences != 1 || results.counts || rows.rows < 16) return false;
        for (const SliceProgram* program : programs) {
            if (program->factored || (!results.beliefs.empty() && !program->table_marginals.empty())) return false;
        }
        std::size_t entries = 0;
        for (std::size_t row = 0; row < rows.rows; ++row) entries += programs[rows.programs[row]]->outgoing_entries;
        return entries >= least_entries && entries <= kept;
    }

    // False: doubles may have lost something, or the findings are impossible; to be run again from one end.
    bool smooth(int threads) {
        messages_.resize(end_);
        bool fine[2] = {true, true};
        parallel_for(2, threads, [&](std::size_t side, int) { fine[side] = side == 0 ? go_forwards() : go_backwards(); });
        if (!fine[0] || !fine[1] || !is_sound(messages_[middle_ - 1], meeting_)) return false;
        parallel_for(2, threads, [&](std::size_t side, int) { fine[side] = side == 0 ? end_forwards() : end_backwards(); });
        results_.logs[0] = log_;
        return fine[0] && fine[1];
    }

  private:
    static constexpr std::size_t least_entries = 10'000;
    // The message from ahead was computed without that from behind: what it lost is below 1e-40 of its largest entry.
    static constexpr double least_share = 1e-30;

    static bool is_sound(const std::vector<double>& behind, const std::vector<double>& ahead) {
        return std::inner_product(behind.begin(), behind.end(), ahead.begin(), 0.0) >= least_share;
    }

    bool go_forwards() {
        for (std::size_t row = 0; row < middle_; ++row) {
            const double* incoming = row > 0 ? messages_[row - 1].data() : &one_;
            if (!behind_.advance(row, incoming, messages_[row], log_)) return false;
        }
        return true;
    }

    bool go_backwards() {
        std::vector<double> ones;
        messages_[end_ - 1].assign(ahead_.program_of(end_ - 1).outgoing_entries, 1.0);
        for (std::size_t row = end_; row-- > middle_;) {
            std::vector<double>& earlier = row > middle_ ? messages_[row - 1] : meeting_;
            if (ones.size() < ahead_.program_of(row).incoming_entries) ones.resize(ahead_.program_of(row).incoming_entries, 1.0);
            if (!ahead_.retreat(row, ones.data(), messages_[row].data(), earlier)) return false;
        }
        return true;
    }

    bool end_forwards() {
        std::vector<double> incoming = messages_[middle_ - 1], outgoing;
        for (std::size_t row = middle_; row < end_; ++row) {
            if (!behind_.advance(row, incoming.data(), outgoing, log_) || !is_sound(outgoing, messages_[row])) return false;
            behind_.write_beliefs(behind_.program_of(row), row, outgoing.data(), messages_[row].data());
            incoming.swap(outgoing);
        }
        return true;
    }

    bool end_backwards() {
        std::vector<double> later = meeting_, earlier;
        for (std::size_t row = middle_; row-- > 0;) {
            const double* incoming = row > 0 ? messages_[row - 1].data() : &one_;
            ahead_.write_beliefs(ahead_.program_of(row), row, messages_[row].data(), later.data());
            if (!ahead_.retreat(row, incoming, later.data(), earlier)) return false;
            later.swap(earlier);
        }
        return true;
    }

    const SliceResults& results_;
    SequenceRun<double> behind_, ahead_;
    std::size_t end_ = 0, middle_ = 0;
    double log_ = 0;
    const double one_ = 1.0;
    std::vector<double> meeting_;
    // Before the middle those from behind, after it those from ahead, each at the end of its row.
    std::vector<std::vector<double>> messages_;
};

}  // namespace bayou
