// A node of the tree is a range of blocks; a block is a maximal run of neighbouring values that all have the same
// single class, or one value with several classes. The best cut never lies inside a block (Fayyad and Irani 1992).
//
// A cut is judged by E, the sum over its two sides of weight times entropy. The class weights left of every
// `stride`-th block (a mark) are stored, so that E is known there at once; between two marks it is bounded from
// below, and only intervals that may contain the best cut are searched.
#include "bayou/density/mdl_cuts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "bayou/base/threads.hpp"
#include "sorted_values.hpp"

namespace bayou {

namespace {

constexpr double tie = 1e-12;  // bits per row by which a later cut must be better than an earlier one

// n log2 n in fixed point: its sums are exact, so they can be updated entry by entry without rounding errors.
class Terms {
  public:
    Terms(double total, std::size_t n_classes) {
        const double largest = total * std::abs(std::log2(total)) + static_cast<double>(n_classes) + 1;
        scale_ = std::ldexp(1.0, 58 - std::ilogb(largest));
    }
    void tabulate(std::size_t most) {
        table_.resize(most + 1);
        for (std::size_t n = 0; n <= most; ++n) table_[n] = (*this)(static_cast<double>(n));
    }
    std::int64_t operator()(std::int64_t n) const { return table_[n]; }
    std::int64_t operator()(double n) const { return n > 0 ? std::llrint(n * std::log2(n) * scale_) : 0; }
    double bits(std::int64_t fixed) const { return static_cast<double>(fixed) / scale_; }
    std::int64_t fixed(double bits) const { return std::llrint(bits * scale_); }

  private:
    double scale_;
    std::vector<std::int64_t> table_;
};

// Half way between two neighbouring values; infinite ones count as the largest finite ones.
double cut_between(double left, double right) {
    constexpr double largest = std::numeric_limits<double>::max();
    const double middle = 0.5 * std::max(left, -largest) + 0.5 * std::min(right, largest);
    return left <= middle && middle < right ? middle : left;
}

// The blocks of a column. Weight: int64 if the rows have integer weights, double otherwise.
template <typename Weight>
struct Blocks {
    std::vector<std::size_t> starts;  // of each block's entries, and the end
    std::vector<std::uint32_t> classes;
    std::vector<Weight> weights;
    std::vector<double> cuts;  // before each block
    Weight total = 0;

    std::size_t size() const { return cuts.size(); }

    explicit Blocks(const ClassedColumn& column) {
        double last = -std::numeric_limits<double>::infinity();
        bool last_pure = false;
        visit_values(column, [&](double value, const ClassesAtValue& here) {
            const bool pure = here.classes().size() == 1;
            if (pure && last_pure && here.classes()[0] == classes.back()) {
                weights.back() += static_cast<Weight>(here.weight(classes.back()));
            } else {
                starts.push_back(classes.size());
                cuts.push_back(cut_between(last, value));
                for (const std::uint32_t of_class : here.classes()) {
                    classes.push_back(of_class);
                    weights.push_back(static_cast<Weight>(here.weight(of_class)));
                }
            }
            last_pure = pure;
            last = value;
        });
        starts.push_back(classes.size());
        for (const Weight weight : weights) total += weight;
    }
};

template <typename Weight>
struct Totals {
    std::vector<Weight> weights;  // by class
    Weight total = 0;
};

// The class weights on one side of a cut and the sum of their terms.
template <typename Weight>
struct Side {
    std::vector<Weight> weight;
    std::vector<std::int64_t> term;
    std::int64_t sum = 0;

    explicit Side(std::size_t n_classes) : weight(n_classes), term(n_classes) {}

    void refresh(const Terms& terms) {
        sum = 0;
        for (std::size_t c = 0; c < weight.size(); ++c) sum += term[c] = terms(weight[c]);
    }
    void change(std::uint32_t of_class, Weight by, const Terms& terms) {
        const Weight now = weight[of_class] += by;
        const std::int64_t value = terms(now);
        sum += value - term[of_class];
        term[of_class] = value;
    }
};

template <typename Weight>
class Cutter {
  public:
    Cutter(const Blocks<Weight>& blocks, std::size_t n_classes, const Terms& terms)
        : blocks_(blocks), k_(n_classes), stride_(std::max<std::size_t>(64, 8 * n_classes)), terms_(terms),
          left_(n_classes), right_(n_classes) {
        std::vector<Weight> sums(k_, 0);
        for (std::size_t block = 0; block < blocks.size(); ++block) {
            if (block % stride_ == 0) before_.insert(before_.end(), sums.begin(), sums.end());
            for (std::size_t at = blocks.starts[block]; at < blocks.starts[block + 1]; ++at) {
                sums[blocks.classes[at]] += blocks.weights[at];
            }
        }
    }

