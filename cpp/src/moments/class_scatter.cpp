#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "bayou/base/threads.hpp"
#include "bayou/data/codes.hpp"
#include "bayou/moments/class_moments.hpp"
#include "bayou/moments/matrix_loops.hpp"

namespace bayou {

namespace {

constexpr std::size_t least_scatter_rows = 16384;
constexpr std::size_t most_scatter_parts = 64;
constexpr std::size_t window_rows = 4096;  // rows are sorted by class within windows of this size

struct ScatterSums {
    std::vector<double> weight, sum, products;  // [class], [class, column], [table, step, step]
};

class Scatter {
  public:
    Scatter(const ClassedRows& rows, bool pooled)
        : rows_(rows), d_(rows.matrix.columns), step_(whole(std::max<std::size_t>(d_, 1), tile_width)),
          tables_(pooled ? 1 : rows.n_classes), centres_(class_centres(rows)) {
        const std::size_t least = std::max(least_scatter_rows, tables_ * step_ * step_ + rows.n_classes * d_);
        parts_ = std::clamp<std::size_t>(rows.matrix.rows / least, 1, most_scatter_parts);
    }

    void run(double* weight, double* mean, double* scatter, int threads) {
        std::vector<ScatterSums> sums(parts_);
        const std::size_t length = (rows_.matrix.rows + parts_ - 1) / parts_;
        parallel_for(parts_, threads, [&](std::size_t part, int) {
            sum_part(part * length, std::min((part + 1) * length, rows_.matrix.rows), sums[part]);
        });
        for (std::size_t part = 1; part < parts_; ++part) {
            add(sums[0].weight, sums[part].weight);
            add(sums[0].sum, sums[part].sum);
            add(sums[0].products, sums[part].products);
        }
        refuse_gaps(sums[0].sum);
        finish(sums[0], weight, mean, scatter);
    }

  private:
    static void add(std::vector<double>& total, const std::vector<double>& more) {
        for (std::size_t at = 0; at < total.size(); ++at) total[at] += more[at];
    }

    void sum_part(std::size_t begin, std::size_t end, ScatterSums& sums) const {
        sums.weight.assign(rows_.n_classes, 0.0);
        sums.sum.assign(rows_.n_classes * d_, 0.0);
        sums.products.assign(tables_ * step_ * step_, 0.0);
        std::vector<double> bare(row_block * step_, 0.0), times(rows_.weights ? row_block * step_ : 0, 0.0);
        for (std::size_t first = begin; first < end; first += window_rows) {
            const auto order = rows_by_class(first, std::min(first + window_rows, end));
            for (std::size_t at = 0; at < order.size();) {
                std::size_t count = 1;
                const auto alike = [&](std::size_t row) {
                    return tables_ == 1 || rows_.classes[row] == rows_.classes[order[at]];
                };
                while (count < row_block && at + count < order.size() && alike(order[at + count])) ++count;
                sum_rows(order.data() + at, count, bare.data(), times.data(), sums);
                at += count;
            }
        }
    }

    // The rows with a class and a weight, sorted by class if each class has its own table.
    std::vector<std::size_t> rows_by_class(std::size_t begin, std::size_t end) const {
        std::vector<std::size_t> order;
        order.reserve(end - begin);
        for (std::size_t row = begin; row < end; ++row) {
            if (rows_.classes[row] == missing_index || (rows_.weights && rows_.weights[row] == 0.0)) continue;
            order.push_back(row);
        }
        if (tables_ > 1) {
            std::stable_sort(order.begin(), order.end(),
                             [&](std::size_t a, std::size_t b) { return rows_.classes[a] < rows_.classes[b]; });
        }
        return order;
    }

