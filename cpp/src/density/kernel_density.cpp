// The sum of kernels at x is computed relative to the point nearest to x, the reference: with t = (x - reference) / h and
// e = (point - reference) / h it is exp(-t²/2) * sum of w exp(e (t - e/2)), where no exponent is positive and the
// nearest kernel has exponent 0. So nothing underflows, however far x is from all points.
//
// Within a relative error, the queries of a cell (a bandwidth wide) share one sum over the points: with c the
// cell's centre, x = c + u h, a = w exp(e (t_c - e/2)) and any m,
//     sum of w exp(e (t - e/2)) = exp(u m) * sum of a exp(u (e - m)),
// whose last factor is a short power series in u. Its coefficients are moments of the points, so that a cell costs
// one exponential per point and one polynomial per query. The truncation error is bounded by the next even moment
// (see Series::terms_needed); a cell that misses the bound is summed directly.
#include "bayou/density/kernel_density.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "bayou/base/radix_sort.hpp"
#include "bayou/base/threads.hpp"
#include "kernel_sums.hpp"
#include "normal_constant.hpp"

namespace bayou {

namespace {

constexpr double lowest = std::numeric_limits<double>::lowest();
constexpr double nothing = -std::numeric_limits<double>::infinity();
constexpr double rounding = 0x1p-53;
constexpr double far = 1e10;           // from this distance in bandwidths on, only the nearest point affects the log
constexpr double far_for_cells = 100;  // from this distance in bandwidths on, few points matter
constexpr double cell_radius = 0.5;    // in bandwidths
constexpr std::size_t few_queries = 2;
constexpr std::size_t chunk = 64;
constexpr int most_terms = 44;

struct Cell {
    std::size_t of_class, begin, end;  // of the sorted queries
};

// Where points matter: [begin, end).
struct Range {
    std::size_t begin, end;
};

// The kernels of a class, in the order of their points.
class SortedKernels {
  public:
    explicit SortedKernels(const KernelPoints& points) : points_(points), inverse_(1 / points.bandwidth) {
        if (points.weights) cumulative_.reserve(points.count + 1);
        if (points.weights) cumulative_.push_back(0);
        for (std::size_t i = 0; points.weights && i < points.count; ++i) {
            cumulative_.push_back(cumulative_.back() + points.weights[i]);
        }
    }

    bool empty() const { return points_.count == 0; }
    double bandwidth() const { return points_.bandwidth; }
    double value(std::size_t i) const { return points_.values[i]; }
    double weight(std::size_t i) const { return points_.weights ? points_.weights[i] : 1.0; }
    double weight(Range range) const {
        return points_.weights ? cumulative_[range.end] - cumulative_[range.begin]
                               : static_cast<double>(range.end - range.begin);
    }
    double total() const { return weight(Range{0, points_.count}); }
    double log_scale(double weight) const { return -std::log(weight) - std::log(bandwidth()) - half_log_two_pi; }
    double steps(double from, double to) const { return (to - from) * inverse_; }

    std::size_t nearest(double x) const {
        const std::size_t at = first_at_least(x);
        if (at == points_.count) return at - 1;
        return at > 0 && x - value(at - 1) < value(at) - x ? at - 1 : at;
    }

    Range between(double low, double high) const {
        const double* end = points_.values + points_.count;
        return {first_at_least(low), static_cast<std::size_t>(std::upper_bound(points_.values, end, high) - points_.values)};
    }

    KernelWindow window(Range range, std::size_t reference) const {
        return {points_.values + range.begin, points_.weights ? points_.weights + range.begin : nullptr,
                range.end - range.begin, value(reference), inverse_};
    }

    // The depth (a logarithm) below which terms may be left out so that the relative error stays within `error` at
    // every query within `radius` bandwidths of x: terms of exp(-t²/2 - depth) sum to at most total times that, and
    // the density is at least the nearest kernel, and at least all kernels within a bandwidth of x.
    double depth(double x, std::size_t reference, double radius, double error) const {
        const double h = bandwidth(), reach = 1 + radius;
        const double least = std::log(total() / (error * weight(reference)));
        const double near = weight(between(x - h, x + h));
        return near > 0 ? std::min(least, std::log(total() / (error * near)) + 0.5 * reach * reach) : least;
    }

