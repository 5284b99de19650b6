#include "feature_models.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "bayou/base/portable.hpp"
#include "bayou/density/kernel_density.hpp"
#include "bayou/density/mdl_cuts.hpp"
#include "normal_constant.hpp"

namespace bayou {

namespace {

constexpr double kernel_error = 1e-9;  // relative, of densities
constexpr double virtual_records = 1;  // of kernel densities and Poisson rates
constexpr double pooled_records = 2;   // virtual records that draw the variance of a class to the pooled one
constexpr double wider = 3.0;          // the virtual record's kernel, in standard deviations of all values
constexpr std::size_t few_records = 512;  // below this, adding every kernel is faster than bounding an error

// The number, mean and scatter (sum of squared deviations) of the records of each class, and of all.
struct ClassSums {
    std::vector<double> n, mean, scatter;
    double total = 0, overall = 0, spread = 0;

    ClassSums(const Records& records, std::size_t n_classes) : n(n_classes), mean(n_classes), scatter(n_classes) {
        for (std::size_t at = 0; at < records.size(); ++at) {
            n[records.classes[at]] += records.weights[at];
            mean[records.classes[at]] += records.weights[at] * records.values[at];
        }
        for (std::size_t c = 0; c < n_classes; ++c) mean[c] /= n[c] > 0 ? n[c] : 1;
        // A second pass around the mean: large numbers that lie close together keep their precision.
        std::vector<double> rest(n_classes, 0.0);
        for (std::size_t at = 0; at < records.size(); ++at) {
            rest[records.classes[at]] += records.weights[at] * (records.values[at] - mean[records.classes[at]]);
        }
        for (std::size_t c = 0; c < n_classes; ++c) mean[c] += rest[c] / (n[c] > 0 ? n[c] : 1);
        for (std::size_t at = 0; at < records.size(); ++at) {
            const double from = records.values[at] - mean[records.classes[at]];
            scatter[records.classes[at]] += records.weights[at] * from * from;
        }
        total = std::accumulate(n.begin(), n.end(), 0.0);
        for (std::size_t c = 0; c < n_classes; ++c) overall += n[c] * mean[c] / total;
        for (std::size_t c = 0; c < n_classes; ++c) {
            spread += (scatter[c] + n[c] * (mean[c] - overall) * (mean[c] - overall)) / total;
        }
    }
};

// The variance of all values and the pooled one of the classes draw the variances of small classes to themselves.
double drawn(double scatter, double n, double towards) {
    return (scatter + pooled_records * towards) / (std::max(n - 1, 0.0) + pooled_records);
}

void gaussian_logs(const Records& records, const std::vector<double>& queries, const ModelSettings& settings,
                   double* logs) {
    const ClassSums sums(records, settings.n_classes);
    const double floor = settings.least_spread * sums.spread;
    double within = 0, freedoms = 1;
    for (std::size_t c = 0; c < settings.n_classes; ++c) {
        within += sums.scatter[c];
        freedoms += std::max(sums.n[c] - 1, 0.0);
    }
    const double pooled = drawn(within, freedoms, sums.spread);
    for (std::size_t c = 0; c < settings.n_classes; ++c) {
        double variance = drawn(sums.scatter[c], sums.n[c], pooled) + floor;
        if (!(variance > 0)) variance = std::numeric_limits<double>::min();
        const double deviation = std::sqrt(variance), log_deviation = std::log(deviation);
        const double mean = sums.n[c] > 0 ? sums.mean[c] : sums.overall;
        for (std::size_t at = 0; at < queries.size(); ++at) {
            const double steps = (queries[at] - mean) / deviation;
            const double log = -0.5 * steps * steps - log_deviation - half_log_two_pi;
            // So far out that the square overflows: impossible.
            logs[at * settings.n_classes + c] = std::isnan(log) ? -std::numeric_limits<double>::infinity() : log;
        }
    }
}

void poisson_logs(const Records& records, const std::vector<double>& queries, const ModelSettings& settings,
                  double* logs) {
    constexpr double least_rate = 1e-300;
    const ClassSums sums(records, settings.n_classes);
    for (std::size_t c = 0; c < settings.n_classes; ++c) {
        const double mean = sums.n[c] > 0 ? sums.mean[c] : sums.overall;
        const double smoothed = (sums.n[c] * mean + virtual_records * sums.overall) / (sums.n[c] + virtual_records);
        const double rate = std::max(smoothed, least_rate), log_rate = std::log(rate);
        for (std::size_t at = 0; at < queries.size(); ++at) {
            const double factorial = log_gamma(queries[at] + 1);
            logs[at * settings.n_classes + c] = queries[at] * log_rate - rate - factorial;
        }
    }
}

// Adds log P(state | class) of each query; queries whose state is not below `states` stay 0.
void count_table_logs(const std::vector<std::size_t>& place, const Records& records, std::size_t states,
                      const std::vector<std::size_t>& asked, const ModelSettings& settings, double* logs) {
    const std::size_t k = settings.n_classes;
    std::vector<double> table(states * k, settings.strength), totals(k, settings.strength * static_cast<double>(states));
    for (std::size_t at = 0; at < records.size(); ++at) {
        table[place[at] * k + records.classes[at]] += records.weights[at];
        totals[records.classes[at]] += records.weights[at];
    }
    for (std::size_t state = 0; state < states; ++state) {
        for (std::size_t c = 0; c < k; ++c) {
            double& cell = table[state * k + c];
            cell = std::log(totals[c] > 0 ? cell / totals[c] : 1.0 / static_cast<double>(states));
        }
    }
    for (std::size_t at = 0; at < asked.size(); ++at) {
        if (asked[at] < states) std::copy_n(table.data() + asked[at] * k, k, logs + at * k);
    }
}

void table_logs(const Records& records, const std::vector<double>& queries, const ModelSettings& settings,
                double* logs) {
    std::vector<double> distinct;
    std::vector<std::size_t> place(records.size()), asked(queries.size());
    for (std::size_t at = 0; at < records.size(); ++at) {
        if (at == 0 || records.values[at] != distinct.back()) distinct.push_back(records.values[at]);
        place[at] = distinct.size() - 1;
    }
    for (std::size_t at = 0; at < queries.size(); ++at) {
        const auto found = std::lower_bound(distinct.begin(), distinct.end(), queries[at]);
        const bool seen = found != distinct.end() && *found == queries[at];
        asked[at] = seen ? static_cast<std::size_t>(found - distinct.begin()) : distinct.size();
    }
    count_table_logs(place, records, distinct.size(), asked, settings, logs);
}

void discretised_logs(const Records& records, const std::vector<double>& queries, const ModelSettings& settings,
                      double* logs) {
    ClassedColumn column;
    column.values = records.values.data();
    column.rows = records.size();
    column.classes = records.classes.data();
    column.n_classes = settings.n_classes;
    column.weights = records.weights.data();
    const std::vector<double> cuts = mdl_cuts({column}, 1)[0];
    const auto range = [&](double value) {
        return static_cast<std::size_t>(std::lower_bound(cuts.begin(), cuts.end(), value) - cuts.begin());
    };
    std::vector<std::size_t> place(records.size()), asked(queries.size());
    std::transform(records.values.begin(), records.values.end(), place.begin(), range);
    std::transform(queries.begin(), queries.end(), asked.begin(), range);
    count_table_logs(place, records, cuts.size() + 1, asked, settings, logs);
}

// Distinct ascending values with their weights.
struct Points {
    std::vector<double> values, weights;

