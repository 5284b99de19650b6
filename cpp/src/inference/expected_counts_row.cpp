// One row through the cliques of ExpectedCounts: products and sums on the way up, expected counts on the way down.
#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include "bayou/inference/expected_counts.hpp"

namespace bayou {

void ExpectedCounts::reserve_values(std::size_t values, RowWorkspace& work) {
    if (values > work.most_values) throw std::bad_alloc();
    work.values.resize(std::min(std::max(values, 2 * work.values.size()), work.most_values));
}

// Multiplies the entries that agree with the row and sums them for every state of the separator; returns the
// largest sum. The products stay in the workspace for distribute().
double ExpectedCounts::collect(const CountedClique& clique, const double* table, RowCursor& cursor,
                               RowWorkspace& work) const {
    const std::size_t inputs = clique.children.size();
    const double* from[Offsets::width];
    for (std::size_t k = 0; k < inputs; ++k) from[k + 1] = work.messages.get() + cliques_[clique.children[k]].message;
    double* out = work.messages.get() + clique.message;
    double* value = work.values.data() + cursor.first_value;
    const std::int32_t* at = cursor.here.at;
    const std::size_t last = cursor.count - 1;
    const std::uint32_t states = cursor.open[last].size;
    const std::int32_t* step = cursor.open[last].step->at;
    const bool inner = cursor.passed < cursor.count;  // the fastest open variable is summed out
    double largest = 0;
    do {
        double sum = 0;
        do {
            const double* a = table + at[0];
            const std::int32_t a_step = step[0];
            if (inputs == 0) {
                for (std::uint32_t i = 0; i < states; ++i, a += a_step) value[i] = *a;
            } else {
                const double* b = from[1] + at[1];
                for (std::uint32_t i = 0; i < states; ++i, a += a_step, b += step[1]) value[i] = *a * *b;
            }
            for (std::size_t k = 2; k <= inputs; ++k) {
                const double* b = from[k] + at[k];
                for (std::uint32_t i = 0; i < states; ++i, b += step[k]) value[i] *= *b;
            }
            if (inner) {
                for (std::uint32_t i = 0; i < states; ++i) sum += value[i];
            } else {
                double* to = out + at[inputs + 1];
                for (std::uint32_t i = 0; i < states; ++i, to += step[inputs + 1]) {
                    to[0] = value[i];
                    to[1] = 0;
                    largest = std::max(largest, value[i]);
                }
            }
            value += states;
        } while (cursor.advance(inner ? cursor.passed : 0, last));
        if (!inner) break;
        out[at[inputs + 1]] = sum;
        out[at[inputs + 1] + 1] = 0;
        largest = std::max(largest, sum);
    } while (cursor.advance(0, cursor.passed));
    return largest;
}

// Collects, scales the message where it is very small or large, and returns the log of the scale; minus infinity: the
// row is impossible.
double ExpectedCounts::collect_scaled(const CountedClique& clique, const double* table, RowCursor& cursor,
                                      RowWorkspace& work) const {
    const std::size_t inputs = clique.children.size();
    double* message = work.messages.get() + clique.message;
    double largest = 0;
    if (cursor.count == 0) {
        largest = table[cursor.here.at[0]];
        for (std::size_t k = 0; k < inputs; ++k) {
            const double* from = work.messages.get() + cliques_[clique.children[k]].message;
            largest *= from[cursor.here.at[k + 1]];
        }
        message[cursor.here.at[inputs + 1]] = largest;
        message[cursor.here.at[inputs + 1] + 1] = 0;
    } else {
        largest = collect(clique, table, cursor, work);
    }
    if (!(largest > 0)) return -std::numeric_limits<double>::infinity();
    if (clique.is_top) return std::log(largest);
    if (largest > small_message && largest < large_message) return 0.0;
    do {
        message[cursor.here.at[inputs + 1]] /= largest;
    } while (cursor.advance(0, cursor.passed));
    double* values = work.values.data() + cursor.first_value;
    for (std::size_t i = 0; i < cursor.values; ++i) values[i] /= largest;
    return std::log(largest);
}

// The expected count of each entry that agrees with the row: its share of the message's state, times the expected count
// of that state. It is added to the sums and to the counts that the children's messages take down.
void ExpectedCounts::distribute(const CountedClique& clique, RowCursor& cursor, double weight, RowWorkspace& work,
                                double* sums) const {
    const std::size_t inputs = clique.children.size();
    double* to[Offsets::width];
    for (std::size_t k = 0; k < inputs; ++k) to[k + 1] = work.messages.get() + cliques_[clique.children[k]].message + 1;
    const bool has_table = !clique.factors.empty();
    sums += clique.table;
    const std::int32_t* at = cursor.here.at;
    if (cursor.count == 0) {
        if (has_table) sums[at[0]] += weight;
        for (std::size_t k = 1; k <= inputs; ++k) to[k][at[k]] += weight;
        return;
    }
    const double* own = work.messages.get() + clique.message;
    double* value = work.values.data() + cursor.first_value;
    const auto share = [&](const double* pair) {
        const double expected = clique.is_top ? weight : pair[1];
        return pair[0] > 0 ? expected / pair[0] : 0.0;
    };
    const std::size_t last = cursor.count - 1;
    const std::uint32_t states = cursor.open[last].size;
    const std::int32_t* step = cursor.open[last].step->at;
    const bool inner = cursor.passed < cursor.count;
    do {
        const double* pair = own + at[inputs + 1];
        const double ratio = inner ? share(pair) : 0.0;
        do {
            if (inner) {
                for (std::uint32_t i = 0; i < states; ++i) value[i] *= ratio;
            } else {
                pair = own + at[inputs + 1];
                for (std::uint32_t i = 0; i < states; ++i, pair += step[inputs + 1]) value[i] *= share(pair);
            }
            if (has_table) {
                double* sum = sums + at[0];
                for (std::uint32_t i = 0; i < states; ++i, sum += step[0]) *sum += value[i];
            }
            for (std::size_t k = 1; k <= inputs; ++k) {
                double* child = to[k] + at[k];
                for (std::uint32_t i = 0; i < states; ++i, child += step[k]) *child += value[i];
            }
            value += states;
        } while (cursor.advance(inner ? cursor.passed : 0, last));
    } while (inner && cursor.advance(0, cursor.passed));
}

double ExpectedCounts::run_row(const double* tables, const std::uint32_t* codes, double weight, RowWorkspace& work,
                               double* sums) const {
    static constexpr double one = 1.0;  // the table of a clique without factors
    double log = 0;
    std::size_t used = 0;
    for (std::size_t at = 0; at < cliques_.size(); ++at) {
        const CountedClique& clique = cliques_[at];
        RowCursor& cursor = work.cursors[at];
        cursor.start(clique, codes, cards_);
        cursor.first_value = used;
        cursor.values = cursor.count == 0 ? 0 : cursor.entries;
        used += cursor.values;
        if (used > work.values.size()) reserve_values(used, work);
        log += collect_scaled(clique, clique.factors.empty() ? &one : tables + clique.table, cursor, work);
        if (log == -std::numeric_limits<double>::infinity()) return log;
    }
    for (std::size_t at = cliques_.size(); at-- > 0;) distribute(cliques_[at], work.cursors[at], weight, work, sums);
    return log;
}

}  // namespace bayou
