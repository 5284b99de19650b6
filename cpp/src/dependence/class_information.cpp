#include <algorithm>
#include <cmath>

#include "bayou/base/threads.hpp"
#include "bayou/dependence/dependence_tables.hpp"

namespace bayou {
namespace {

// n I(A; B) of one table of counts, and the degrees of freedom among the states that occur.
struct Information {
    double sum = 0, freedom = 0;

    void add(const double* table, std::size_t rows, std::size_t columns, std::vector<double>& margins) {
        margins.assign(rows + columns, 0.0);
        double all = 0;
        for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t j = 0; j < columns; ++j) {
                const double count = table[i * columns + j];
                margins[i] += count;
                margins[rows + j] += count;
                all += count;
            }
        }
        if (all <= 0) return;
        for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t j = 0; j < columns; ++j) {
                const double count = table[i * columns + j];
                if (count > 0) sum += count * std::log(count * all / (margins[i] * margins[rows + j]));
            }
        }
        const auto seen = [](double count) { return count > 0; };
        const auto middle = margins.begin() + static_cast<std::ptrdiff_t>(rows);
        freedom += static_cast<double>(std::count_if(margins.begin(), middle, seen) - 1) *
                   static_cast<double>(std::count_if(middle, margins.end(), seen) - 1);
    }
};

}  // namespace

void class_informations(const std::uint32_t* cards, std::size_t columns, std::size_t classes, const CodedRows& rows,
                        const std::uint32_t* own, const double* weights, double* information, int threads) {
    double all = 0;
    for (std::size_t row = 0; row < rows.rows; ++row) all += weights ? weights[row] : 1.0;
    if (all <= 0) return;
    parallel_for(columns, threads, [&](std::size_t one, int) {
        std::vector<double> table, margins;
        const std::uint8_t* x = rows.codes + one * rows.rows;
        for (std::size_t two = 0; two <= one; ++two) {
            const bool alone = one == two;
            const std::uint8_t* z = rows.codes + two * rows.rows;
            const std::size_t width = alone ? 1 : cards[two];
            table.assign(classes * cards[one] * width, 0.0);
            for (std::size_t row = 0; row < rows.rows; ++row) {
                table[(own[row] * cards[one] + x[row]) * width + (alone ? 0 : z[row])] += weights ? weights[row] : 1.0;
            }
            Information found;
            if (alone) {
                found.add(table.data(), classes, cards[one], margins);
            } else {
                for (std::size_t k = 0; k < classes; ++k) {
                    found.add(table.data() + k * cards[one] * width, cards[one], width, margins);
                }
            }
            information[one * columns + two] = information[two * columns + one] = (found.sum - found.freedom / 2) / all;
        }
    });
}

}  // namespace bayou
