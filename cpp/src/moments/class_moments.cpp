// Sums of deviations from a cell near each class's mean, over parts of the rows that depend on the sizes
// only; the parts are added in order.
#include "bayou/moments/class_moments.hpp"

#include <algorithm>
#include <cmath>

#include "bayou/base/threads.hpp"
#include "bayou/moments/matrix_loops.hpp"

namespace bayou {

namespace {

constexpr std::size_t least_class_rows = 8192;
constexpr std::size_t most_class_parts = 64;

struct Sums {
    std::vector<double> weight, sum, squares;

    void make(std::size_t cells) {
        for (auto* part : {&weight, &sum, &squares}) part->assign(cells, 0.0);
    }
    void add(const Sums& more) {
        for (std::size_t at = 0; at < sum.size(); ++at) {
            weight[at] += more.weight[at];
            sum[at] += more.sum[at];
            squares[at] += more.squares[at];
        }
    }
};

void sum_part(const ClassedRows& rows, const std::vector<double>& centres, std::size_t begin, std::size_t end,
              Sums& sums) {
    RowReader reader(rows.matrix);
    for (std::size_t first = begin; first < end; first += row_block) {
        const std::size_t count = std::min(row_block, end - first);
        const Rows block{reader.read(first, count), reader.step(), count, rows.matrix.columns};
        matrix_loops().add_moments(block, rows.classes + first, rows.weights ? rows.weights + first : nullptr,
                                   centres.data(), sums.weight.data(), sums.sum.data(), sums.squares.data());
    }
}

}  // namespace

void class_moments(const ClassedRows& rows, double* weight, double* mean, double* squares, int threads) {
    check_classed_rows(rows);
    const std::size_t cells = rows.n_classes * rows.matrix.columns;
    const std::size_t least = std::max(least_class_rows, 4 * rows.n_classes);
    const std::size_t parts = std::clamp<std::size_t>(rows.matrix.rows / least, 1, most_class_parts);
    const std::size_t length = (rows.matrix.rows + parts - 1) / parts;
    const std::vector<double> centres = class_centres(rows);
    std::vector<Sums> sums(parts);
    parallel_for(parts, threads, [&](std::size_t part, int) {
        sums[part].make(cells);
        sum_part(rows, centres, part * length, std::min((part + 1) * length, rows.matrix.rows), sums[part]);
    });
    for (std::size_t part = 1; part < parts; ++part) sums[0].add(sums[part]);
    const Sums& total = sums[0];
    if (!std::all_of(total.sum.begin(), total.sum.end(), [](double sum) { return std::isfinite(sum); })) {
        refuse_infinite_cells(rows.matrix);
    }
    for (std::size_t at = 0; at < cells; ++at) {
        const double n = weight[at] = total.weight[at];
        const double shift = n > 0 ? total.sum[at] / n : 0.0;
        mean[at] = n > 0 ? centres[at] + shift : 0.0;
        squares[at] = n > 0 ? std::max(total.squares[at] - total.sum[at] * shift, 0.0) : 0.0;
    }
}

}  // namespace bayou
