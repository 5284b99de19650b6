// Runs are short: their combinations differ in the states of one variable.
#include "sparse_loops.hpp"

#include "support_trie.hpp"

namespace bayou {

namespace {

inline double fixed_product(const std::uint32_t* run, const RunProduct& product) {
    double value = 1;
    for (std::size_t k = 0; k < product.fixed_count; ++k) {
        value *= product.fixed[k].values[run[product.fixed[k].word]];
    }
    return value;
}

// values = scale · product of the moving tables; returns their sum.
template <std::size_t tables>
inline double moving_products(const std::uint32_t* run, const RunProduct& product, double scale, double* values) {
    const std::size_t length = run[0];
    const double* from[tables > 0 ? tables : 1];
    for (std::size_t k = 0; k < tables; ++k) from[k] = product.moving[k].values + run[product.moving[k].word];
    double sum = 0;
    for (std::size_t i = 0; i < length; ++i) {
        double value = scale;
        for (std::size_t k = 0; k < tables; ++k) value *= from[k][i];
        values[i] = value;
        sum += value;
    }
    return sum;
}

inline double many_moving_products(const std::uint32_t* run, const RunProduct& product, double scale, double* values) {
    double sum = 0;
    for (std::size_t i = 0; i < run[0]; ++i) {
        double value = scale;
        for (std::size_t k = 0; k < product.moving_count; ++k) {
            value *= product.moving[k].values[run[product.moving[k].word] + i];
        }
        values[i] = value;
        sum += value;
    }
    return sum;
}

// Calls use(run, values, sum) for each run whose product is not 0.
template <class Products, class Use>
inline void for_each_product(const Runs& runs, const RunProduct& product, const Products& products, const Use& use) {
    double values[most_states_of_a_mask];
    const std::uint32_t* run = runs.words;
    for (std::size_t left = runs.count; left > 0; --left, run += runs.run_words) {
        const double scale = fixed_product(run, product);
        if (scale == 0) continue;
        const double sum = products(run, product, scale, values);
        use(run, values, sum);
    }
}

template <class Use>
inline void run_products(const Runs& runs, const RunProduct& product, const Use& use) {
    switch (product.moving_count) {
        case 0: return for_each_product(runs, product, moving_products<0>, use);
        case 1: return for_each_product(runs, product, moving_products<1>, use);
        case 2: return for_each_product(runs, product, moving_products<2>, use);
        case 3: return for_each_product(runs, product, moving_products<3>, use);
        default: return for_each_product(runs, product, many_moving_products, use);
    }
}

}  // namespace

void sum_runs(const Runs& runs, const RunProduct& product, double* message, bool message_moves) {
    if (message_moves) {
        run_products(runs, product, [&](const std::uint32_t* run, const double* values, double) {
            double* to = message + run[1];
            for (std::size_t i = 0; i < run[0]; ++i) to[i] += values[i];
        });
    } else {
        run_products(runs, product,
                     [&](const std::uint32_t* run, const double*, double sum) { message[run[1]] += sum; });
    }
}

void spread_runs(const Runs& runs, const RunProduct& product, const RunSums& sums) {
    run_products(runs, product, [&](const std::uint32_t* run, const double* values, double sum) {
        for (std::size_t k = 0; k < sums.fixed_count; ++k) sums.fixed[k].values[run[sums.fixed[k].word]] += sum;
        for (std::size_t k = 0; k < sums.moving_count; ++k) {
            double* to = sums.moving[k].values + run[sums.moving[k].word];
            for (std::size_t i = 0; i < run[0]; ++i) to[i] += values[i];
        }
    });
}

}  // namespace bayou