    std::vector<double> cuts() {
        std::vector<double> found;
        std::vector<std::pair<std::size_t, std::size_t>> waiting{{0, blocks_.size()}};
        while (!waiting.empty()) {
            const auto [begin, end] = waiting.back();
            waiting.pop_back();
            const std::size_t middle = split(begin, end);
            if (middle == begin) continue;
            found.push_back(blocks_.cuts[middle]);
            waiting.push_back({begin, middle});
            waiting.push_back({middle, end});
        }
        std::sort(found.begin(), found.end());
        return found;
    }

  private:
    void add_blocks(std::size_t begin, std::size_t end, std::vector<Weight>& weights) const {
        for (std::size_t at = blocks_.starts[begin]; at < blocks_.starts[end]; ++at) {
            weights[blocks_.classes[at]] += blocks_.weights[at];
        }
    }

    // Class weights of [0, block).
    std::vector<Weight> weights_before(std::size_t block) const {
        const std::size_t mark = std::min(block / stride_, before_.size() / k_ - 1);
        std::vector<Weight> sums(before_.begin() + mark * k_, before_.begin() + (mark + 1) * k_);
        add_blocks(mark * stride_, block, sums);
        return sums;
    }

    // Integers are subtracted exactly; fractions are summed again, so that absent classes have exactly weight 0.
    Totals<Weight> totals(std::size_t begin, std::size_t end) const {
        Totals<Weight> result{std::vector<Weight>(k_, 0), 0};
        if constexpr (std::is_integral_v<Weight>) {
            const auto low = weights_before(begin);
            result.weights = weights_before(end);
            for (std::size_t c = 0; c < k_; ++c) result.weights[c] -= low[c];
        } else {
            add_blocks(begin, end, result.weights);
        }
        for (const Weight weight : result.weights) result.total += weight;
        return result;
    }

    // The first block of the right part, or `begin` if the node is a leaf.
    std::size_t split(std::size_t begin, std::size_t end) {
        if (end - begin < 2) return begin;
        const auto all = totals(begin, end);
        if (all.total <= 1) return begin;
        find_best(begin, end, all);
        return pays(all, totals(begin, best_), totals(best_, end)) ? best_ : begin;
    }

    // The cut that leaves the least entropy, the first of those that are equally good.
    void find_best(std::size_t begin, std::size_t end, const Totals<Weight>& all) {
        better_by_ = terms_.fixed(tie * static_cast<double>(all.total));
        least_ = std::numeric_limits<std::int64_t>::max() / 2;
        best_ = end;
        const auto start = weights_before(begin);
        marks_.clear();
        marks_.push_back({begin, 0});
        for (std::size_t block = (begin / stride_ + 1) * stride_; block < end; block += stride_) {
            stand_at(block, start, all);
            marks_.push_back({block, energy(all)});
            consider(block, marks_.back().energy);
        }
        marks_.push_back({end, 0});
        for (std::size_t at = 0; at + 1 < marks_.size(); ++at) {
            const bool inner = at > 0 && at + 2 < marks_.size();
            if (inner && bound(marks_[at], marks_[at + 1], start, all) > least_ + better_by_) continue;
            walk(marks_[at].block, marks_[at + 1].block, start, all);
        }
    }

    struct Mark {
        std::size_t block;
        std::int64_t energy;
    };

    void consider(std::size_t block, std::int64_t energy) {
        if (energy < least_ - better_by_) {
            best_ = block;
        } else if (energy <= least_ + better_by_) {
            best_ = std::min(best_, block);
        }
        least_ = std::min(least_, energy);
    }

    // Sets both sides to those of the cut before `block`.
    void stand_at(std::size_t block, const std::vector<Weight>& start, const Totals<Weight>& all) {
        const Weight* mark = before_.data() + block / stride_ * k_;
        place(mark, start, all);
    }

    void place(const Weight* sums, const std::vector<Weight>& start, const Totals<Weight>& all) {
        n_ = 0;
        for (std::size_t c = 0; c < k_; ++c) {
            n_ += left_.weight[c] = sums[c] - start[c];
            right_.weight[c] = all.weights[c] - left_.weight[c];
        }
        left_.refresh(terms_);
        right_.refresh(terms_);
    }

    std::int64_t energy(const Totals<Weight>& all) const {
        return terms_(n_) - left_.sum + terms_(all.total - n_) - right_.sum;
    }

    // Every cut strictly between two blocks.
    void walk(std::size_t begin, std::size_t end, const std::vector<Weight>& start, const Totals<Weight>& all) {
        if (begin % stride_ == 0) {
            stand_at(begin, start, all);
        } else {
            place(start.data(), start, all);  // the node's own beginning
        }
        for (std::size_t block = begin; block + 1 < end; ++block) {
            for (std::size_t at = blocks_.starts[block]; at < blocks_.starts[block + 1]; ++at) {
                const Weight weight = blocks_.weights[at];
                left_.change(blocks_.classes[at], weight, terms_);
                right_.change(blocks_.classes[at], -weight, terms_);
                n_ += weight;
            }
            consider(block + 1, energy(all));
        }
    }

