// The inner loops of the kernel density, compiled for several processors.
#pragma once

#include <cstddef>

namespace bayou {

// Points relative to a reference point: e = (point - reference) / bandwidth.
struct KernelWindow {
    const double* values = nullptr;
    const double* weights = nullptr;  // null: 1 each
    std::size_t count = 0;
    double reference = 0;
    double inverse_bandwidth = 1;
};

// A polynomial in the place within a cell, from -1 to 1: sum over k < terms of coefficients[k] place^k.
struct CellPolynomial {
    const double* coefficients = nullptr;
    int terms = 0;
    double centre = 0;
    double inverse_radius = 0;  // of the cell, in the queries' unit
};

struct KernelLoops {
    // Sum of w exp(e (t - e/2)): the kernel sum at reference + t bandwidths, divided by exp(-t*t/2).
    double (*direct_sum)(const KernelWindow& window, double t);
    // moments[k] = sum of a s^k for k < terms, a = w exp(e (t - e/2)), s = radius (e - middle); terms <= 44.
    void (*cell_moments)(const KernelWindow& window, double t, double middle, double radius, int terms, double* moments);
    void (*evaluate)(const CellPolynomial& polynomial, const double* queries, std::size_t count, double* out);
};

// The fastest loops that this processor runs.
const KernelLoops& kernel_loops();

}  // namespace bayou
