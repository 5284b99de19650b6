// Lower and upper bounds on a sum of products of tables, by an elimination whose tables have a bounded size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bayou {

// Values by the states of the variables in `scope`; those of the last one lie side by side.
struct BoundedTable {
    std::vector<std::uint32_t> scope;
    std::vector<double> values;
};

// The sum over `variable` of the product of all tables with it. A group is a list of tables: number t is a table that was
// given, number (tables + k) what the k-th group of all buckets sends. The reciprocals of the exponents (powers of 2) sum to 1.
struct BoundedBucket {
    std::uint32_t variable = 0;
    std::vector<std::vector<std::uint32_t>> groups;
    std::vector<std::uint32_t> exponents;
};

// With f_g the product of group g, λ factors whose product over the groups is 1 (chosen so that the groups agree on v), and
// q a distribution over the states of v (often a single state):
//     Σ_v Π_g f_g(v, c_g)  ≤  Π_g (Σ_v (λ_g(v) f_g(v, c_g))^e_g)^(1/e_g)           (Hölder),
//     Σ_v Π_g f_g(v, c_g)  ≥  Π_v q(v)^(−q(v)) Π_g f_g(v, c_g)^q(v)                (Jensen).
// With one group both are the sum itself. Nothing is subtracted, so that each operation is wrong by a share of at most
// 2^−53; results are moved outward by `operations()` · 2^−51. Numbers too small for floats become larger in upper bounds and 0
// in lower ones. What depends on no fixed variable is computed once.
class BucketBounds {
  public:
    // `fixed` are the variables whose states differ by row. Throws std::invalid_argument where the parts do not fit.
    BucketBounds(std::vector<std::uint32_t> cards, std::vector<BoundedTable> tables, std::vector<std::uint32_t> fixed,
                 std::vector<BoundedBucket> buckets, std::vector<std::uint32_t> targets);

    std::size_t columns() const { return fixed_.size(); }
    std::size_t cells() const { return last_.cells; }     // joint states of the targets
    std::uint64_t operations() const { return operations_; }  // roundings on the way to one result, at most
    bool is_exact() const { return exact_; }

    // By row: bounds by cell of the targets in units of 2^scale.
    void run(const std::uint32_t* rows, std::size_t n, double* upper, std::int64_t* upper_scale, double* lower,
             std::int64_t* lower_scale, int threads) const;

  private:
    // A table inside a product: runs of axes, the outermost first, that the table has side by side or not at all.
    struct Walk {
        std::vector<std::size_t> sizes, strides;
    };
    struct Product {
        std::vector<std::uint32_t> inputs, scope;
        std::vector<Walk> walks;
        std::size_t cells = 1;
        std::size_t outer = 1, states = 1, inner = 1;  // cells = outer · states · inner; the variable's states are in the middle
        std::uint32_t exponent = 1;
    };
    struct Bucket {
        std::vector<Product> groups;
        std::size_t first = 0;  // the number of what the first group sends
        bool fixed = false;     // whether it depends on the row
    };
    struct Place {
        std::vector<std::size_t> columns, strides;  // where a row finds its part of a table
    };
    struct Work;

    std::vector<std::uint32_t> open_scope(const std::vector<std::uint32_t>& scope) const;
    void add_tables();
    void add_buckets(const std::vector<BoundedBucket>& buckets);
    Product group_product(const BoundedBucket& bucket, std::size_t group, std::vector<char>& used) const;
    void add_sent(const Product& product, std::uint32_t variable, bool fixed);
    Product product_of(const std::vector<std::uint32_t>& inputs, std::vector<std::uint32_t> scope) const;
    void compute_constants();
    void start(Work& work) const;
    void eliminate(const Bucket& bucket, Work& work) const;
    void send_split(const Bucket& bucket, Work& work) const;
    void send_lower(const Bucket& bucket, Work& work) const;

    std::vector<std::uint32_t> cards_, fixed_, targets_;
    std::vector<BoundedTable> tables_;
    std::vector<Place> places_;                      // by table
    std::vector<std::vector<std::uint32_t>> scopes_;  // by table and then by what groups send: without fixed variables
    std::vector<std::vector<std::size_t>> strides_;   // of the same
    std::vector<char> row_dependent_;                 // of the same
    std::vector<Bucket> buckets_;
    Product last_;
    std::vector<std::vector<double>> constant_upper_, constant_lower_;  // what buckets send that depend on no row
    std::int64_t constant_scale_[2] = {0, 0};
    std::uint64_t operations_ = 8;
    bool exact_ = true;
};

}  // namespace bayou
