// All messages of one factor at once. With the axes numbered 0 … n − 1 and the incoming messages c₀ … cₙ₋₁,
//     after(k)[x₀ … xₖ]     = sum over xₖ₊₁ … xₙ₋₁ of  table * cₖ₊₁ … cₙ₋₁     after(n − 1) is the table itself
//     before(k)[x₀ … xₖ₋₁]  = c₀ … cₖ₋₁                                        before(0) is 1
//     message to axis k     = sum over x₀ … xₖ₋₁ of  before(k) * after(k),
// so that n messages take about as long as two sums over the table, however many axes it has.
#pragma once

#include <cstddef>
#include <vector>

namespace bayou {

template <class Number>
struct FactorMessages {
    std::vector<std::size_t> sizes;  // of the axes
    std::vector<Number> incoming;    // of all axes, one after the other
    std::vector<Number> outgoing;
    Number total;  // the sum of the table times all incoming messages

    // Fills `outgoing` and `total`.
    void send(const Number* table) {
        outgoing.assign(incoming.size(), Number(0));
        sum_from_the_end(table);
        before_.assign(1, Number(1));
        std::size_t first = 0;
        for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
            const std::size_t size = sizes[axis];
            const Number* after = afters_[axis];
            for (const Number& weight : before_) {
                for (std::size_t state = 0; state < size; ++state) outgoing[first + state] += weight * after[state];
                after += size;
            }
            if (axis + 1 < sizes.size()) multiply_into_before(&incoming[first], size);
            first += size;
        }
        total = Number(0);
        for (std::size_t state = 0; state < sizes[0]; ++state) total += outgoing[state] * incoming[state];
    }

  private:
    void sum_from_the_end(const Number* table) {
        std::size_t cells = 1, kept = 0;
        for (const std::size_t size : sizes) kept += cells *= size;
        sums_.resize(kept - cells);
        afters_.assign(sizes.size(), table);
        Number* into = sums_.data();
        std::size_t first = incoming.size();
        for (std::size_t axis = sizes.size(); axis-- > 1;) {
            const std::size_t size = sizes[axis];
            const Number* after = afters_[axis];
            first -= size;
            cells /= size;
            afters_[axis - 1] = into;
            for (std::size_t cell = 0; cell < cells; ++cell, after += size) {
                Number sum(0);
                for (std::size_t state = 0; state < size; ++state) sum += after[state] * incoming[first + state];
                *into++ = sum;
            }
        }
    }

    void multiply_into_before(const Number* message, std::size_t size) {
        products_.clear();
        for (const Number& weight : before_) {
            for (std::size_t state = 0; state < size; ++state) products_.push_back(weight * message[state]);
        }
        before_.swap(products_);
    }

    std::vector<Number> sums_, before_, products_;
    std::vector<const Number*> afters_;
};

}  // namespace bayou
