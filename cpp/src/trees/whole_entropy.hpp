// x log x of whole numbers as whole numbers: sums of them are exact in any order, so that equal splits tie.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bayou {

class WholeEntropy {
  public:
    // For counts up to `total`.
    explicit WholeEntropy(double total) : table_(static_cast<std::size_t>(std::min(total, 65536.0 * 2)) + 1) {
        if (total > 0x1p31) scale_ = std::ldexp(scale_, -(std::ilogb(total) - 30));
        for (std::size_t count = 0; count < table_.size(); ++count) table_[count] = rounded(static_cast<double>(count));
    }

    std::int64_t operator()(std::uint32_t count) const {
        return count < table_.size() ? table_[count] : rounded(count);
    }
    std::int64_t operator()(double count) const {
        return count < static_cast<double>(table_.size()) ? table_[static_cast<std::size_t>(count)] : rounded(count);
    }

  private:
    std::int64_t rounded(double count) const {
        return count > 0 ? std::llround(count * std::log(count) * scale_) : 0;
    }

    double scale_ = 0x1p20;
    std::vector<std::int64_t> table_;
};

}  // namespace bayou