    double total() const { return std::accumulate(weights.begin(), weights.end(), 0.0); }

    void add(double value, double weight) {
        if (!values.empty() && values.back() == value) {
            weights.back() += weight;
            return;
        }
        values.push_back(value);
        weights.push_back(weight);
    }

    // The standard deviation, dividing by n - 1 where n is more than 1.
    double deviation() const {
        const double n = total();
        if (!(n > 0) || values.size() < 2) return 0;
        double mean = 0, scatter = 0;
        for (std::size_t at = 0; at < values.size(); ++at) mean += weights[at] * values[at];
        mean /= n;
        for (std::size_t at = 0; at < values.size(); ++at) scatter += weights[at] * (values[at] - mean) * (values[at] - mean);
        return std::sqrt(scatter / (n > 1 ? n - 1 : n));
    }

    // Interpolated between the records as if each point were repeated by its weight.
    double quantile(const std::vector<double>& ends, double share) const {
        const double rank = share * std::max(ends.back() - 1, 0.0), low = std::floor(rank);
        const auto value_at = [&](double place) {
            const std::size_t at = std::upper_bound(ends.begin(), ends.end(), place) - ends.begin();
            return values[std::min(at, values.size() - 1)];
        };
        return value_at(low) + (rank - low) * (value_at(low + 1) - value_at(low));
    }

