// One row through the cliques of ExpectedCounts: products and sums on the way up, expected counts on the way down.
#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include "bayou/base/underflow.hpp"
#include "bayou/inference/expected_counts.hpp"

namespace bayou {

template <class Number>
void ExpectedCounts::reserve_values(std::size_t values, std::size_t most, std::vector<Number>& reserved) {
    if (values > most) throw std::bad_alloc();
    reserved.resize(std::min(std::max(values, 2 * reserved.size()), most));
}

// Multiplies the entries that agree with the row and sums them for every state of the separator; returns the
// largest sum. The products stay in the workspace for distribute().
template <class Number>
Number ExpectedCounts::collect(const CountedClique& clique, const Number* table, RowCursor& cursor,
                               RowNumbers<Number>& numbers) const {
    const std::size_t inputs = clique.children.size();
    const Number* from[Offsets::width];
    for (std::size_t k = 0; k < inputs; ++k) from[k + 1] = numbers.messages.get() + cliques_[clique.children[k]].message;
    Number* out = numbers.messages.get() + clique.message;
    Number* value = numbers.values.data() + cursor.first_value;
    const std::int32_t* at = cursor.here.at;
    const std::size_t last = cursor.count - 1;
    const std::uint32_t states = cursor.open[last].size;
    const std::int32_t* step = cursor.open[last].step->at;
    const bool inner = cursor.passed < cursor.count;  // the fastest open variable is summed out
    Number largest = 0.0;
    do {
        Number sum = 0.0;
        do {
            const Number* a = table + at[0];
            const std::int32_t a_step = step[0];
            if (inputs == 0) {
                for (std::uint32_t i = 0; i < states; ++i, a += a_step) value[i] = *a;
            } else {
                const Number* b = from[1] + at[1];
                for (std::uint32_t i = 0; i < states; ++i, a += a_step, b += step[1]) value[i] = *a * *b;
            }
            for (std::size_t k = 2; k <= inputs; ++k) {
                const Number* b = from[k] + at[k];
                for (std::uint32_t i = 0; i < states; ++i, b += step[k]) value[i] *= *b;
            }
            if (inner) {
                for (std::uint32_t i = 0; i < states; ++i) sum += value[i];
            } else {
                Number* to = out + at[inputs + 1];
                for (std::uint32_t i = 0; i < states; ++i, to += step[inputs + 1]) {
                    to[0] = value[i];
                    to[1] = 0.0;
                    largest = std::max(largest, value[i]);
                }
            }
            value += states;
        } while (cursor.advance(inner ? cursor.passed : 0, last));
        if (!inner) break;
        out[at[inputs + 1]] = sum;
        out[at[inputs + 1] + 1] = 0.0;
        largest = std::max(largest, sum);
    } while (cursor.advance(0, cursor.passed));
    return largest;
}

// Collects, scales the message where it is very small or large, and returns the log of the scale; minus infinity: the
// row is impossible.
template <class Number>
double ExpectedCounts::collect_scaled(const CountedClique& clique, const Number* table, RowCursor& cursor,
                                      RowNumbers<Number>& numbers) const {
    const std::size_t inputs = clique.children.size();
    Number* message = numbers.messages.get() + clique.message;
    Number largest = 0.0;
    if (cursor.count == 0) {
        largest = table[cursor.here.at[0]];
        for (std::size_t k = 0; k < inputs; ++k) {
            const Number* from = numbers.messages.get() + cliques_[clique.children[k]].message;
            largest *= from[cursor.here.at[k + 1]];
        }
        message[cursor.here.at[inputs + 1]] = largest;
        message[cursor.here.at[inputs + 1] + 1] = 0.0;
    } else {
        largest = collect(clique, table, cursor, numbers);
    }
    if (!(largest > 0.0)) return -std::numeric_limits<double>::infinity();
    if (clique.is_top) return log_of(largest);
    if (largest > small_message && largest < large_message) return 0.0;
    do {
        message[cursor.here.at[inputs + 1]] /= largest;
    } while (cursor.advance(0, cursor.passed));
    Number* values = numbers.values.data() + cursor.first_value;
    for (std::size_t i = 0; i < cursor.values; ++i) values[i] /= largest;
    return log_of(largest);
}

// The expected count of each entry that agrees with the row: its share of the message's state, times the expected count
// of that state. It is added to the sums and to the counts that the children's messages take down.
template <class Number>
void ExpectedCounts::distribute(const CountedClique& clique, RowCursor& cursor, double weight,
                                RowNumbers<Number>& numbers, double* sums) const {
    const std::size_t inputs = clique.children.size();
    Number* to[Offsets::width];
    for (std::size_t k = 0; k < inputs; ++k) to[k + 1] = numbers.messages.get() + cliques_[clique.children[k]].message + 1;
    const bool has_table = !clique.factors.empty();
    sums += clique.table;
    const std::int32_t* at = cursor.here.at;
    if (cursor.count == 0) {
        if (has_table) sums[at[0]] += weight;
        for (std::size_t k = 1; k <= inputs; ++k) to[k][at[k]] += weight;
        return;
    }
    const Number* own = numbers.messages.get() + clique.message;
    Number* value = numbers.values.data() + cursor.first_value;
    const auto share = [&](const Number* pair) {
        const Number expected = clique.is_top ? Number(weight) : pair[1];
        return pair[0] > 0.0 ? expected / pair[0] : Number(0.0);
    };
    const std::size_t last = cursor.count - 1;
    const std::uint32_t states = cursor.open[last].size;
    const std::int32_t* step = cursor.open[last].step->at;
    const bool inner = cursor.passed < cursor.count;
    do {
        const Number* pair = own + at[inputs + 1];
        const Number ratio = inner ? share(pair) : Number(0.0);
        do {
            if (inner) {
                for (std::uint32_t i = 0; i < states; ++i) value[i] *= ratio;
            } else {
                pair = own + at[inputs + 1];
                for (std::uint32_t i = 0; i < states; ++i, pair += step[inputs + 1]) value[i] *= share(pair);
            }
            if (has_table) {
                double* sum = sums + at[0];
                for (std::uint32_t i = 0; i < states; ++i, sum += step[0]) *sum += static_cast<double>(value[i]);
            }
            for (std::size_t k = 1; k <= inputs; ++k) {
                Number* child = to[k] + at[k];
                for (std::uint32_t i = 0; i < states; ++i, child += step[k]) *child += value[i];
            }
            value += states;
        } while (cursor.advance(inner ? cursor.passed : 0, last));
    } while (inner && cursor.advance(0, cursor.passed));
}

template <class Number>
double ExpectedCounts::collect_row(const Number* tables, const std::uint32_t* codes, RowWorkspace& work,
                                   RowNumbers<Number>& numbers, double* before_underflow) const {
    static const Number one = 1.0;  // the table of a clique without factors
    double log = 0;
    std::size_t used = 0;
    bool underflowed = false;
    for (std::size_t at = 0; at < cliques_.size(); ++at) {
        const CountedClique& clique = cliques_[at];
        RowCursor& cursor = work.cursors[at];
        cursor.start(clique, codes, open_cards_);
        cursor.first_value = used;
        cursor.values = cursor.count == 0 ? 0 : cursor.entries;
        used += cursor.values;
        if (used > numbers.values.size()) reserve_values(used, work.most_values * sizeof(double) / sizeof(Number), numbers.values);
        const double more = collect_scaled(clique, clique.factors.empty() ? &one : tables + clique.table, cursor, numbers);
        if (before_underflow && !underflowed) {
            underflowed = has_underflowed();
            *before_underflow = log;
        }
        log += more;
        if (log == -std::numeric_limits<double>::infinity()) return log;
    }
    return log;
}

template <class Number>
void ExpectedCounts::distribute_row(double weight, RowWorkspace& work, RowNumbers<Number>& numbers,
                                    double* sums) const {
    for (std::size_t at = cliques_.size(); at-- > 0;) distribute(cliques_[at], work.cursors[at], weight, numbers, sums);
}

// Whether something that underflowed in this row may matter: its log P has fallen far since then.
bool ExpectedCounts::is_doubtful(double log, const Products& products, const std::uint32_t* codes,
                                 RowWorkspace& work) const {
    if (log > safe_log || !(products.underflowed || has_underflowed())) return false;
    if (products.underflowed) return true;
    double before_underflow = 0;
    forget_underflow();
    collect_row(products.doubles.get(), codes, work, work.doubles, &before_underflow);
    return !(log - before_underflow > safe_log);
}

double ExpectedCounts::run_row(Products& products, const std::uint32_t* codes, double weight, RowWorkspace& work,
                               double* sums) const {
    forget_underflow();
    double log = collect_row(products.doubles.get(), codes, work, work.doubles);
    if (is_doubtful(log, products, codes, work)) {
        if (!work.wide.messages) work.wide.messages.reset(new WideNumber[messages_]);
        log = collect_row(wide_tables(products), codes, work, work.wide);
        if (log > -std::numeric_limits<double>::infinity()) distribute_row(weight, work, work.wide, sums);
    } else if (log > -std::numeric_limits<double>::infinity()) {
        distribute_row(weight, work, work.doubles, sums);
    }
    return log;
}

}  // namespace bayou