    // The points whose terms are above that depth at some query within `radius` bandwidths of x.
    Range that_matter(double x, std::size_t reference, double radius, double depth) const {
        const double t = steps(value(reference), x), least = std::clamp(depth, 1.0, 700.0);
        const double ahead = std::abs(t) + radius, gap = std::abs(t) - radius;
        const double onward = ahead + std::sqrt(ahead * ahead + 2 * least), root = std::sqrt(gap * gap + 2 * least);
        const double back = gap > 0 ? 2 * least / (gap + root) : root - gap;
        const double slack = bandwidth() * (1 + 1e-12), centre = value(reference);
        return t >= 0 ? between(centre - back * slack, centre + onward * slack)
                      : between(centre - onward * slack, centre + back * slack);
    }

    // log of the kernel sum at x, with every term that changes a double.
    double log_sum(double x) const {
        const std::size_t reference = nearest(x);
        const double t = steps(value(reference), x);
        if (std::abs(t) > far) return -0.5 * t * t + std::log(weight(reference));
        const Range range = that_matter(x, reference, 0, depth(x, reference, 0, rounding / 2));
        return -0.5 * t * t + std::log(kernel_loops().direct_sum(window(range, reference), t));
    }

    // The same with the weight of point i reduced by `taken`, where x is that point.
    double log_sum_without(std::size_t i, double taken) const {
        const double left = weight(i) - taken;
        std::size_t reference = i;
        if (left <= 0) {
            const bool has_before = i > 0, has_after = i + 1 < points_.count;
            if (!has_before && !has_after) return nothing;
            const bool before = has_before && (!has_after || value(i) - value(i - 1) < value(i + 1) - value(i));
            reference = before ? i - 1 : i + 1;
        }
        const double t = steps(value(reference), value(i));
        if (std::abs(t) > far) return -0.5 * t * t + std::log(weight(reference));
        const double nearest_bump = reference == i ? left : weight(reference);
        const Range range = that_matter(value(i), reference, 0, std::log(2 * total() / (rounding * nearest_bump)));
        double sum = kernel_loops().direct_sum(window({range.begin, std::max(range.begin, i)}, reference), t);
        if (i + 1 < range.end) sum += kernel_loops().direct_sum(window({i + 1, range.end}, reference), t);
        if (left > 0) sum += left;  // the point is the reference then: its kernel is exp(0)
        return -0.5 * t * t + std::log(sum);
    }

  private:
    std::size_t first_at_least(double x) const {
        return std::lower_bound(points_.values, points_.values + points_.count, x) - points_.values;
    }

    const KernelPoints& points_;
    const double inverse_;
    std::vector<double> cumulative_;  // weights; empty where each is 1
};

// The power series of a cell.
class Series {
  public:
    // False if no series of the allowed length keeps the error.
    bool expand(const SortedKernels& kernels, Range range, std::size_t reference, double t, double radius,
                double error) {
        const KernelWindow window = kernels.window(range, reference);
        middle_ = sampled_middle(window, t);
        const double first = kernels.steps(window.reference, kernels.value(range.begin)) - middle_;
        const double last = kernels.steps(window.reference, kernels.value(range.end - 1)) - middle_;
        const double widest = radius * std::max(std::abs(first), std::abs(last));
        for (const int most : {12, 20, 32, most_terms}) {
            if (widest >= most) continue;
            kernel_loops().cell_moments(window, t, middle_, radius, most, moments_);
            double factorial = 1;
            for (int k = 1; k < most; ++k) moments_[k] /= factorial *= k;
            terms_ = terms_needed(most, widest, error);
            if (terms_ > 0) return true;
        }
        return false;
    }
    double middle() const { return middle_; }
    int terms() const { return terms_; }
    const double* coefficients() const { return moments_; }

