// Sequences cut into parts of some thousand rows, which threads share; the parts do not depend on the threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayou/kalman/linear_system.hpp"

namespace bayou::kalman {

class SequenceParts {
  public:
    explicit SequenceParts(const ObservedSeries& series) {
        std::int64_t begun = 0;
        for (std::size_t k = 0; k < series.count; ++k) {
            if (k == 0 || series.starts[k] - begun >= rows_of_part) {
                first_.push_back(k);
                begun = series.starts[k];
            }
        }
        noted_.assign(first_.size(), -1);
        first_.push_back(series.count);
    }

    std::size_t size() const { return noted_.size(); }
    std::size_t first(std::size_t part) const { return first_[part]; }

    // Remembers the first row of a part that has no density.
    void note(std::size_t part, std::int64_t row) const {
        if (row >= 0 && noted_[part] < 0) noted_[part] = row;
    }
    std::int64_t first_noted() const {
        for (const std::int64_t row : noted_) {
            if (row >= 0) return row;
        }
        return -1;
    }

  private:
    static constexpr std::int64_t rows_of_part = 4096;
    std::vector<std::size_t> first_;
    mutable std::vector<std::int64_t> noted_;
};

}  // namespace bayou::kalman