    // Adds rows that share a table: their deviations from their classes' centres, and the products of these.
    void sum_rows(const std::size_t* order, std::size_t count, double* bare, double* times,
                  ScatterSums& sums) const {
        for (std::size_t at = 0; at < count; ++at) {
            const std::size_t k = rows_.classes[order[at]];
            const double weight = rows_.weights ? rows_.weights[order[at]] : 1.0;
            const double* centre = centres_.data() + k * d_;
            double *out = bare + at * step_, *sum = sums.sum.data() + k * d_;
            centre_row(order[at], centre, out);
            sums.weight[k] += weight;
            if (rows_.weights) {
                double* scaled = times + at * step_;
                for (std::size_t j = 0; j < d_; ++j) sum[j] += scaled[j] = weight * out[j];
            } else {
                for (std::size_t j = 0; j < d_; ++j) sum[j] += out[j];
            }
        }
        const std::size_t table = tables_ == 1 ? 0 : rows_.classes[order[0]];
        matrix_loops().add_products(rows_.weights ? times : bare, bare, count, step_,
                                    sums.products.data() + table * step_ * step_);
    }

    void centre_row(std::size_t row, const double* centre, double* out) const {
        const RealMatrix& m = rows_.matrix;
        if (m.single || m.column_step != 1) {
            for (std::size_t j = 0; j < d_; ++j) out[j] = m.at(row, j) - centre[j];
            return;
        }
        const double* x = static_cast<const double*>(m.cells) + static_cast<std::ptrdiff_t>(row) * m.row_step;
        for (std::size_t j = 0; j < d_; ++j) out[j] = x[j] - centre[j];
    }

    void refuse_gaps(const std::vector<double>& sum) const {
        if (std::all_of(sum.begin(), sum.end(), [](double s) { return std::isfinite(s); })) return;
        const RealMatrix& m = rows_.matrix;
        for (std::size_t row = 0; row < m.rows; ++row) {
            if (rows_.classes[row] == missing_index || (rows_.weights && rows_.weights[row] == 0.0)) continue;
            for (std::size_t j = 0; j < d_; ++j) {
                if (std::isfinite(m.at(row, j))) continue;
                throw std::invalid_argument("row " + std::to_string(row) + ", column " + std::to_string(j) +
                                            (std::isnan(m.at(row, j)) ? " is missing" : " is infinite") +
                                            ": a scatter matrix needs every cell");
            }
        }
    }

    void finish(const ScatterSums& sums, double* weight, double* mean, double* scatter) const {
        for (std::size_t table = 0; table < tables_; ++table) {
            for (std::size_t a = 0; a < d_; ++a) {
                const double* from = sums.products.data() + (table * step_ + a) * step_;
                std::copy(from + a, from + d_, scatter + (table * d_ + a) * d_ + a);
            }
        }
        for (std::size_t k = 0; k < rows_.n_classes; ++k) {
            const double n = weight[k] = sums.weight[k];
            const double* sum = sums.sum.data() + k * d_;
            double* into = scatter + (tables_ == 1 ? 0 : k) * d_ * d_;
            for (std::size_t a = 0; a < d_; ++a) {
                mean[k * d_ + a] = n > 0 ? centres_[k * d_ + a] + sum[a] / n : 0.0;
                for (std::size_t b = a; b < d_ && n > 0; ++b) into[a * d_ + b] -= sum[a] * (sum[b] / n);
            }
        }
        for (std::size_t table = 0; table < tables_; ++table) mirror(scatter + table * d_ * d_);
    }

    void mirror(double* square) const {
        for (std::size_t a = 0; a < d_; ++a) {
            square[a * d_ + a] = std::max(square[a * d_ + a], 0.0);
            for (std::size_t b = 0; b < a; ++b) square[a * d_ + b] = square[b * d_ + a];
        }
    }

    const ClassedRows& rows_;
    const std::size_t d_, step_, tables_;
    const std::vector<double> centres_;
    std::size_t parts_ = 1;
};

}  // namespace

void class_scatter(const ClassedRows& rows, bool pooled, double* weight, double* mean, double* scatter,
                   int threads) {
    check_classed_rows(rows);
    Scatter(rows, pooled || rows.n_classes == 1).run(weight, mean, scatter, threads);
}

}  // namespace bayou
