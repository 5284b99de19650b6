// How well several models of a numeric feature predict the class of values that they were not estimated from.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bayou {

// The values of many features by class: those of feature k are the entries from starts[k] to starts[k + 1], ascending,
// each (value, class) once, with its weight (> 0).
struct ValuesByClass {
    const double* values = nullptr;
    const std::uint32_t* classes = nullptr;
    const double* weights = nullptr;
    const std::int64_t* starts = nullptr;
    const std::uint8_t* whole = nullptr;  // per feature: whether it is a column of whole numbers
    const double* strength = nullptr;     // per feature: what is added to each count of a table
    std::size_t features = 0;
    std::size_t n_classes = 1;
    double least_spread = 0;  // the share of a feature's variance that is added to the variances of its Gaussians
};

enum FeatureModel { table_model, gaussian_model, discretised_model, kernel_model, poisson_model, feature_models };

// losses[k * feature_models + model]: the mean of -log P(class | value) over five folds, each predicted by the model
// of the others; NaN for models that do not suit the values, all NaN for a feature with fewer than ten records.
void held_out_losses(const ValuesByClass& given, double* losses, int threads);

}  // namespace bayou
