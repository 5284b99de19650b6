#include "bayou/moments/class_scores.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

#include "bayou/base/threads.hpp"
#include "bayou/moments/matrix_loops.hpp"

namespace bayou {

namespace {

constexpr std::size_t task_rows = 64 * row_block;

// Calls body(first row, count, scores of these rows, worker's scratch) for blocks of rows, then normalises them.
template <typename Scratch, typename Body>
void for_blocks(std::size_t rows, const ClassScores& out, int threads, const Scratch& scratch, const Body& body) {
    parallel_for((rows + task_rows - 1) / task_rows, threads, [&](std::size_t task, int) {
        auto mine = scratch();
        const std::size_t end = std::min((task + 1) * task_rows, rows);
        for (std::size_t first = task * task_rows; first < end; first += row_block) {
            const std::size_t count = std::min(row_block, end - first);
            double* scores = out.scores + first * out.classes;
            body(mine, first, count, scores);
            if (out.posterior) matrix_loops().softmax(scores, count, out.classes);
        }
    });
}

// `from` [rows, columns] copied into zeros [rows padded, step].
std::vector<double> padded(const double* from, std::size_t rows, std::size_t columns, std::size_t rows_out,
                           std::size_t step) {
    std::vector<double> out(rows_out * step, 0.0);
    for (std::size_t row = 0; row < rows; ++row) {
        std::copy_n(from + row * columns, columns, out.data() + row * step);
    }
    return out;
}

Rows block_of(RowReader& reader, const RealMatrix& matrix, std::size_t first, std::size_t count) {
    const double* cells = reader.read(first, count);
    return {cells, reader.step(), count, matrix.columns};
}

// All log tables one after the other, each with zeros for 'missing' and its rows padded to whole lanes.
struct FlatTables {
    std::vector<double> cells;
    std::vector<std::uint32_t> starts;

    FlatTables(const std::vector<CodeColumn>& columns, const std::vector<const double*>& tables, std::size_t classes) {
        const std::size_t step = whole(classes, lane_width);
        std::size_t size = 0;
        for (const CodeColumn& column : columns) size += (std::size_t{column.card} + 1) * step;
        if (size > UINT32_MAX) {
            throw std::invalid_argument("the log tables have " + std::to_string(size) + " cells: expected fewer than 2^32");
        }
        cells.assign(size, 0.0);
        std::size_t start = 0;
        for (std::size_t at = 0; at < columns.size(); ++at) {
            starts.push_back(static_cast<std::uint32_t>(start));
            for (std::size_t code = 0; code < columns[at].card; ++code, start += step) {
                std::copy_n(tables[at] + code * classes, classes, cells.data() + start);
            }
            start += step;
        }
    }
};

void read_offsets(const CodeColumn& column, std::size_t first, std::size_t count, std::uint32_t start,
                  std::size_t step, std::uint32_t* offsets) {
    const void* codes = static_cast<const std::uint8_t*>(column.codes) + first * column.bytes;
    const bool good = matrix_loops().table_offsets(codes, column.bytes, count, column.card, start,
                                                   static_cast<std::uint32_t>(step), offsets);
    if (!good) report_bad_code(column, first, count);
}

}  // namespace

void gaussian_class_scores(const RealMatrix& matrix, const double* means, const double* variances,
                           const double* log_prior, const ClassScores& out, int threads) {
    const std::size_t cells = out.classes * matrix.columns;
    std::vector<double> scales(cells), logs(cells), base(log_prior, log_prior + out.classes);
    for (std::size_t at = 0; at < cells; ++at) {
        if (!(variances[at] > 0) || std::isinf(variances[at])) {
            throw std::invalid_argument("the variance of class " + std::to_string(at / matrix.columns) + ", column " +
                                        std::to_string(at % matrix.columns) + " is " +
                                        std::to_string(variances[at]) + ": expected a positive number");
        }
        scales[at] = 0.5 / variances[at];
        logs[at] = 0.5 * std::log(2.0 * std::numbers::pi * variances[at]);
        base[at / matrix.columns] -= logs[at];
    }
    for_blocks(matrix.rows, out, threads, [&] { return RowReader(matrix); },
               [&](RowReader& reader, std::size_t first, std::size_t count, double* scores) {
                   matrix_loops().normal_scores(block_of(reader, matrix, first, count), out.classes, means,
                                                scales.data(), logs.data(), base.data(), scores);
               });
}

void quadratic_class_scores(const RealMatrix& matrix, const double* means, const double* whiteners,
                            const double* base, const ClassScores& out, int threads) {
    const std::size_t d = matrix.columns, step = whole(std::max<std::size_t>(d, 1), tile_width);
    const std::vector<double> centres = padded(means, out.classes, d, out.classes, step);
    std::vector<double> tables(out.classes * step * step, 0.0);
    for (std::size_t k = 0; k < out.classes; ++k) {
        const auto one = padded(whiteners + k * d * d, d, d, step, step);
        std::copy(one.begin(), one.end(), tables.begin() + k * step * step);
    }
    struct Scratch {
        RowReader reader;
        std::vector<double> room;
    };
    for_blocks(matrix.rows, out, threads,
               [&] { return Scratch{RowReader(matrix), std::vector<double>(row_block * step)}; },
               [&](Scratch& mine, std::size_t first, std::size_t count, double* scores) {
                   matrix_loops().quadratic_scores(block_of(mine.reader, matrix, first, count), out.classes, step,
                                                   centres.data(), tables.data(), base, mine.room.data(), scores);
               });
}

void linear_class_scores(const RealMatrix& matrix, const double* coefficients, const double* base,
                         const ClassScores& out, int threads) {
    const std::size_t step = whole(out.classes, lane_width);
    std::vector<double> columns(matrix.columns * step, 0.0);
    for (std::size_t k = 0; k < out.classes; ++k) {
        for (std::size_t j = 0; j < matrix.columns; ++j) columns[j * step + k] = coefficients[k * matrix.columns + j];
    }
    for_blocks(matrix.rows, out, threads, [&] { return RowReader(matrix); },
               [&](RowReader& reader, std::size_t first, std::size_t count, double* scores) {
                   matrix_loops().linear_scores(block_of(reader, matrix, first, count), out.classes, step,
                                                columns.data(), base, scores);
               });
}

void table_class_scores(const std::vector<CodeColumn>& columns, std::size_t rows,
                        const std::vector<const double*>& tables, const double* base, const ClassScores& out,
                        int threads) {
    const std::size_t step = whole(out.classes, lane_width);
    const FlatTables flat(columns, tables, out.classes);
    const std::vector<double> start = padded(base, 1, out.classes, 1, step);
    for_blocks(rows, out, threads, [&] { return std::vector<std::uint32_t>(columns.size() * row_block, 0); },
               [&](std::vector<std::uint32_t>& offsets, std::size_t first, std::size_t count, double* scores) {
                   for (std::size_t at = 0; at < columns.size(); ++at) {
                       read_offsets(columns[at], first, count, flat.starts[at], step, offsets.data() + at * row_block);
                   }
                   matrix_loops().table_scores(offsets.data(), count, columns.size(), flat.cells.data(), out.classes,
                                               step, start.data(), scores);
               });
}

void softmax_rows(double* scores, std::size_t rows, std::size_t classes, int threads) {
    parallel_for((rows + task_rows - 1) / task_rows, threads, [&](std::size_t task, int) {
        const std::size_t first = task * task_rows;
        matrix_loops().softmax(scores + first * classes, std::min(task_rows, rows - first), classes);
    });
}

}  // namespace bayou