  private:
    // The mean of e over a few of the points: the identity holds for any m, but m near the mean keeps the series short.
    double sampled_middle(const KernelWindow& window, double t) const {
        const std::size_t step = window.count / 128 + 1;
        double sum = 0, weighted = 0;
        for (std::size_t i = 0; i < window.count; i += step) {
            const double e = (window.values[i] - window.reference) * window.inverse_bandwidth;
            const double a = (window.weights ? window.weights[i] : 1.0) * std::exp(std::max(e * (t - 0.5 * e), -700.0));
            sum += a;
            weighted += a * e;
        }
        return sum > 0 ? weighted / sum : 0.0;
    }

    // With s = u (e - m): the terms of exp(s) from an even p on are together at most |s|^p / p! / (1 - |s|/(p+1)),
    // and the mean of exp(s) over the points is at least exp(-|mean of s|) (Jensen). Rounding is counted in.
    int terms_needed(int most, double widest, double error) const {
        const double least = moments_[0] * std::exp(-std::abs(moments_[1]) / moments_[0]);
        double sizes = 0;
        for (int p = 0; p < most; p += 2) {
            const double left_out = moments_[p] / (1 - widest / (p + 1));
            const bool short_enough = p > widest && left_out <= 0.5 * error * least;
            if (p > 0 && short_enough && 4 * rounding * p * sizes <= 0.25 * error * least) return p;
            sizes += 2 * moments_[p];
        }
        return 0;
    }

    double moments_[most_terms] = {};
    double middle_ = 0;
    int terms_ = 0;
};

class Densities {
  public:
    Densities(const std::vector<KernelPoints>& classes, double relative_error, std::size_t rows, double* log)
        : error_(relative_error), log_(log), rows_(rows) {
        kernels_.reserve(classes.size());
        for (const KernelPoints& points : classes) kernels_.emplace_back(points);
    }

    void run(const double* queries, int threads) {
        sort(queries);
        std::vector<Cell> cells;
        for (std::size_t k = 0; k < kernels_.size(); ++k) {
            if (!kernels_[k].empty()) add_cells(k, cells);
        }
        parallel_for(cells.size(), threads, [&](std::size_t at, int) { run_cell(cells[at]); });
    }

  private:
    // Queries that are NaN or infinite are answered here.
    void sort(const double* queries) {
        const std::size_t k = kernels_.size();
        KeyedRows<std::uint64_t> keyed(rows_);
        for (std::size_t row = 0; row < rows_; ++row) {
            const double x = queries[row];
            std::fill_n(log_ + row * k, k, std::isnan(x) ? x : nothing);
            if (std::isfinite(x)) keyed.push(sortable_key(x), row);
        }
        keyed.sort();
        sorted_.resize(keyed.size());
        row_.resize(keyed.size());
        for (std::size_t at = 0; at < keyed.size(); ++at) {
            sorted_[at] = value_of_key(keyed.key(at));
            row_[at] = keyed.payload(at);
        }
    }

    void add_cells(std::size_t k, std::vector<Cell>& cells) const {
        const double width = 2 * cell_radius * kernels_[k].bandwidth();
        for (std::size_t at = 0; at < sorted_.size();) {
            std::size_t end = std::min(at + chunk, sorted_.size());
            if (error_ > 0) end = std::upper_bound(sorted_.begin() + at, sorted_.end(), sorted_[at] + width) - sorted_.begin();
            cells.push_back({k, at, end});
            at = end;
        }
    }

    void run_cell(const Cell& cell) const {
        if (error_ > 0 && cell.end - cell.begin > few_queries && run_series(cell)) return;
        const SortedKernels& kernels = kernels_[cell.of_class];
        const double scale = kernels.log_scale(kernels.total());
        for (std::size_t at = cell.begin; at < cell.end; ++at) put(cell, at, kernels.log_sum(sorted_[at]) + scale);
    }