    // Silverman's rule: 0.9 min(deviation, interquartile range / 1.34) n^(-1/5), of the spreads that are not 0.
    double bandwidth(double otherwise) const {
        std::vector<double> ends(weights.size());
        std::partial_sum(weights.begin(), weights.end(), ends.begin());
        const double one = deviation(), two = (quantile(ends, 0.75) - quantile(ends, 0.25)) / 1.34;
        double spread = one > 0 ? one : otherwise;
        if (two > 0 && (two < spread || !(one > 0))) spread = two;
        return 0.9 * spread * std::pow(total(), -0.2);
    }
};

// log(exp(a) + exp(b))
double log_add(double a, double b) {
    const double most = std::max(a, b);
    return std::isinf(most) ? most : most + std::log1p(std::exp(std::min(a, b) - most));
}

// Adds virtual records at the centre of all values, with a wide kernel, to the densities.
void smooth(const Records& records, const std::vector<double>& queries, const std::vector<double>& n, double* logs) {
    double total = 0, centre = 0, about = 0;
    for (std::size_t at = 0; at < records.size(); ++at) {
        total += records.weights[at];
        centre += records.weights[at] * records.values[at];
    }
    centre /= total;
    for (std::size_t at = 0; at < records.size(); ++at) {
        about += records.weights[at] * (records.values[at] - centre) * (records.values[at] - centre);
    }
    about = std::sqrt(about / total);
    const double width = about > 0 ? wider * about : 1.0;
    const double highest = std::log(virtual_records) - half_log_two_pi - std::log(width);  // at the centre
    std::vector<double> log_n(n.size()), log_all(n.size());
    for (std::size_t c = 0; c < n.size(); ++c) {
        log_n[c] = std::log(n[c]);
        log_all[c] = std::log(n[c] + virtual_records);
    }
    for (std::size_t at = 0; at < queries.size(); ++at) {
        const double steps = (queries[at] - centre) / width;
        for (std::size_t c = 0; c < n.size(); ++c) {
            double& log = logs[at * n.size() + c];
            log = log_add(log + log_n[c], highest - 0.5 * steps * steps) - log_all[c];
        }
    }
}

bool kernel_logs(const Records& records, const std::vector<double>& queries, const ModelSettings& settings,
                 double* logs) {
    Points everything;
    std::vector<Points> groups(settings.n_classes);
    for (std::size_t at = 0; at < records.size(); ++at) {
        everything.add(records.values[at], records.weights[at]);
        groups[records.classes[at]].add(records.values[at], records.weights[at]);
    }
    const double about = everything.deviation(), otherwise = about > 0 ? about : 1.0;
    std::vector<KernelPoints> points(settings.n_classes);
    std::vector<double> n(settings.n_classes);
    for (std::size_t c = 0; c < settings.n_classes; ++c) {
        const Points& own = groups[c].values.empty() ? everything : groups[c];
        const double width = own.bandwidth(otherwise);
        if (!std::isfinite(width) || !(width > 0) || !std::isfinite(1 / width)) return false;
        const bool equal = std::all_of(own.weights.begin(), own.weights.end(), [](double w) { return w == 1; });
        points[c] = {own.values.data(), equal ? nullptr : own.weights.data(), own.values.size(), width};
        n[c] = own.total();
    }
    const double error = records.size() < few_records ? 0.0 : kernel_error;
    kernel_log_density(points, queries.data(), queries.size(), error, logs, 1);
    smooth(records, queries, n, logs);
    return true;
}

}  // namespace

bool model_logs(FeatureModel model, const Records& records, const std::vector<double>& queries,
                const ModelSettings& settings, double* logs) {
    switch (model) {
        case table_model: table_logs(records, queries, settings, logs); return true;
        case gaussian_model: gaussian_logs(records, queries, settings, logs); return true;
        case discretised_model: discretised_logs(records, queries, settings, logs); return true;
        case kernel_model: return kernel_logs(records, queries, settings, logs);
        case poisson_model: poisson_logs(records, queries, settings, logs); return true;
        default: return false;
    }
}

}  // namespace bayou
