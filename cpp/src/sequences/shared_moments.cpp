#include "bayou/sequences/shared_moments.hpp"

#include <algorithm>
#include <vector>

#include "bayou/base/cpu.hpp"
#include "bayou/base/interrupt.hpp"
#include "bayou/base/threads.hpp"

namespace bayou {

namespace {

constexpr std::size_t side_by_side = 8;  // rows
constexpr std::size_t rows_of_part = std::size_t{1} << 14;

// Sums of weights, of deviations and of their products (lower triangle) of one group, each in eight lanes.
struct LaneSums {
    explicit LaneSums(std::size_t d) : cells((1 + d + d * (d + 1) / 2) * side_by_side) {}
    std::vector<double> cells;
};

BAYOU_INLINE void add_lanes(const double* deviations, const double* weight, std::size_t d, double* sums) {
    double scaled[side_by_side];
    for (std::size_t l = 0; l < side_by_side; ++l) sums[l] += weight[l];
    sums += side_by_side;
    double* products = sums + d * side_by_side;
    for (std::size_t a = 0; a < d; ++a) {
        const double* left = deviations + a * side_by_side;
        for (std::size_t l = 0; l < side_by_side; ++l) {
            scaled[l] = weight[l] * left[l];
            sums[a * side_by_side + l] += scaled[l];
        }
        for (std::size_t b = 0; b <= a; ++b, products += side_by_side) {
            const double* right = deviations + b * side_by_side;
            for (std::size_t l = 0; l < side_by_side; ++l) products[l] += scaled[l] * right[l];
        }
    }
}

void add_lanes_anywhere(const double* deviations, const double* weight, std::size_t d, double* sums) {
    add_lanes(deviations, weight, d, sums);
}

BAYOU_TARGET_AVX2 void add_lanes_avx2(const double* deviations, const double* weight, std::size_t d, double* sums) {
    add_lanes(deviations, weight, d, sums);
}

class PartSums {
  public:
    PartSums(const SharedRows& rows)
        : rows_(rows), add_(cpu_has_avx2() ? add_lanes_avx2 : add_lanes_anywhere), groups_(rows.groups, LaneSums(rows.columns)), cells_(rows.columns * side_by_side),
          deviations_(rows.columns * side_by_side) {}

    void add(std::size_t first, std::size_t last) {
        const std::size_t d = rows_.columns;
        for (std::size_t row = first; row < last; row += side_by_side) {
            const std::size_t some = std::min(side_by_side, last - row);
            for (std::size_t l = 0; l < side_by_side; ++l) {
                const double* from = rows_.matrix + (row + std::min(l, some - 1)) * d;
                for (std::size_t a = 0; a < d; ++a) cells_[a * side_by_side + l] = from[a];
            }
            for (std::size_t g = 0; g < rows_.groups; ++g) add_group(g, row, some);
        }
    }

    double total(std::size_t group, std::size_t cell) const {
        double sum = 0;
        for (std::size_t l = 0; l < side_by_side; ++l) sum += groups_[group].cells[cell * side_by_side + l];
        return sum;
    }

  private:
    void add_group(std::size_t g, std::size_t row, std::size_t some) {
        const std::size_t d = rows_.columns;
        double weight[side_by_side] = {};
        for (std::size_t l = 0; l < some; ++l) weight[l] = rows_.weights[(row + l) * rows_.groups + g];
        const double* centre = rows_.centres + g * d;
        for (std::size_t a = 0; a < d; ++a) {
            for (std::size_t l = 0; l < side_by_side; ++l) {
                deviations_[a * side_by_side + l] = cells_[a * side_by_side + l] - centre[a];
            }
        }
        add_(deviations_.data(), weight, d, groups_[g].cells.data());
    }

    const SharedRows& rows_;
    void (*add_)(const double*, const double*, std::size_t, double*);
    std::vector<LaneSums> groups_;
    std::vector<double> cells_, deviations_;
};

}  // namespace

void moments_from_sums(const double* sums, const double* centre, std::size_t d, double* n, double* mean,
                       double* scatter) {
    *n = sums[0];
    const double weight = sums[0] > 0 ? sums[0] : 1;
    for (std::size_t a = 0; a < d; ++a) {
        const double shift = sums[1 + a] / weight;
        mean[a] = centre[a] + shift;
        for (std::size_t b = 0; b <= a; ++b) {
            const double about = sums[1 + d + a * (a + 1) / 2 + b] - shift * sums[1 + b];
            scatter[a * d + b] = scatter[b * d + a] = a == b ? std::max(about, 0.0) : about;
        }
    }
}

void shared_moments(const SharedRows& rows, double* n, double* mean, double* scatter, int threads) {
    const std::size_t d = rows.columns, cells = 1 + d + d * (d + 1) / 2;
    // A fixed number of parts, whatever the threads, which are added in order.
    const std::size_t parts = std::clamp<std::size_t>(rows.rows / rows_of_part, 1, 16);
    std::vector<PartSums> sums(parts, PartSums(rows));
    parallel_for(parts, threads, [&](std::size_t part, int) {
        stop_if_interrupted();
        sums[part].add(rows.rows * part / parts, rows.rows * (part + 1) / parts);
    });
    std::vector<double> total(cells);
    for (std::size_t g = 0; g < rows.groups; ++g) {
        std::fill(total.begin(), total.end(), 0.0);
        for (const PartSums& part : sums) {
            for (std::size_t cell = 0; cell < cells; ++cell) total[cell] += part.total(g, cell);
        }
        moments_from_sums(total.data(), rows.centres + g * d, d, n + g, mean + g * d, scatter + g * d * d);
    }
}

}  // namespace bayou
