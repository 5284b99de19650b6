// One slice of a dynamic network as a program: passes, each a sum over the product of two tables, that take the message
// of the slice before and give the message to the slice after (Murphy 2002, ch. 3: the interface algorithm).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bayou {

struct SliceLoop {
    std::size_t size = 1;
    std::ptrdiff_t left = 0, right = 0, out = 0;  // strides
};

struct SliceAxis {
    std::size_t variable = 0;  // age * variables + its number; a constant has age 0
    std::size_t size = 1;
    std::size_t left = 0, right = 0, out = 0;  // strides, 0 where the table does not have the variable
};

// out = sum (or maximum) of left * right. The loops: first those of variables that are kept, then those that are summed,
// last one along the left table only and one along the right table only.
struct SlicePass {
    std::size_t left = 0, right = 0;  // numbers of operands; results of passes are numbered after the operands
    std::size_t entries = 1;
    std::vector<SliceLoop> kept, summed;
    SliceLoop along_left, along_right;
    std::vector<SliceAxis> axes;
};

// Where a table is entered: at the code of a column, some rows before the present one, times a stride.
struct SlicePick {
    std::size_t column, age, stride, states;
};

// `one`: the number 1; `later`: a part of the message from the slices after this one (factored programs).
enum class SliceSource { table, likelihood, message, one, later };

struct SliceOperand {
    SliceSource source = SliceSource::table;
    std::size_t index = 0;    // of the table or of the likelihoods; of messages: their first entry
    std::size_t entries = 1;  // that one row uses
    std::vector<SlicePick> picks;
};

// P(variable) is the sum of the entries [outer][state][inner] over outer and inner.
struct SliceMarginal {
    std::size_t wanted, operand, outer, states, inner;
};

struct MessageAxis {
    std::size_t variable, size;
};

struct SliceProgram {
    std::vector<SliceOperand> operands;
    std::vector<std::vector<double>> tables;
    std::vector<SlicePass> passes;
    std::size_t result = 0;             // the operand or pass with the outgoing message
    std::vector<std::size_t> numbers;   // operands that are single numbers: they multiply the message
    std::vector<MessageAxis> incoming, outgoing;
    std::vector<SliceMarginal> message_marginals, table_marginals;
    // A factored program (Boyen and Koller 1998) sends the marginals of its variables one by one instead of their joint
    // table: these, one after the other. Its result is a number.
    std::vector<SliceMarginal> parts;
    bool factored = false;

    std::size_t incoming_entries = 1, outgoing_entries = 1;
    std::size_t work_entries = 0;             // of all results
    std::vector<std::size_t> work_starts;     // where each result stands
    std::vector<char> has_message, has_wanted;  // operands and results that depend on these

    std::size_t entries(std::size_t operand) const {
        return operand < operands.size() ? operands[operand].entries : passes[operand - operands.size()].entries;
    }

    // Checks everything that the runner relies on (std::invalid_argument) and sets what follows from it.
    void finish(std::size_t variables);
};

}  // namespace bayou
