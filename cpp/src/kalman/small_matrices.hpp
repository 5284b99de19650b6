// Products and triangular factors of small matrices, flat and row by row.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "bayou/base/interrupt.hpp"

namespace bayou::kalman {

constexpr double rounding = 2.220446049250313e-16;
constexpr std::size_t large = 4096;  // cells: the work on one line of a matrix may take long

// out [rows, columns] = left [rows, inner] · right [inner, columns]; lines of `out` are `stride` apart.
inline void multiply(const double* left, const double* right, std::size_t rows, std::size_t inner, std::size_t columns,
                     double* out, std::size_t stride) {
    for (std::size_t i = 0; i < rows; ++i) {
        if (inner * columns > large) stop_if_interrupted();
        double* line = out + i * stride;
        std::fill(line, line + columns, 0.0);
        for (std::size_t k = 0; k < inner; ++k) {
            const double factor = left[i * inner + k];
            const double* from = right + k * columns;
            for (std::size_t j = 0; j < columns; ++j) line[j] += factor * from[j];
        }
    }
}

// out [rows, columns] = left [rows, inner] · rightᵀ, with right [columns, inner].
inline void multiply_transposed(const double* left, const double* right, std::size_t rows, std::size_t inner,
                                std::size_t columns, double* out) {
    for (std::size_t i = 0; i < rows; ++i) {
        if (inner * columns > large) stop_if_interrupted();
        for (std::size_t j = 0; j < columns; ++j) {
            double sum = 0;
            for (std::size_t k = 0; k < inner; ++k) sum += left[i * inner + k] * right[j * inner + k];
            out[i * columns + j] = sum;
        }
    }
}

// out [rows] += sign · matrix [rows, columns] · vector.
inline void add_product(const double* matrix, const double* vector, std::size_t rows, std::size_t columns, double sign,
                        double* out) {
    for (std::size_t i = 0; i < rows; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < columns; ++j) sum += matrix[i * columns + j] * vector[j];
        out[i] += sign * sum;
    }
}

// Turns `matrix` [rows, columns], rows ≤ columns, into a lower triangle L with L Lᵀ = matrix · matrixᵀ and a diagonal
// ≥ 0, by Householder reflections from the right.
inline void make_lower(double* matrix, std::size_t rows, std::size_t columns) {
    for (std::size_t i = 0; i < rows; ++i) {
        if (rows * columns > large) stop_if_interrupted();
        double* line = matrix + i * columns;
        double others = 0;
        for (std::size_t j = i + 1; j < columns; ++j) others += line[j] * line[j];
        if (others > 0) {
            const double norm = std::sqrt(line[i] * line[i] + others);
            const double head = line[i] + (line[i] > 0 ? norm : -norm);
            const double share = 2 / (others + head * head);
            const double diagonal = line[i] > 0 ? -norm : norm;
            line[i] = head;
            for (std::size_t r = i + 1; r < rows; ++r) {
                double* other = matrix + r * columns;
                double sum = 0;
                for (std::size_t j = i; j < columns; ++j) sum += other[j] * line[j];
                sum *= share;
                for (std::size_t j = i; j < columns; ++j) other[j] -= sum * line[j];
            }
            line[i] = diagonal;
            std::fill(line + i + 1, line + columns, 0.0);
        }
        if (line[i] < 0) {
            for (std::size_t r = i; r < rows; ++r) matrix[r * columns + i] = -matrix[r * columns + i];
        }
    }
}

// A lower triangle L with L Lᵀ = matrix, which may be singular: a pivot that is only rounding becomes a column of 0.
inline std::vector<double> lower_root(const double* matrix, std::size_t size) {
    std::vector<double> root(size * size, 0.0);
    for (std::size_t j = 0; j < size; ++j) {
        double pivot = matrix[j * size + j];
        for (std::size_t k = 0; k < j; ++k) pivot -= root[j * size + k] * root[j * size + k];
        if (!(pivot > 4 * static_cast<double>(size) * rounding * matrix[j * size + j])) continue;
        root[j * size + j] = std::sqrt(pivot);
        for (std::size_t i = j + 1; i < size; ++i) {
            double sum = matrix[i * size + j];
            for (std::size_t k = 0; k < j; ++k) sum -= root[i * size + k] * root[j * size + k];
            root[i * size + j] = sum / root[j * size + j];
        }
    }
    return root;
}

}  // namespace bayou::kalman
