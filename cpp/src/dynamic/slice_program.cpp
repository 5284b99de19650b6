#include "bayou/dynamic/slice_program.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "bayou/base/portable.hpp"

namespace bayou {

namespace {

constexpr std::size_t most_entries = std::size_t{1} << 40;

void require(bool fine, const char* problem) {
    if (!fine) throw std::invalid_argument(std::string("a slice program is not sound: ") + problem);
}

std::size_t product(std::size_t a, std::size_t b) {
    std::size_t made;
    require(!product_overflows(a, b, &made) && made <= most_entries, "a table is too large");
    return made;
}

std::size_t reach(std::size_t size, std::size_t stride) { return product(size - 1, stride); }

struct Reach {
    std::size_t left = 0, right = 0, out = 0;
    void check(const SliceProgram& program, const SlicePass& pass) const {
        require(left < program.entries(pass.left) && right < program.entries(pass.right) && out < pass.entries,
                "a pass leaves its tables");
    }
};

void check_pass(const SliceProgram& program, const SlicePass& pass, std::size_t ids) {
    Reach by_axes, by_loops;
    std::size_t cells = 1, visited = 1;
    for (const SliceAxis& axis : pass.axes) {
        require(axis.size > 0 && axis.variable < ids, "an axis has no variable");
        cells = product(cells, axis.size);
        by_axes.left += reach(axis.size, axis.left);
        by_axes.right += reach(axis.size, axis.right);
        by_axes.out += reach(axis.size, axis.out);
    }
    const auto visit = [&](const SliceLoop& loop) {
        require(loop.size > 0 && loop.left >= 0 && loop.right >= 0 && loop.out >= 0, "a loop runs backwards");
        visited = product(visited, loop.size);
        by_loops.left += reach(loop.size, static_cast<std::size_t>(loop.left));
        by_loops.right += reach(loop.size, static_cast<std::size_t>(loop.right));
        by_loops.out += reach(loop.size, static_cast<std::size_t>(loop.out));
    };
    for (const SliceLoop& loop : pass.kept) visit(loop);
    for (const SliceLoop& loop : pass.summed) visit(loop);
    visit(pass.along_left);
    visit(pass.along_right);
    by_axes.check(program, pass);
    by_loops.check(program, pass);
    require(cells == visited, "loops and axes differ");
}

std::size_t message_entries(const std::vector<MessageAxis>& axes, std::size_t ids, bool factored) {
    std::size_t entries = factored && !axes.empty() ? 0 : 1;
    for (const MessageAxis& axis : axes) {
        require(axis.size > 0 && axis.variable < ids, "an axis of a message has no variable");
        entries = factored ? entries + axis.size : product(entries, axis.size);
    }
    return entries;
}

}  // namespace

void SliceProgram::finish(std::size_t ids) {
    incoming_entries = message_entries(incoming, ids, factored);
    outgoing_entries = message_entries(outgoing, ids, factored);
    for (const SliceOperand& operand : operands) {
        std::size_t end = operand.entries;
        for (const SlicePick& pick : operand.picks) {
            require(pick.states > 0, "a pick has no states");
            end += reach(pick.states, pick.stride);
        }
        require(operand.entries > 0, "an operand is empty");
        if (operand.source == SliceSource::table) {
            require(operand.index < tables.size() && end <= tables[operand.index].size(), "an operand leaves its table");
        } else {
            require(operand.picks.empty(), "only tables are entered by codes");
        }
        require(operand.source != SliceSource::one || operand.entries == 1, "the number 1 is a table");
        if (operand.source == SliceSource::message) {
            require(operand.index <= incoming_entries && operand.entries <= incoming_entries - operand.index &&
                        (factored || operand.entries == incoming_entries),
                    "the message has another size");
        }
        if (operand.source == SliceSource::later) {
            require(factored && operand.index <= outgoing_entries && operand.entries <= outgoing_entries - operand.index,
                    "the later message has another size");
        }
    }
    const std::size_t given = operands.size();
    has_message.assign(given + passes.size(), 0);
    has_wanted.assign(given + passes.size(), 0);
    for (std::size_t k = 0; k < given; ++k) has_message[k] = operands[k].source == SliceSource::message;
    std::size_t sent = 0;
    for (const auto* marginals : {&table_marginals, &parts}) {
        for (const SliceMarginal& one : *marginals) {
            require(one.operand < given && (operands[one.operand].source == SliceSource::table ||
                                            operands[one.operand].source == SliceSource::message),
                    "a marginal has no table");
            require(product(product(one.outer, one.states), one.inner) == operands[one.operand].entries,
                    "a marginal has other sizes");
            has_wanted[one.operand] = 1;
            sent += marginals == &parts ? one.states : 0;
        }
    }
    require(factored ? (outgoing.empty() || sent == outgoing_entries) && message_marginals.empty() : parts.empty(),
            "a factored message has other parts");
    for (const SliceMarginal& one : message_marginals) {
        require(product(product(one.outer, one.states), one.inner) == outgoing_entries, "a marginal has other sizes");
        require(one.inner > 0, "a marginal is empty");
    }
    // In this order each marginal is summed from what is left of the message after the sums of those before it.
    std::sort(message_marginals.begin(), message_marginals.end(),
              [](const SliceMarginal& a, const SliceMarginal& b) { return a.inner < b.inner; });
    for (std::size_t k = 1; k < message_marginals.size(); ++k) {
        require(message_marginals[k].inner % message_marginals[k - 1].inner == 0, "marginals do not follow the axes");
    }
    std::vector<char> used(given + passes.size(), 0);
    work_entries = 0;
    work_starts.clear();
    for (std::size_t at = 0; at < passes.size(); ++at) {
        const SlicePass& pass = passes[at];
        require(pass.left < given + at && pass.right < given + at, "a pass comes before its tables");
        for (const std::size_t operand : {pass.left, pass.right}) {
            const bool one = operand < given && operands[operand].source == SliceSource::one;
            require(one || !used[operand], "a table is used twice");
            used[operand] = 1;
        }
        check_pass(*this, pass, ids);
        has_message[given + at] = has_message[pass.left] | has_message[pass.right];
        has_wanted[given + at] = has_wanted[pass.left] | has_wanted[pass.right];
        work_starts.push_back(work_entries);
        work_entries += pass.entries;
    }
    require(result < given + passes.size() && entries(result) == (factored ? 1 : outgoing_entries), "the result has another size");
    for (const std::size_t number : numbers) require(number < given && operands[number].entries == 1, "a number is a table");
}

}  // namespace bayou
