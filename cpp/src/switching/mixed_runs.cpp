// Whole sequences: filtered, smoothed, and the expected statistics of their lines.
#include <algorithm>

#include "bayou/base/threads.hpp"
#include "mixed_pass.hpp"

namespace bayou {

namespace {

using switching::MixedPass;
using switching::MixedSmoother;

// Sequences cut into parts of some thousand rows, which threads share; the parts do not depend on the threads. Where each
// part has numbers of its own, there are so few parts that all together have at most `most_numbers`.
class MixedParts {
  public:
    explicit MixedParts(const MixedRows& rows, std::size_t numbers_of_a_part = 0) {
        constexpr std::size_t most_numbers = std::size_t{1} << 24;
        const std::size_t parts = std::max<std::size_t>(most_numbers / (numbers_of_a_part + 1), 1);
        const std::int64_t least = std::max<std::int64_t>(2048, rows.starts[rows.count] / static_cast<std::int64_t>(parts) + 1);
        std::int64_t begun = 0;
        for (std::size_t k = 0; k < rows.count; ++k) {
            if (k == 0 || rows.starts[k] - begun >= least) {
                first_.push_back(k);
                begun = rows.starts[k];
            }
        }
        failed.assign(first_.size(), -1);
        first_.push_back(rows.count);
    }
    std::size_t size() const { return failed.size(); }

    // Calls body(part, sequence), which returns the row that has no density, or -1, for every sequence.
    template <typename Make>
    std::int64_t run(int threads, const Make& make) {
        parallel_for(size(), threads, [&](std::size_t part, int) {
            auto body = make(part);
            for (std::size_t k = first_[part]; k < first_[part + 1]; ++k) {
                const std::int64_t row = body(k);
                if (row >= 0 && failed[part] < 0) failed[part] = row;
            }
        });
        for (const std::int64_t row : failed) {
            if (row >= 0) return row;
        }
        return -1;
    }

  private:
    std::vector<std::size_t> first_;
    std::vector<std::int64_t> failed;
};

std::int64_t filter_mixed_sequence(MixedPass& pass, const MixedTemplate& model, const MixedRows& rows,
                                   std::size_t number, const MixedFiltered& results) {
    const std::size_t m = model.variables;
    double total = 0;
    pass.begin();
    for (std::int64_t row = rows.starts[number]; row < rows.starts[number + 1]; ++row) {
        const auto at = static_cast<std::size_t>(row);
        if (!pass.take(at)) return row;
        total += pass.log_density();
        if (results.step_logs) results.step_logs[at] = pass.log_density();
        if (results.means) std::copy_n(pass.now().mean.data(), m, results.means + at * m);
        if (results.covariances) pass.covariance(m, results.covariances + at * m * m);
    }
    results.log_likelihoods[number] = total;
    return -1;
}

// The sums of the lines of one part of the sequences.
class LineStatistics {
  public:
    explicit LineStatistics(const MixedTemplate& model) : model_(model) {
        for (const LineBlock& block : model.lines) {
            const std::size_t size = block.parents + 1;
            weight.emplace_back(block.groups);
            first.emplace_back(block.groups * size);
            second.emplace_back(block.groups * size * size);
        }
    }

    std::size_t numbers() const {
        std::size_t total = 0;
        for (const auto* sums : {&weight, &first, &second}) {
            for (const auto& block : *sums) total += block.size();
        }
        return total;
    }

    void add(const MixedRows& rows, MixedSmoother& pass, double w) {
        const MixedSlice& slice = model_.slices[rows.slices[pass.row()]];
        if (!pass.is_first()) pass.look_back();
        for (const GaussianLine& line : slice.lines) {
            if (!rows.are_set[pass.row() * model_.variables + line.place]) add_line(line, pass, w);
        }
    }
    void add_to(const std::vector<LineSums>& sums) const {
        for (std::size_t b = 0; b < sums.size(); ++b) {
            for (std::size_t i = 0; i < weight[b].size(); ++i) sums[b].weight[i] += weight[b][i];
            for (std::size_t i = 0; i < first[b].size(); ++i) sums[b].first[i] += first[b][i];
            for (std::size_t i = 0; i < second[b].size(); ++i) sums[b].second[i] += second[b][i];
        }
    }

  private:
    void add_line(const GaussianLine& line, const MixedSmoother& pass, double w) {
        const std::size_t n = model_.places, size = line.parents.size() + 1;
        const std::size_t group = switching::group_of(line.groups, pass.old_cells(), pass.cells());
        members_.assign(line.parents.begin(), line.parents.end());
        members_.push_back({false, line.place});
        weight[line.block][group] += w;
        double *one = first[line.block].data() + group * size, *two = second[line.block].data() + group * size * size;
        for (std::size_t i = 0; i < size; ++i) {
            const MixedPlace a = members_[i];
            const double x = (a.old ? pass.old_mean() : pass.mean())[a.at];
            one[i] += w * x;
            for (std::size_t j = 0; j < size; ++j) {
                const MixedPlace b = members_[j];
                const double y = (b.old ? pass.old_mean() : pass.mean())[b.at];
                double both;
                if (a.old == b.old) {
                    both = (a.old ? pass.old_covariance() : pass.covariance())[a.at * n + b.at];
                } else {
                    both = pass.cross()[a.old ? b.at * n + a.at : a.at * n + b.at];
                }
                two[i * size + j] += w * (x * y + both);
            }
        }
    }

    const MixedTemplate& model_;
    std::vector<MixedPlace> members_;
    std::vector<std::vector<double>> weight, first, second;  // by block
};

}  // namespace

std::int64_t filter_mixed(const MixedTemplate& model, const MixedRows& rows, const MixedFiltered& results, int threads) {
    return MixedParts(rows).run(threads, [&](std::size_t) {
        return [&, pass = MixedPass(model, rows, false)](std::size_t k) mutable {
            return filter_mixed_sequence(pass, model, rows, k, results);
        };
    });
}

std::int64_t smooth_mixed(const MixedTemplate& model, const MixedRows& rows, const MixedFiltered& results, int threads) {
    const std::size_t n = model.places, m = model.variables;
    return MixedParts(rows).run(threads, [&](std::size_t) {
        return [&, pass = MixedSmoother(model, rows)](std::size_t k) mutable {
            const std::int64_t failed = pass.filter(k, results.log_likelihoods[k]);
            while (failed < 0 && pass.back()) {
                std::copy_n(pass.mean(), m, results.means + pass.row() * m);
                for (std::size_t i = 0; i < m; ++i) {
                    std::copy_n(pass.covariance() + i * n, m, results.covariances + (pass.row() * m + i) * m);
                }
            }
            return failed;
        };
    });
}

std::int64_t expect_mixed(const MixedTemplate& model, const MixedRows& rows, double* log_likelihoods,
                          const std::vector<LineSums>& sums, int threads) {
    const LineStatistics empty(model);
    MixedParts parts(rows, empty.numbers());
    std::vector<LineStatistics> found(parts.size(), empty);
    const std::int64_t failed = parts.run(threads, [&](std::size_t part) {
        return [&, part, pass = MixedSmoother(model, rows)](std::size_t k) mutable {
            const std::int64_t row = pass.filter(k, log_likelihoods[k]);
            while (row < 0 && pass.back()) found[part].add(rows, pass, rows.weights ? rows.weights[k] : 1.0);
            return row;
        };
    });
    for (const LineStatistics& part : found) part.add_to(sums);
    return failed;
}

}  // namespace bayou
