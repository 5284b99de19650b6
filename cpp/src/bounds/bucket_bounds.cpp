#include "bayou/bounds/bucket_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bayou/base/interrupt.hpp"
#include "bayou/base/threads.hpp"
#include "bucket_products.hpp"

namespace bayou {

namespace {

constexpr double kRounding = 0x1p-51;
constexpr double kRescaleBelow = 0x1p-200;

}  // namespace

// The memory of one thread: where the tables are, and what buckets have sent. Lower bounds that are the same as the upper
// ones have the same address.
struct BucketBounds::Work {
    std::vector<const double*> upper, lower;
    std::vector<std::vector<double>> upper_sent, lower_sent;  // by what groups send
    std::vector<std::vector<double>> above, below;            // products of the groups of one bucket
    std::vector<char> same;                                   // whether `below` is not needed
    std::vector<std::vector<double>> spare;                   // memory to be used again
    std::int64_t scale[2] = {0, 0};

    std::vector<double> memory(std::size_t cells) {
        std::vector<double> found;
        if (!spare.empty()) {
            found = std::move(spare.back());
            spare.pop_back();
        }
        found.resize(cells);
        return found;
    }

    void release(std::vector<double>& values) {
        if (values.capacity() > 0) spare.push_back(std::move(values));
        values = {};
    }
};

namespace {

// The product of tables into `out`; returns its binary exponent, and sets `rounded` where a number was too small.
template <typename Product>
std::int64_t product_into(const Product& product, const std::vector<const double*>& tables, bool upward,
                          std::vector<double>& out, bool& rounded) {
    out.assign(product.cells, 1.0);
    double largest = 1.0;
    std::int64_t scale = 0;
    for (std::size_t at = 0; at < product.inputs.size(); ++at) {
        if (largest < kRescaleBelow) scale += scale_table(out, largest);
        const ProductState state = multiply_table(out.data(), tables[product.inputs[at]], product.walks[at].sizes,
                                                  product.walks[at].strides, upward);
        largest = state.largest;
        rounded = rounded || state.is_rounded;
        if (largest == 0.0) break;
    }
    return scale + scale_table(out, largest);
}

}  // namespace

// Sends what a bucket of one group comes to, or splits it.
void BucketBounds::eliminate(const Bucket& bucket, Work& work) const {
    const std::size_t groups = bucket.groups.size(), first = bucket.first;
    stop_if_interrupted();
    if (work.above.size() < groups) {
        work.above.resize(groups);
        work.below.resize(groups);
        work.same.resize(groups);
    }
    for (std::size_t g = 0; g < groups; ++g) {
        const Product& product = bucket.groups[g];
        bool rounded = false;
        const std::int64_t scale = product_into(product, work.upper, true, work.above[g], rounded);
        work.scale[0] += scale;
        bool same = !rounded;
        for (const std::uint32_t input : product.inputs) same = same && work.upper[input] == work.lower[input];
        work.same[g] = same;
        work.scale[1] += same ? scale : product_into(product, work.lower, false, work.below[g], rounded);
    }
    if (groups > 1) {
        send_split(bucket, work);
    } else {
        const Product& product = bucket.groups[0];
        const std::size_t at = first - tables_.size(), cells = product.outer * product.inner;
        work.upper_sent[at] = work.memory(cells);
        sum_states(work.above[0].data(), product.outer, product.states, product.inner, work.upper_sent[at].data());
        work.upper[first] = work.lower[first] = work.upper_sent[at].data();
        if (!work.same[0]) {
            work.lower_sent[at] = work.memory(cells);
            sum_states(work.below[0].data(), product.outer, product.states, product.inner, work.lower_sent[at].data());
            work.lower[first] = work.lower_sent[at].data();
        }
    }
    for (const Product& product : bucket.groups) {
        for (const std::uint32_t input : product.inputs) {
            if (input < tables_.size()) continue;
            work.release(work.upper_sent[input - tables_.size()]);
            work.release(work.lower_sent[input - tables_.size()]);
        }
    }
}

// The lower bound: q is the state that the groups like best together, or is spread over all states that no zero rules out,
// whichever promises more.
void BucketBounds::send_lower(const Bucket& bucket, Work& work) const {
    const std::size_t groups = bucket.groups.size(), states = bucket.groups[0].states;
    std::vector<double> liked(states, 0.0);
    std::vector<char> full(states, 1);
    for (std::size_t g = 0; g < groups; ++g) {
        const Product& product = bucket.groups[g];
        const auto& values = work.same[g] ? work.above[g] : work.below[g];
        const std::vector<double> sums = power_sums(values, product.outer, states, product.inner, 1);
        for (std::size_t s = 0; s < states; ++s) liked[s] += std::log(sums[s]);
        find_full_states(values, product.outer, states, product.inner, full);
        const std::size_t at = bucket.first + g - tables_.size();
        work.lower_sent[at] = work.memory(product.outer * product.inner);
        work.lower[bucket.first + g] = work.lower_sent[at].data();
    }
    const auto best = static_cast<std::size_t>(std::max_element(liked.begin(), liked.end()) - liked.begin());
    const auto send = [&](const std::vector<double>& q) {
        double promise = 0.0;
        for (std::size_t g = 0; g < groups; ++g) {
            const Product& product = bucket.groups[g];
            const auto& values = work.same[g] ? work.above[g] : work.below[g];
            promise += std::log(geometric_means(values, product.outer, states, product.inner, q,
                                                work.lower_sent[bucket.first + g - tables_.size()].data()));
        }
        return promise;
    };
    if (std::count(full.begin(), full.end(), 1) >= 2 && std::isfinite(liked[best])) {
        const std::vector<double> q = spread_weights(liked, full);
        double entropy = 0.0;
        for (const double weight : q) entropy -= weight > 0.0 ? weight * std::log(weight) : 0.0;
        if (entropy + send(q) > liked[best]) {
            for (double& value : work.lower_sent[bucket.first - tables_.size()]) value *= std::exp(entropy);
            return;
        }
    }
    std::vector<double> single(states, 0.0);
    single[best] = 1.0;
    send(single);
}

void BucketBounds::send_split(const Bucket& bucket, Work& work) const {
    const std::size_t groups = bucket.groups.size(), states = bucket.groups[0].states;
    send_lower(bucket, work);
    // The upper bound: factors are moved between the groups, and Hölder's inequality.
    std::vector<std::vector<double>> sums;
    std::vector<std::uint32_t> exponents;
    for (std::size_t g = 0; g < groups; ++g) {
        const Product& product = bucket.groups[g];
        exponents.push_back(product.exponent);
        sums.push_back(power_sums(work.above[g], product.outer, states, product.inner, product.exponent));
    }
    const auto factors = matching_factors(sums, exponents);
    for (std::size_t g = 0; g < groups; ++g) {
        const Product& product = bucket.groups[g];
        const std::size_t at = bucket.first + g - tables_.size();
        work.upper_sent[at] = work.memory(product.outer * product.inner);
        multiply_states(work.above[g], product.outer, states, product.inner, factors[g]);
        work.scale[0] += norm_of_states(work.above[g], product.outer, states, product.inner, product.exponent,
                                        work.upper_sent[at].data());
        work.upper[bucket.first + g] = work.upper_sent[at].data();
    }
}

void BucketBounds::compute_constants() {
    Work work;
    start(work);
    for (const Bucket& bucket : buckets_) {
        if (!bucket.fixed) eliminate(bucket, work);
    }
    constant_upper_ = std::move(work.upper_sent);
    constant_lower_ = std::move(work.lower_sent);
    constant_scale_[0] = work.scale[0];
    constant_scale_[1] = work.scale[1];
}

// The tables as they were given, and what the buckets sent that depend on no row.
void BucketBounds::start(Work& work) const {
    const std::size_t sent = scopes_.size() - tables_.size();
    work.upper.assign(scopes_.size(), nullptr);
    work.upper_sent.resize(sent);
    work.lower_sent.resize(sent);
    for (std::size_t at = 0; at < tables_.size(); ++at) work.upper[at] = tables_[at].values.data();
    work.lower = work.upper;
    for (std::size_t at = 0; at < constant_upper_.size(); ++at) {
        if (constant_upper_[at].empty()) continue;
        work.upper[tables_.size() + at] = work.lower[tables_.size() + at] = constant_upper_[at].data();
        if (!constant_lower_[at].empty()) work.lower[tables_.size() + at] = constant_lower_[at].data();
    }
}

void BucketBounds::run(const std::uint32_t* rows, std::size_t n, double* upper, std::int64_t* upper_scale, double* lower,
                       std::int64_t* lower_scale, int threads) const {
    for (std::size_t cell = 0; cell < n * columns(); ++cell) {
        if (rows[cell] >= cards_[fixed_[cell % columns()]]) {
            throw std::invalid_argument("a row has a state that its variable does not have");
        }
    }
    std::vector<Work> works(static_cast<std::size_t>(usable_threads(threads)));
    const double wider = static_cast<double>(operations_) * kRounding;
    parallel_for(n, threads, [&](std::size_t row, int worker) {
        Work& work = works[static_cast<std::size_t>(worker)];
        if (work.upper.empty()) start(work);
        for (std::size_t at = 0; at < tables_.size(); ++at) {
            std::size_t offset = 0;
            for (std::size_t i = 0; i < places_[at].columns.size(); ++i) {
                offset += rows[row * columns() + places_[at].columns[i]] * places_[at].strides[i];
            }
            work.upper[at] = work.lower[at] = tables_[at].values.data() + offset;
        }
        work.scale[0] = constant_scale_[0];
        work.scale[1] = constant_scale_[1];
        for (const Bucket& bucket : buckets_) {
            if (bucket.fixed) eliminate(bucket, work);
        }
        bool rounded = false;
        std::vector<double> last;
        upper_scale[row] = work.scale[0] + product_into(last_, work.upper, true, last, rounded);
        for (std::size_t cell = 0; cell < last.size(); ++cell) upper[row * last.size() + cell] = last[cell] * (1.0 + wider);
        lower_scale[row] = work.scale[1] + product_into(last_, work.lower, false, last, rounded);
        for (std::size_t cell = 0; cell < last.size(); ++cell) lower[row * last.size() + cell] = last[cell] * (1.0 - wider);
    });
}

}  // namespace bayou
