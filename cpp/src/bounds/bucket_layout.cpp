// How the tables of bucket bounds fit together: checked and laid out once, before anything is computed.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bayou/bounds/bucket_bounds.hpp"

namespace bayou {

namespace {

[[noreturn]] void refuse_bounds(const char* message) { throw std::invalid_argument(message); }

}  // namespace

BucketBounds::BucketBounds(std::vector<std::uint32_t> cards, std::vector<BoundedTable> tables, std::vector<std::uint32_t> fixed,
                           std::vector<BoundedBucket> buckets, std::vector<std::uint32_t> targets)
    : cards_(std::move(cards)), fixed_(std::move(fixed)), targets_(std::move(targets)), tables_(std::move(tables)) {
    for (const auto* variables : {&fixed_, &targets_}) {
        for (const std::uint32_t v : *variables) {
            if (v >= cards_.size()) refuse_bounds("a fixed variable or a target is unknown");
        }
    }
    add_tables();
    add_buckets(buckets);
    compute_constants();
}

std::vector<std::uint32_t> BucketBounds::open_scope(const std::vector<std::uint32_t>& scope) const {
    std::vector<std::uint32_t> open;
    for (const std::uint32_t v : scope) {
        if (std::find(fixed_.begin(), fixed_.end(), v) == fixed_.end()) open.push_back(v);
    }
    return open;
}

void BucketBounds::add_tables() {
    for (const BoundedTable& table : tables_) {
        std::size_t cells = 1;
        Place place;
        std::vector<std::uint32_t> open;
        std::vector<std::size_t> open_strides;
        for (std::size_t axis = table.scope.size(); axis-- > 0;) {
            const std::uint32_t v = table.scope[axis];
            if (v >= cards_.size()) refuse_bounds("a table has an unknown variable");
            if (std::count(table.scope.begin(), table.scope.end(), v) > 1) refuse_bounds("a table has a variable twice");
            const auto found = std::find(fixed_.begin(), fixed_.end(), v);
            if (found == fixed_.end()) {
                open.insert(open.begin(), v);
                open_strides.insert(open_strides.begin(), cells);
            } else {
                place.columns.push_back(static_cast<std::size_t>(found - fixed_.begin()));
                place.strides.push_back(cells);
            }
            cells *= cards_[v];
        }
        if (cells != table.values.size()) refuse_bounds("a table does not fit its scope");
        for (const double value : table.values) {
            if (!(value >= 0.0 && std::isfinite(value))) refuse_bounds("a table has a negative entry, or one that is not finite");
        }
        row_dependent_.push_back(!place.columns.empty());
        places_.push_back(std::move(place));
        scopes_.push_back(std::move(open));
        strides_.push_back(std::move(open_strides));
    }
}

BucketBounds::Product BucketBounds::product_of(const std::vector<std::uint32_t>& inputs,
                                               std::vector<std::uint32_t> scope) const {
    Product product;
    product.inputs = inputs;
    for (const std::uint32_t v : scope) product.cells *= cards_[v];
    for (const std::uint32_t input : inputs) {
        Walk walk;
        std::size_t matched = 0;
        for (const std::uint32_t v : scope) {
            const auto& own = scopes_[input];
            const auto place = std::find(own.begin(), own.end(), v);
            const std::size_t stride = place == own.end() ? 0 : strides_[input][static_cast<std::size_t>(place - own.begin())];
            if (place != own.end()) ++matched;
            const std::size_t size = cards_[v];
            // Axes that lie side by side in the table, or that it does not have, are one run.
            if (!walk.sizes.empty() && walk.strides.back() == stride * size) {
                walk.sizes.back() *= size;
                walk.strides.back() = stride;
            } else {
                walk.sizes.push_back(size);
                walk.strides.push_back(stride);
            }
        }
        if (matched != scopes_[input].size()) refuse_bounds("a table has a variable that its bucket does not have");
        if (!walk.strides.empty() && walk.strides.back() > 1) {  // the innermost run has stride 0 or 1
            walk.sizes.push_back(1);
            walk.strides.push_back(0);
        }
        product.walks.push_back(std::move(walk));
    }
    product.scope = std::move(scope);
    return product;
}

// The product of one group of a bucket's tables, over the variables of all of them; `used` marks tables as taken.
BucketBounds::Product BucketBounds::group_product(const BoundedBucket& bucket, std::size_t group,
                                                  std::vector<char>& used) const {
    const std::uint32_t v = bucket.variable, e = bucket.exponents[group];
    std::vector<std::uint32_t> scope;
    for (const std::uint32_t input : bucket.groups[group]) {
        if (input >= used.size() || used[input]) refuse_bounds("a group has an unknown table, or one that was used before");
        used[input] = 1;
        const auto& own = scopes_[input];
        if (std::find(own.begin(), own.end(), v) == own.end()) refuse_bounds("a table lacks the variable of its bucket");
        scope.insert(scope.end(), own.begin(), own.end());
    }
    std::sort(scope.begin(), scope.end());
    scope.erase(std::unique(scope.begin(), scope.end()), scope.end());
    if (scope.empty()) refuse_bounds("a group has no table");
    if (e == 0 || e > 256 || (e & (e - 1)) != 0) refuse_bounds("exponents are powers of 2, up to 256");
    Product product = product_of(bucket.groups[group], scope);
    product.exponent = e;
    for (const std::uint32_t u : scope) {
        if (u < v) product.outer *= cards_[u];
        if (u > v) product.inner *= cards_[u];
    }
    product.states = cards_[v];
    return product;
}

// What a group sends: a table over the variables of its product, without the bucket's own.
void BucketBounds::add_sent(const Product& product, std::uint32_t variable, bool fixed) {
    std::vector<std::uint32_t> sent;
    for (const std::uint32_t u : product.scope) {
        if (u != variable) sent.push_back(u);
    }
    std::vector<std::size_t> strides(sent.size(), 1);
    for (std::size_t axis = sent.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * cards_[sent[axis]];
    scopes_.push_back(std::move(sent));
    strides_.push_back(std::move(strides));
    row_dependent_.push_back(fixed);
}

void BucketBounds::add_buckets(const std::vector<BoundedBucket>& buckets) {
    std::vector<char> used(tables_.size(), 0);
    for (const BoundedBucket& given : buckets) {
        const std::uint32_t v = given.variable;
        if (v >= cards_.size() || given.groups.empty() || given.groups.size() != given.exponents.size()) {
            refuse_bounds("a bucket has an unknown variable, no group, or not one exponent a group");
        }
        Bucket bucket;
        bucket.first = scopes_.size();
        double reciprocals = 0.0;
        for (std::size_t group = 0; group < given.groups.size(); ++group) {
            Product product = group_product(given, group, used);
            for (const std::uint32_t input : product.inputs) bucket.fixed = bucket.fixed || row_dependent_[input];
            reciprocals += 1.0 / product.exponent;
            operations_ += product.inputs.size() + cards_[v] + (given.groups.size() == 1 ? 4 : 16);
            // Logs of up to 416 are averaged and raised again, which multiplies their roundings.
            if (given.groups.size() > 1) operations_ += 1024 * (std::uint64_t{cards_[v]} + 4);
            bucket.groups.push_back(std::move(product));
        }
        if (reciprocals != 1.0) refuse_bounds("the reciprocals of the exponents of a bucket must sum to 1");
        exact_ = exact_ && bucket.groups.size() == 1;
        for (const Product& product : bucket.groups) add_sent(product, v, bucket.fixed);
        used.resize(scopes_.size(), 0);
        buckets_.push_back(std::move(bucket));
    }
    std::vector<std::uint32_t> left;
    for (std::size_t number = 0; number < used.size(); ++number) {
        if (!used[number]) left.push_back(static_cast<std::uint32_t>(number));
    }
    operations_ += left.size();
    last_ = product_of(left, targets_);
}

}  // namespace bayou