    // A lower bound of E for the cuts between two marks. Moving weight m of class c to the left lowers E by at most
    // m log2(n / n_c) of the right side (with the largest n and the smallest n_c between the marks), moving it back
    // by that of the left side.
    std::int64_t bound(const Mark& low, const Mark& high, const std::vector<Weight>& start,
                       const Totals<Weight>& all) const {
        const Weight* a = before_.data() + low.block / stride_ * k_;
        const Weight* b = before_.data() + high.block / stride_ * k_;
        double left_most = 0, right_most = 0, fall = 0;
        for (std::size_t c = 0; c < k_; ++c) {
            left_most += static_cast<double>(b[c] - start[c]);
            right_most += static_cast<double>(all.weights[c] - (a[c] - start[c]));
        }
        for (std::size_t c = 0; c < k_; ++c) {
            const double moved = static_cast<double>(b[c] - a[c]);
            if (moved <= 0) continue;
            const double left = static_cast<double>(a[c] - start[c]);
            const double right = static_cast<double>(all.weights[c] - (b[c] - start[c]));
            if (left <= moved * 1e-6 || right <= moved * 1e-6) return std::numeric_limits<std::int64_t>::min();
            fall += moved * std::log2(std::max(left_most / left, right_most / right));
        }
        const double slack = fall * (1 + 1e-9) + 1e-9;
        return (low.energy / 2 + high.energy / 2) - terms_.fixed(0.5 * slack);
    }

    // Weight times entropy, in bits.
    double entropy(const Totals<Weight>& part) const {
        std::int64_t sum = terms_(part.total);
        for (const Weight weight : part.weights) sum -= terms_(weight);
        return terms_.bits(sum);
    }

    static double classes_in(const Totals<Weight>& part) {
        return static_cast<double>(std::count_if(part.weights.begin(), part.weights.end(), [](Weight w) { return w > 0; }));
    }

    // The stopping rule: gain >= (log2(n - 1) + delta) / n; here both sides are multiplied by n.
    bool pays(const Totals<Weight>& all, const Totals<Weight>& left, const Totals<Weight>& right) const {
        const double whole = entropy(all), before = entropy(left), after = entropy(right);
        const double n = static_cast<double>(all.total), k = classes_in(all);
        const double models = k < 40 ? std::log2(std::pow(3.0, k) - 2) : k * std::log2(3.0);
        const double delta = models - (k * whole / n - classes_in(left) * before / static_cast<double>(left.total) -
                                       classes_in(right) * after / static_cast<double>(right.total));
        return whole - before - after >= std::log2(std::max(n - 1, 1.0)) + delta;
    }

    const Blocks<Weight>& blocks_;
    const std::size_t k_, stride_;
    const Terms& terms_;
    std::vector<Weight> before_;  // class weights left of every stride-th block
    Side<Weight> left_, right_;
    Weight n_ = 0;  // weight on the left
    std::vector<Mark> marks_;
    std::int64_t least_ = 0, better_by_ = 0;
    std::size_t best_ = 0;
};

template <typename Weight>
std::vector<double> cuts_of(const ClassedColumn& column, const Terms* shared) {
    const Blocks<Weight> blocks(column);
    if (blocks.total <= 1) return {};
    if (shared) return Cutter<Weight>(blocks, column.n_classes, *shared).cuts();
    const Terms terms(static_cast<double>(blocks.total), column.n_classes);
    return Cutter<Weight>(blocks, column.n_classes, terms).cuts();
}

// The sum of the weights if they are integers and small enough for a table of terms, else 0.
std::size_t whole_total(const ClassedColumn& column) {
    if (!column.weights) return column.rows;
    const double most = 4.0 * static_cast<double>(column.rows) + 1024;
    double total = 0;
    for (std::size_t row = 0; row < column.rows; ++row) {
        total += column.weights[row];
        if (column.weights[row] != std::floor(column.weights[row]) || total > most) return 0;
    }
    return static_cast<std::size_t>(total);
}

}  // namespace

std::vector<std::vector<double>> mdl_cuts(const std::vector<ClassedColumn>& columns, int threads) {
    usable_threads(threads);
    std::vector<std::vector<double>> result(columns.size());
    if (columns.empty() || columns[0].rows == 0) return result;
    const ClassedColumn& any = columns[0];
    check_classes_and_weights(any);
    const std::size_t whole = whole_total(any);
    Terms terms(static_cast<double>(std::max<std::size_t>(whole, 1)), any.n_classes);
    if (whole > 0) terms.tabulate(whole);
    parallel_for(columns.size(), threads, [&](std::size_t at, int) {
        result[at] = whole > 0 ? cuts_of<std::int64_t>(columns[at], &terms) : cuts_of<double>(columns[at], nullptr);
    });
    return result;
}

}  // namespace bayou
