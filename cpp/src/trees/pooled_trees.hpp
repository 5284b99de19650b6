// The arithmetic and the geometric mean of the posteriors of some trees for one row.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace bayou {

struct PooledRow {
    double* arithmetic;  // sums while trees are added, logarithms in the end
    double* geometric;
    std::size_t classes;
    std::size_t trees = 0;

    void add(const double* posterior) {
        for (std::size_t label = 0; label < classes; ++label) {
            arithmetic[label] += posterior[label];
            geometric[label] += std::log(posterior[label]);
        }
        ++trees;
    }

    void add(const double* posterior, const double* logs) {
        for (std::size_t label = 0; label < classes; ++label) {
            arithmetic[label] += posterior[label];
            geometric[label] += logs[label];
        }
        ++trees;
    }

    void finish() {
        const auto count = static_cast<double>(trees);
        double most = -INFINITY, total = 0;
        for (std::size_t label = 0; label < classes; ++label) {
            arithmetic[label] = std::log(arithmetic[label] / count);
            geometric[label] /= count;
            most = std::max(most, geometric[label]);
        }
        for (std::size_t label = 0; label < classes; ++label) total += std::exp(geometric[label] - most);
        const double norm = most + std::log(total);
        for (std::size_t label = 0; label < classes; ++label) geometric[label] -= norm;
    }
};

}  // namespace bayou
