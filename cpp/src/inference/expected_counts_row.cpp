// One row through the cliques of ExpectedCounts: products and sums on the way up, expected counts on the way down.
#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include "bayou/inference/expected_counts.hpp"

namespace bayou {

void ExpectedCounts::make_room(std::size_t values, Desk& desk) {
    if (values > desk.most_values) throw std::bad_alloc();
    desk.values.resize(std::min(std::max(values, 2 * desk.values.size()), desk.most_values));
}

// Multiplies the entries that agree with the row and sums them for every state of what is passed on; returns the
// largest sum. The products stay on the desk for the way down.
double ExpectedCounts::go_up(const Part& part, const double* table, Stand& stand, Desk& desk) const {
    const std::size_t inputs = part.children.size();
    const double* from[Offsets::width];
    for (std::size_t k = 0; k < inputs; ++k) from[k + 1] = desk.messages.get() + cliques_[part.children[k]].message;
    double* out = desk.messages.get() + part.message;
    double* value = desk.values.data() + stand.first_value;
    const std::int32_t* at = stand.here.at;
    const std::size_t last = stand.count - 1;
    const std::uint32_t states = stand.open[last].size;
    const std::int32_t* step = stand.open[last].step->at;
    const bool inner = stand.passed < stand.count;  // the fastest open variable is summed out
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
        } while (stand.advance(inner ? stand.passed : 0, last));
        if (!inner) break;
        out[at[inputs + 1]] = sum;
        out[at[inputs + 1] + 1] = 0;
        largest = std::max(largest, sum);
    } while (stand.advance(0, stand.passed));
    return largest;
}

// Goes up and says by what log the message was scaled; minus infinity: impossible.
double ExpectedCounts::go_up_scaled(const Part& part, const double* table, Stand& stand, Desk& desk) const {
    const std::size_t inputs = part.children.size();
    double* message = desk.messages.get() + part.message;
    double largest = 0;
    if (stand.count == 0) {
        largest = table[stand.here.at[0]];
        for (std::size_t k = 0; k < inputs; ++k) {
            largest *= desk.messages[cliques_[part.children[k]].message + static_cast<std::size_t>(stand.here.at[k + 1])];
        }
        message[stand.here.at[inputs + 1]] = largest;
        message[stand.here.at[inputs + 1] + 1] = 0;
    } else {
        largest = go_up(part, table, stand, desk);
    }
    if (!(largest > 0)) return -std::numeric_limits<double>::infinity();
    if (part.is_top) return std::log(largest);
    if (largest > small_message && largest < large_message) return 0.0;
    do {
        message[stand.here.at[inputs + 1]] /= largest;
    } while (stand.advance(0, stand.passed));
    double* values = desk.values.data() + stand.first_value;
    for (std::size_t i = 0; i < stand.values; ++i) values[i] /= largest;
    return std::log(largest);
}

// The expected count of each entry that agrees with the row: its share in what went up, times the expected count of
// the state that it went up for. Added to the sums and to what the children get.
void ExpectedCounts::go_down(const Part& part, Stand& stand, double weight, Desk& desk, double* sums) const {
    const std::size_t inputs = part.children.size();
    double* to[Offsets::width];
    for (std::size_t k = 0; k < inputs; ++k) to[k + 1] = desk.messages.get() + cliques_[part.children[k]].message + 1;
    const bool has_table = !part.factors.empty();
    sums += part.table;
    const std::int32_t* at = stand.here.at;
    if (stand.count == 0) {
        if (has_table) sums[at[0]] += weight;
        for (std::size_t k = 1; k <= inputs; ++k) to[k][at[k]] += weight;
        return;
    }
    const double* own = desk.messages.get() + part.message;
    double* value = desk.values.data() + stand.first_value;
    const auto share = [&](const double* pair) {
        const double expected = part.is_top ? weight : pair[1];
        return pair[0] > 0 ? expected / pair[0] : 0.0;
    };
    const std::size_t last = stand.count - 1;
    const std::uint32_t states = stand.open[last].size;
    const std::int32_t* step = stand.open[last].step->at;
    const bool inner = stand.passed < stand.count;
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
        } while (stand.advance(inner ? stand.passed : 0, last));
    } while (inner && stand.advance(0, stand.passed));
}

double ExpectedCounts::run_row(const double* tables, const std::uint32_t* codes, double weight, Desk& desk,
                               double* sums) const {
    static constexpr double one = 1.0;  // the table of a clique without factors
    double log = 0;
    std::size_t used = 0;
    for (std::size_t at = 0; at < cliques_.size(); ++at) {
        const Part& part = cliques_[at];
        Stand& stand = desk.stands[at];
        stand.start(part, codes, cards_);
        stand.first_value = used;
        stand.values = stand.count == 0 ? 0 : stand.entries;
        used += stand.values;
        if (used > desk.values.size()) make_room(used, desk);
        log += go_up_scaled(part, part.factors.empty() ? &one : tables + part.table, stand, desk);
        if (log == -std::numeric_limits<double>::infinity()) return log;
    }
    for (std::size_t at = cliques_.size(); at-- > 0;) go_down(cliques_[at], desk.stands[at], weight, desk, sums);
    return log;
}

}  // namespace bayou
