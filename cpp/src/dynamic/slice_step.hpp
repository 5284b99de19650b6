// One step of one sequence: the program of a row, run forwards and backwards in memory of its own.
#pragma once

#include <vector>

#include "bayou/dynamic/slice_runner.hpp"

namespace bayou {

class SliceStep {
  public:
    explicit SliceStep(const SliceRows& rows) : rows_(rows) {}

    // Sets the program and the tables of a row; `incoming` must live until the next call.
    void enter(const SliceProgram& program, std::size_t row, std::size_t first_row, const double* incoming);

    // Writes the outgoing message, divided by its sum (or its maximum), and returns the log of what it was divided by;
    // minus infinity if all entries are 0.
    double forward(double* outgoing, bool maximum);

    // The derivatives of log P by the incoming message (divided by the largest one) given those by the outgoing one.
    // `tables`: 0 none, 1 those with a wanted marginal, 2 all; afterwards share(operand, …) has their posteriors.
    void backward(const double* outgoing, double* incoming, int tables);

    // The posterior of the entries of a table, after backward(); sums to 1 (or is all 0).
    const double* share(std::size_t operand);
    std::size_t offset(std::size_t operand) const { return offsets_[operand]; }
    const SliceProgram& program() const { return *program_; }

    // The parts of a factored message; a number 1 if there are none. forward() must have run before.
    void send_parts(double* outgoing);

    // The best values of all variables of the program, given the entry of the outgoing message: `values` by variable.
    // Returns the entry of the incoming message. forward(…, true) must have run before.
    std::size_t trace(std::size_t outgoing, std::vector<std::uint32_t>& values) const;

  private:
    const double* value(std::size_t operand) const { return values_[operand]; }
    double run_passes(bool maximum, bool rescale, const char* needed);
    void run_backward(const double* outgoing, double* incoming, int tables, bool rescale);

    const SliceRows& rows_;
    const SliceProgram* program_ = nullptr;
    std::vector<const double*> values_;
    std::vector<std::size_t> offsets_;
    std::vector<double> work_, derivative_work_, shares_;
    std::vector<double*> derivatives_;
};

// P(states) from entries [outer][state][inner], divided by their sum.
void sum_marginal(const SliceMarginal& one, const double* entries, double* out);

}  // namespace bayou
