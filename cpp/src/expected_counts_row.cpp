// One row through the cliques of ExpectedCounts: products and sums on the way up, expected counts on the way down.
#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include "bayou/expected_counts.hpp"

namespace bayou {

namespace {

// A message outside this range is scaled: six of them in one product must neither underflow nor overflow.
constexpr double small_message = 1e-30, large_message = 1e30;

}  // namespace

inline void ExpectedCounts::Stand::move(const Places& by) {
    for (std::size_t k = 0; k < width; ++k) here.at[k] += by.at[k];
}

inline void ExpectedCounts::Stand::move_back(const Places& by) {
    for (std::size_t k = 0; k < width; ++k) here.at[k] -= by.at[k];
}

// Goes on to the next state of the variables in [first, last), the last one fastest; false after the last.
inline bool ExpectedCounts::Stand::advance(std::size_t first, std::size_t last) {
    for (; last > first; --last) {
        Open& digit = open[last - 1];
        if (--digit.left > 0) {
            move(*digit.step);
            return true;
        }
        digit.left = digit.size;
        move_back(digit.step[digit.size - 2]);
    }
    return false;
}

inline void ExpectedCounts::find_stand(const Part& part, const std::uint32_t* codes, Stand& stand) const {
    Places here{};
    std::uint32_t count = 0, kept = 0;
    std::size_t entries = 1;
    for (std::size_t k = 0; k < part.scope.size(); ++k) {
        const std::uint32_t variable = part.scope[k], code = codes[variable];
        const Places* places = part.places[k];
        if (code != UINT32_MAX) {
            for (std::size_t which = 0; which < width; ++which) here.at[which] += places[code].at[which];
        } else if (const std::uint32_t size = cards_[variable]; size > 1) {
            stand.open[count++] = {places + 1, size, size};
            kept += k < part.kept;
            entries *= size;
        }
    }
    stand.here = here;
    stand.count = count;
    stand.kept = kept;
    stand.entries = count == 0 ? 0 : entries;
}

void ExpectedCounts::make_room(std::size_t values, Desk& desk) {
    if (values > desk.most_values) throw std::bad_alloc();
    desk.values.resize(std::min(std::max(values, 2 * desk.values.size()), desk.most_values));
}

// Multiplies the entries that agree with the row and sums them for every state of what is passed on; returns the
// largest sum. The products stay on the desk for the way down.
double ExpectedCounts::go_up(const Part& part, const double* table, Stand& stand, Desk& desk) const {
    const std::size_t inputs = part.inputs.size();
    const double* from[width];
    for (std::size_t k = 0; k < inputs; ++k) from[k + 1] = desk.messages.get() + cliques_[part.inputs[k]].message;
    double* out = desk.messages.get() + part.message;
    double* value = desk.values.data() + stand.first;
    const bool hollow = part.factors.empty();
    const std::int32_t* at = stand.here.at;
    const std::size_t last = stand.count - 1;
    const std::uint32_t states = stand.open[last].size;
    const std::int32_t* step = stand.open[last].step->at;
    const bool inner = stand.kept < stand.count;  // the fastest open variable is summed out
    double largest = 0;
    do {
        double sum = 0;
        do {
            const double* a = table + (hollow ? 0 : at[0]);
            const std::int32_t a_step = hollow ? 0 : step[0];
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
        } while (stand.advance(inner ? stand.kept : 0, last));
        if (!inner) break;
        out[at[inputs + 1]] = sum;
        out[at[inputs + 1] + 1] = 0;
        largest = std::max(largest, sum);
    } while (stand.advance(0, stand.kept));
    return largest;
}

// Goes up and says by what log the message was scaled; minus infinity: impossible.
double ExpectedCounts::go_up_scaled(const Part& part, const double* table, Stand& stand, Desk& desk) const {
    const std::size_t inputs = part.inputs.size();
    double* message = desk.messages.get() + part.message;
    double largest = 0;
    if (stand.count == 0) {
        largest = part.factors.empty() ? 1.0 : table[stand.here.at[0]];
        for (std::size_t k = 0; k < inputs; ++k) {
            largest *= desk.messages[cliques_[part.inputs[k]].message + static_cast<std::size_t>(stand.here.at[k + 1])];
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
    } while (stand.advance(0, stand.kept));
    double* values = desk.values.data() + stand.first;
    for (std::size_t i = 0; i < stand.entries; ++i) values[i] /= largest;
    return std::log(largest);
}

// The expected count of each entry that agrees with the row: its share in what went up, times the expected count of
// the state that it went up for. Added to the sums and to what the children get.
void ExpectedCounts::go_down(const Part& part, Stand& stand, double weight, Desk& desk, double* sums) const {
    const std::size_t inputs = part.inputs.size();
    double* to[width];
    for (std::size_t k = 0; k < inputs; ++k) to[k + 1] = desk.messages.get() + cliques_[part.inputs[k]].message + 1;
    const bool hollow = part.factors.empty();
    sums += part.table;
    const std::int32_t* at = stand.here.at;
    if (stand.count == 0) {
        if (!hollow) sums[at[0]] += weight;
        for (std::size_t k = 1; k <= inputs; ++k) to[k][at[k]] += weight;
        return;
    }
    const double* own = desk.messages.get() + part.message;
    double* value = desk.values.data() + stand.first;
    const auto share = [&](const double* pair) {
        const double expected = part.is_top ? weight : pair[1];
        return pair[0] > 0 ? expected / pair[0] : 0.0;
    };
    const std::size_t last = stand.count - 1;
    const std::uint32_t states = stand.open[last].size;
    const std::int32_t* step = stand.open[last].step->at;
    const bool inner = stand.kept < stand.count;
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
            if (!hollow) {
                double* sum = sums + at[0];
                for (std::uint32_t i = 0; i < states; ++i, sum += step[0]) *sum += value[i];
            }
            for (std::size_t k = 1; k <= inputs; ++k) {
                double* child = to[k] + at[k];
                for (std::uint32_t i = 0; i < states; ++i, child += step[k]) *child += value[i];
            }
            value += states;
        } while (stand.advance(inner ? stand.kept : 0, last));
    } while (inner && stand.advance(0, stand.kept));
}

double ExpectedCounts::run_row(const double* tables, const std::uint32_t* codes, double weight, Desk& desk,
                               double* sums) const {
    static constexpr double one = 1.0;
    double log = 0;
    std::size_t used = 0;
    for (std::size_t at = 0; at < cliques_.size(); ++at) {
        const Part& part = cliques_[at];
        Stand& stand = desk.stands[at];
        find_stand(part, codes, stand);
        stand.first = used;
        used += stand.entries;
        if (used > desk.values.size()) make_room(used, desk);
        log += go_up_scaled(part, part.factors.empty() ? &one : tables + part.table, stand, desk);
        if (log == -std::numeric_limits<double>::infinity()) return log;
    }
    for (std::size_t at = cliques_.size(); at-- > 0;) go_down(cliques_[at], desk.stands[at], weight, desk, sums);
    return log;
}

}  // namespace bayou
