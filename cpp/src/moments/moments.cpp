// Two passes: means first, then sums of products of the deviations from the means. The second pass also sums the
// deviations themselves, which corrects the rounding error of the first.
#include "bayou/moments/moments.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "bayou/base/cpu.hpp"
#include "bayou/base/threads.hpp"
#include "bayou/data/codes.hpp"

namespace bayou {

namespace {

constexpr std::size_t least_part_rows = 16384;
constexpr std::size_t most_parts = 64;
constexpr std::size_t segment_rows = 256;
constexpr std::size_t lanes = 8;

// The rows of one part that are counted, sorted by group (in row order within a group).
struct SortedRows {
    std::size_t begin = 0;             // the part's first row
    std::vector<std::uint32_t> order;  // from `begin`; empty where every row counts and there is one group
    std::vector<std::size_t> starts;   // of each group in `order`, and the end
};

struct Part {
    std::vector<double> weight, sum, products;  // q, q*k, q*k*k: of deviations in the second pass
};

double sum_of(const double* values, std::size_t count) {
    double lane[lanes] = {};
    for (std::size_t at = 0; at < count; at += lanes) {
        for (std::size_t i = 0; i < lanes; ++i) lane[i] += values[at + i];
    }
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

BAYOU_INLINE double dot_body(const double* x, const double* y, std::size_t count) {
    double lane[lanes] = {};
    for (std::size_t at = 0; at < count; at += lanes) {
        for (std::size_t i = 0; i < lanes; ++i) lane[i] += x[at + i] * y[at + i];
    }
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

double dot_plain(const double* x, const double* y, std::size_t count) { return dot_body(x, y, count); }
BAYOU_TARGET_AVX2 double dot_avx2(const double* x, const double* y, std::size_t count) {
    return dot_body(x, y, count);
}

class Moments {
  public:
    Moments(const MomentInput& input, int threads)
        : input_(input), q_(input.n_groups), k_(input.columns.size()), threads_(threads) {
        const std::size_t least = std::max(least_part_rows, q_ * (1 + k_ + k_ * k_));
        // Positions within a part are 32-bit numbers: beyond 2**38 rows there are more parts.
        const std::size_t longest = std::size_t{1} << 32;
        parts_ = std::clamp<std::size_t>(input.rows / least, 1, std::max(most_parts, input.rows / longest + 1));
        sorted_.resize(parts_);
    }

    void run(double* n, double* mean, double* scatter) {
        std::fill_n(mean, q_ * k_, 0.0);
        const Part first = pass(mean, false);
        for (std::size_t g = 0; g < q_; ++g) {
            for (std::size_t a = 0; a < k_ && first.weight[g] > 0; ++a) {
                mean[g * k_ + a] = first.sum[g * k_ + a] / first.weight[g];
            }
        }
        const Part second = pass(mean, true);
        for (std::size_t g = 0; g < q_; ++g) finish(second, g, n, mean, scatter);
    }

  private:
    // The first pass sorts the rows of each part, the second reuses the order.
    Part pass(const double* centre, bool with_products) {
        std::vector<Part> parts(parts_);
        parallel_for(parts_, threads_, [&](std::size_t at, int) {
            if (!with_products) sorted_[at] = sort_rows(part_start(at), part_start(at + 1));
            parts[at] = part_of(sorted_[at], centre, with_products);
        });
        Part total = std::move(parts[0]);
        for (std::size_t at = 1; at < parts_; ++at) {
            add(total.weight, parts[at].weight);
            add(total.sum, parts[at].sum);
            add(total.products, parts[at].products);
        }
        return total;
    }

    // rows * part / parts without overflow.
    std::size_t part_start(std::size_t part) const {
        return input_.rows / parts_ * part + input_.rows % parts_ * part / parts_;
    }

    static void add(std::vector<double>& total, const std::vector<double>& more) {
        for (std::size_t i = 0; i < total.size(); ++i) total[i] += more[i];
    }

    Part part_of(const SortedRows& rows, const double* centre, bool with_products) const {
        Part part;
        part.weight.assign(q_, 0.0);
        part.sum.assign(q_ * k_, 0.0);
        part.products.assign(with_products ? q_ * k_ * k_ : 0, 0.0);
        std::vector<double> deviations(k_ * segment_rows), weighted((k_ + 1) * segment_rows);
        for (std::size_t g = 0; g < q_; ++g) {
            for (std::size_t at = rows.starts[g]; at < rows.starts[g + 1]; at += segment_rows) {
                const std::size_t count = std::min(segment_rows, rows.starts[g + 1] - at);
                gather(rows, at, count, centre + g * k_, deviations.data(), weighted.data());
                accumulate(part, g, (count + lanes - 1) / lanes * lanes, deviations.data(), weighted.data());
            }
        }
        return part;
    }

    SortedRows sort_rows(std::size_t begin, std::size_t end) const {
        std::vector<char> counts_row(end - begin, 1);
        for (std::size_t a = 0; a < k_; ++a) mark_missing(a, begin, end, counts_row);
        SortedRows rows;
        rows.begin = begin;
        rows.starts.assign(q_ + 1, 0);
        for (std::size_t row = begin; row < end && input_.groups; ++row) {
            const std::uint32_t group = group_of(row);
            if (group == missing_index) counts_row[row - begin] = 0;
            if (counts_row[row - begin]) ++rows.starts[group + 1];
        }
        if (!input_.groups) rows.starts[1] = std::count(counts_row.begin(), counts_row.end(), 1);
        for (std::size_t g = 0; g < q_; ++g) rows.starts[g + 1] += rows.starts[g];
        if (!input_.groups && rows.starts[1] == end - begin) return rows;
        rows.order.resize(rows.starts[q_]);
        std::vector<std::size_t> next(rows.starts.begin(), rows.starts.end() - 1);
        for (std::size_t row = begin; row < end; ++row) {
            if (counts_row[row - begin]) rows.order[next[group_of(row)]++] = static_cast<std::uint32_t>(row - begin);
        }
        return rows;
    }

    std::uint32_t group_of(std::size_t row) const {
        if (!input_.groups) return 0;
        const std::uint32_t group = input_.groups[row];
        if (group < q_ || group == missing_index) return group;
        throw std::invalid_argument("groups, row " + std::to_string(row) + ": group " + std::to_string(group) +
                                    " is not below the number of groups, " + std::to_string(q_));
    }

    void mark_missing(std::size_t a, std::size_t begin, std::size_t end, std::vector<char>& counts_row) const {
        const double* values = input_.columns[a] + begin;
        std::size_t finite = 0, missing = 0;
        for (std::size_t row = 0; row < end - begin; ++row) {
            finite += values[row] - values[row] == 0.0;
            missing += values[row] != values[row];
        }
        if (finite == end - begin) return;
        for (std::size_t row = 0; row < end - begin; ++row) {
            counts_row[row] &= values[row] == values[row];
            if (finite + missing == end - begin || !std::isinf(values[row])) continue;
            throw std::invalid_argument("column " + std::to_string(a) + ", row " + std::to_string(begin + row) +
                                        " is infinite: moments need finite numbers");
        }
    }

    // out[i] = values of the rows from place `at` in their order.
    static void take(const SortedRows& rows, std::size_t at, std::size_t count, const double* values, double* out) {
        values += rows.begin;
        if (rows.order.empty()) {
            std::copy_n(values + at, count, out);
        } else {
            for (std::size_t i = 0; i < count; ++i) out[i] = values[rows.order[at + i]];
        }
    }

    // Deviations from the centre, unweighted and weighted, and the weights; padded with zeros to whole lanes.
    void gather(const SortedRows& rows, std::size_t at, std::size_t count, const double* centre,
                double* deviations, double* weighted) const {
        const std::size_t padded = (count + lanes - 1) / lanes * lanes;
        double* weights = weighted + k_ * segment_rows;
        std::fill_n(weights, padded, 0.0);
        if (input_.weights) {
            take(rows, at, count, input_.weights, weights);
        } else {
            std::fill_n(weights, count, 1.0);
        }
        for (std::size_t a = 0; a < k_; ++a) {
            double* bare = deviations + a * segment_rows;
            double* times = weighted + a * segment_rows;
            take(rows, at, count, input_.columns[a], bare);
            for (std::size_t i = 0; i < count; ++i) bare[i] -= centre[a];
            std::fill(bare + count, bare + padded, 0.0);
            for (std::size_t i = 0; i < padded; ++i) times[i] = bare[i] * weights[i];
        }
    }

    void accumulate(Part& part, std::size_t g, std::size_t padded, const double* deviations,
                    const double* weighted) const {
        const auto dot = cpu_has_avx2() ? dot_avx2 : dot_plain;
        part.weight[g] += sum_of(weighted + k_ * segment_rows, padded);
        for (std::size_t a = 0; a < k_; ++a) {
            part.sum[g * k_ + a] += sum_of(weighted + a * segment_rows, padded);
            if (part.products.empty()) continue;
            for (std::size_t b = 0; b <= a; ++b) {
                part.products[(g * k_ + a) * k_ + b] +=
                    dot(weighted + a * segment_rows, deviations + b * segment_rows, padded);
            }
        }
    }

    void finish(const Part& part, std::size_t g, double* n, double* mean, double* scatter) const {
        const double weight = n[g] = part.weight[g];
        const double* sum = part.sum.data() + g * k_;
        for (std::size_t a = 0; a < k_; ++a) {
            for (std::size_t b = 0; b <= a; ++b) {
                const double centred =
                    weight > 0 ? part.products[(g * k_ + a) * k_ + b] - sum[a] * (sum[b] / weight) : 0.0;
                scatter[(g * k_ + a) * k_ + b] = scatter[(g * k_ + b) * k_ + a] =
                    a == b ? std::max(centred, 0.0) : centred;
            }
        }
        for (std::size_t a = 0; a < k_ && weight > 0; ++a) mean[g * k_ + a] += sum[a] / weight;
    }

    const MomentInput& input_;
    const std::size_t q_, k_;
    const int threads_;
    std::size_t parts_ = 1;
    std::vector<SortedRows> sorted_;
};

}  // namespace

void group_moments(const MomentInput& input, double* n, double* mean, double* scatter, int threads) {
    for (std::size_t row = 0; input.weights && row < input.rows; ++row) {
        if (input.weights[row] >= 0 && !std::isinf(input.weights[row])) continue;
        throw std::invalid_argument("weights, row " + std::to_string(row) + ": " +
                                    std::to_string(input.weights[row]) + " is not a finite number of at least 0");
    }
    Moments(input, threads).run(n, mean, scatter);
}

}  // namespace bayou
