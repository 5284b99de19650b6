#include "bayou/counting/one_dependence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bayou/base/threads.hpp"

namespace bayou {

namespace {

constexpr std::size_t block_rows = 16;  // rows that are scored side by side: they share the tables in the cache

// log P(child | class, parent) of one pair, written to the square table from both sides. The cell of states (x, y) is
// cells[x * rows_step + y * columns_step].
template <typename T>
struct PairCells {
    const T* cells;
    std::size_t parents, children, parent_step, child_step;
};

template <typename T>
void log_shares(const PairCells<T>& pair, double strength, std::size_t n_classes, double* logs, std::size_t row_length) {
    for (std::size_t a = 0; a < pair.parents; ++a) {
        const T* cells = pair.cells + a * pair.parent_step;
        double total = strength * static_cast<double>(pair.children);
        for (std::size_t b = 0; b < pair.children; ++b) total += static_cast<double>(cells[b * pair.child_step]);
        double* row = logs + a * row_length;
        for (std::size_t b = 0; b < pair.children; ++b) {
            const double count = static_cast<double>(cells[b * pair.child_step]) + strength;
            row[b * n_classes] = std::log(total > 0 ? count / total : 1.0 / static_cast<double>(pair.children));
        }
    }
}

double log_add(double a, double b) {
    const double most = std::max(a, b);
    return std::isinf(most) ? most : most + std::log1p(std::exp(std::min(a, b) - most));
}

}  // namespace

template <typename T>
void one_dependence_tables(const T* pairs, std::size_t n_classes, const StateNumbers& states, double strength,
                           double* logs, int threads) {
    const std::size_t n = states.cards.size(), row_length = states.total() * n_classes;
    std::vector<std::size_t> first(n + 1, 0);  // where the tables of pairs (i, ...) start
    for (std::size_t i = 0; i < n; ++i) first[i + 1] = first[i] + states.cards[i] * (states.total() - states.starts[i + 1]);
    const std::size_t cells = first[n];
    parallel_for(n, threads, [&](std::size_t i, int) {
        std::size_t start = first[i];
        for (std::size_t j = i + 1; j < n; ++j) {
            const std::size_t rows = states.cards[i], columns = states.cards[j];
            for (std::size_t c = 0; c < n_classes; ++c) {
                const T* table = pairs + c * cells + start;
                double* there = logs + states.starts[i] * row_length + states.starts[j] * n_classes + c;
                double* back = logs + states.starts[j] * row_length + states.starts[i] * n_classes + c;
                log_shares<T>({table, rows, columns, columns, 1}, strength, n_classes, there, row_length);
                log_shares<T>({table, columns, rows, 1, columns}, strength, n_classes, back, row_length);
            }
            start += rows * columns;
        }
    });
}

template void one_dependence_tables(const std::int64_t*, std::size_t, const StateNumbers&, double, double*, int);
template void one_dependence_tables(const double*, std::size_t, const StateNumbers&, double, double*, int);

void one_dependence_scores(const OneDependence& model, const StateNumbers& states, const std::uint32_t* codes,
                           std::size_t rows, double* joint, int threads) {
    const std::size_t n = states.cards.size(), k = model.n_classes, row_length = states.total() * k;
    parallel_for((rows + block_rows - 1) / block_rows, threads, [&](std::size_t block, int) {
        const std::size_t begin = block * block_rows, count = std::min(block_rows, rows - begin);
        std::fill(joint + begin * k, joint + (begin + count) * k, -std::numeric_limits<double>::infinity());
        std::vector<double> part(k);
        std::vector<std::size_t> seen;  // where the states of the row's other features are in a row of the tables
        for (std::size_t row = begin; row < begin + count; ++row) {
            seen.clear();
            for (std::size_t j = 0; j < n; ++j) {
                const std::uint32_t code = codes[j * rows + row];
                if (code < states.cards[j]) seen.push_back((states.starts[j] + code) * k);
            }
            for (std::size_t i = 0; i < n; ++i) {
                const std::uint32_t code = codes[i * rows + row];
                if (code >= states.cards[i] || !model.frequent[states.starts[i] + code]) continue;
                const std::size_t state = states.starts[i] + code;
                const double* logs = model.logs + state * row_length;
                std::copy_n(model.own + state * k, k, part.begin());
                for (const std::size_t place : seen) {  // its own entry is 0
                    for (std::size_t c = 0; c < k; ++c) part[c] += logs[place + c];
                }
                double* total = joint + row * k;
                for (std::size_t c = 0; c < k; ++c) total[c] = log_add(total[c], part[c] + model.log_weights[i]);
            }
        }
    });
}

}  // namespace bayou
