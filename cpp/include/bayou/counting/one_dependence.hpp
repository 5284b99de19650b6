// Averaged one-dependence estimators (Webb, Boughton and Wang 2005): tables of P(feature | class, other feature) for
// all ordered pairs of features, and the scores of rows that are made from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bayou {

// The states of all features in one row of numbers: state x of feature i has the number starts[i] + x.
struct StateNumbers {
    std::vector<std::uint32_t> cards;
    std::vector<std::size_t> starts;  // the last entry is the number of all states

    explicit StateNumbers(std::vector<std::uint32_t> sizes) : cards(std::move(sizes)), starts(cards.size() + 1, 0) {
        for (std::size_t i = 0; i < cards.size(); ++i) starts[i + 1] = starts[i] + cards[i];
    }
    std::size_t total() const { return starts.back(); }
};

// logs[(a * total + b) * classes + c] = log P(state b | class c, state a), both numbered over all features, from the
// tables of all pairs i < j, [class, cell]; `strength` is added to each count. Two states of one feature get 0. Where
// nothing was counted and nothing is added, states are equally probable.
template <typename T>
void one_dependence_tables(const T* pairs, std::size_t n_classes, const StateNumbers& states, double strength,
                           double* logs, int threads);

struct OneDependence {
    const double* own = nullptr;          // log P(class, state), [state, class]
    const double* log_weights = nullptr;  // of the features as parents
    const std::uint8_t* frequent = nullptr;  // [state]: whether it may be a parent
    const double* logs = nullptr;         // see one_dependence_tables
    std::size_t n_classes = 1;
};

// joint[row, class] = log of the sum over the features i that may be parents of weight_i P(class, x_i) times the
// product over the other features of P(x_j | class, x_i); -inf where no feature may be one. codes is [feature, row];
// codes not below the feature's number of states are left out.
void one_dependence_scores(const OneDependence& model, const StateNumbers& states, const std::uint32_t* codes,
                           std::size_t rows, double* joint, int threads);

}  // namespace bayou
