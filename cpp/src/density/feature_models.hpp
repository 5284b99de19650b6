// Models of a number given the class, estimated from records and evaluated at other values.
#pragma once

#include <cstdint>
#include <vector>

#include "bayou/density/held_out_losses.hpp"

namespace bayou {

// Values in ascending order, each with its class and its weight.
struct Records {
    std::vector<double> values, weights;
    std::vector<std::uint32_t> classes;

    std::size_t size() const { return values.size(); }
    void add(double value, std::uint32_t of_class, double weight) {
        values.push_back(value);
        classes.push_back(of_class);
        weights.push_back(weight);
    }
};

struct ModelSettings {
    std::size_t n_classes;
    double strength;      // added to each count of a table
    double least_spread;  // see ValuesByClass
};

// log P(value | class) at each query, [query, class]; logs is zero before. False if the model cannot be estimated.
bool model_logs(FeatureModel model, const Records& records, const std::vector<double>& queries,
                const ModelSettings& settings, double* logs);

}  // namespace bayou