    bool run_series(const Cell& cell) const {
        const SortedKernels& kernels = kernels_[cell.of_class];
        const double low = sorted_[cell.begin], high = sorted_[cell.end - 1];
        const double centre = low + 0.5 * (high - low), radius = 0.5 * kernels.steps(low, high);
        const std::size_t reference = kernels.nearest(centre);
        const double t = kernels.steps(kernels.value(reference), centre);
        if (!(std::abs(t) < far_for_cells)) return false;
        const double depth = kernels.depth(centre, reference, radius, 0.25 * error_);
        const Range range = kernels.that_matter(centre, reference, radius, depth);
        Series series;
        if (!series.expand(kernels, range, reference, t, radius, error_)) return false;
        const double inverse = radius > 0 ? 2 / (high - low) : 0.0;
        const CellPolynomial polynomial{series.coefficients(), series.terms(), centre, inverse};
        const double scale = kernels.log_scale(kernels.total());
        double values[chunk];
        for (std::size_t begin = cell.begin; begin < cell.end; begin += chunk) {
            const std::size_t count = std::min(chunk, cell.end - begin);
            kernel_loops().evaluate(polynomial, sorted_.data() + begin, count, values);
            for (std::size_t i = 0; i < count; ++i) {
                const double x = sorted_[begin + i], from = kernels.steps(kernels.value(reference), x);
                const double shift = kernels.steps(centre, x) * series.middle();
                put(cell, begin + i, -0.5 * from * from + shift + std::log(values[i]) + scale);
            }
        }
        return true;
    }

    void put(const Cell& cell, std::size_t at, double value) const {
        log_[row_[at] * kernels_.size() + cell.of_class] = std::max(value, lowest);
    }

    std::vector<SortedKernels> kernels_;
    const double error_;
    double* const log_;
    const std::size_t rows_;
    std::vector<double> sorted_;
    std::vector<std::size_t> row_;
};

void check_points(const KernelPoints& points, std::size_t k) {
    const std::string name = "class " + std::to_string(k);
    const double h = points.bandwidth;
    if (!(h > 0) || !std::isfinite(h) || !std::isfinite(1 / h)) {
        throw std::invalid_argument(name + ": the bandwidth " + std::to_string(h) + " is not a positive number");
    }
    for (std::size_t i = 0; i < points.count; ++i) {
        const bool ascends = i == 0 || points.values[i - 1] <= points.values[i];
        if (!ascends || !std::isfinite(points.values[i])) {
            throw std::invalid_argument(name + ": point " + std::to_string(i) + " is not finite or not in ascending order");
        }
        if (points.weights && !(points.weights[i] > 0 && std::isfinite(points.weights[i]))) {
            throw std::invalid_argument(name + ": the weight of point " + std::to_string(i) + " is not a positive number");
        }
    }
}

}  // namespace

void kernel_log_density(const std::vector<KernelPoints>& classes, const double* queries, std::size_t rows,
                        double relative_error, double* log, int threads) {
    for (std::size_t k = 0; k < classes.size(); ++k) check_points(classes[k], k);
    if (relative_error != 0 && !(relative_error >= least_relative_error && relative_error <= 0.5)) {
        throw std::invalid_argument("relative_error must be 0 (direct sums) or from 1e-13 to 0.5");
    }
    usable_threads(threads);
    Densities(classes, relative_error, rows, log).run(queries, threads);
}

void kernel_held_out(const KernelPoints& points, double* log, int threads) {
    constexpr double enough = 0.01;  // share of the sum left by the subtraction, at least: two of nine digits are lost
    kernel_log_density({points}, points.values, points.count, 1e-9, log, threads);
    const SortedKernels kernels(points);
    const double scale = points.count ? kernels.log_scale(kernels.total()) : 0.0;
    parallel_for((points.count + chunk - 1) / chunk, threads, [&](std::size_t part, int) {
        for (std::size_t i = part * chunk; i < std::min(points.count, (part + 1) * chunk); ++i) {
            const double sum = std::exp(log[i] - scale), taken = std::min(1.0, kernels.weight(i));
            const double left = sum - taken > enough * sum ? std::log(sum - taken) : kernels.log_sum_without(i, taken);
            log[i] = left == nothing ? nothing : std::max(left + kernels.log_scale(kernels.total() - taken), lowest);
        }
    });
}

}  // namespace bayou
