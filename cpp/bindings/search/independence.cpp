#include "bayou/search/independence.hpp"

#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "bayou/base/threads.hpp"
#include "register.hpp"
#include "unlocked.hpp"

namespace bayou::bindings {

namespace {

using Pairs = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The tester and the arrays that it reads.
struct PyIndependenceTester {
    Columns columns;
    IndependenceTester tester;

    PyIndependenceTester(const nb::list& column_list, const std::vector<std::int64_t>& cards, int threads)
        : columns(column_list, cards), tester(columns.views, threads) {}

    std::size_t column(std::int64_t position) const {
        if (tester.size() == 0) throw std::invalid_argument("there are no columns to test");
        return natural(position, "a column of a test", tester.size() - 1);
    }
    void check_differ(std::size_t x, std::size_t y, const std::vector<std::size_t>& given) const {
        bool twice = x == y;
        for (const std::size_t member : given) twice = twice || member == x || member == y;
        if (twice) throw std::invalid_argument("a test names one column twice");
    }
};

TestKind kind_from(const std::string& method) {
    if (method == "g") return TestKind::g;
    if (method == "chi2") return TestKind::pearson;
    throw std::invalid_argument("method is '" + method + "': expected 'g' or 'chi2'");
}

struct OutcomeArrays {
    Output<double> statistics, p_values;
    Output<std::int64_t> degrees, rows;

    explicit OutcomeArrays(std::size_t count) : statistics({count}), p_values({count}), degrees({count}), rows({count}) {}
    void set(std::size_t at, const TestOutcome& outcome) {
        statistics.data()[at] = outcome.statistic;
        p_values.data()[at] = outcome.p_value;
        degrees.data()[at] = outcome.degrees;
        rows.data()[at] = outcome.rows;
    }
};

std::vector<std::size_t> members_of(const PyIndependenceTester& held, const Vector<std::int64_t>& offsets,
                                    const Vector<std::int64_t>& flat, std::size_t at) {
    const std::int64_t begin = offsets.data()[at], end = offsets.data()[at + 1];
    if (begin < 0 || end < begin || static_cast<std::size_t>(end) > flat.shape(0)) {
        throw std::invalid_argument("offsets: expected ascending places in the flat list");
    }
    std::vector<std::size_t> members;
    for (std::int64_t k = begin; k < end; ++k) members.push_back(held.column(flat.data()[k]));
    return members;
}

void check_shapes(const Pairs& pairs, const Vector<std::int64_t>& offsets, std::size_t lists) {
    if (pairs.shape(1) != 2) throw std::invalid_argument("pairs: expected two columns a test");
    if (offsets.shape(0) != lists + 1) {
        throw std::invalid_argument("offsets has length " + std::to_string(offsets.shape(0)) + ", expected " +
                                    std::to_string(lists + 1));
    }
}

using Reals = Array<double>;
using Wholes = Array<std::int64_t>;
using Truths = Array<std::uint8_t>;

Tuple<Reals, Wholes, Wholes, Reals, Truths> tests_py(
    const PyIndependenceTester& held, const Pairs& pairs, const Vector<std::int64_t>& offsets,
    const Vector<std::int64_t>& given, const std::string& method, double reliable) {
    const std::size_t count = pairs.shape(0);
    check_shapes(pairs, offsets, count);
    const TestRule rule{kind_from(method), reliable, std::size_t{1} << 28};
    std::vector<std::vector<std::size_t>> sets;
    for (std::size_t at = 0; at < count; ++at) {
        sets.push_back(members_of(held, offsets, given, at));
        held.check_differ(held.column(pairs.data()[2 * at]), held.column(pairs.data()[2 * at + 1]), sets.back());
    }
    OutcomeArrays arrays(count);
    Output<std::uint8_t> counted({count});
    {
        const Unlocked unlocked;
        std::vector<IndependenceTester::Scratch> scratch(held.tester.threads());
        parallel_for(count, held.tester.threads(), [&](std::size_t at, int worker) {
            TestOutcome outcome;
            const std::size_t x = pairs.data()[2 * at], y = pairs.data()[2 * at + 1];
            if (!held.tester.test(x, y, sets[at], rule, scratch[worker], outcome)) {
                throw std::invalid_argument("test " + std::to_string(at) + " needs a table of more than 2**28 cells");
            }
            arrays.set(at, outcome);
            counted.data()[at] = outcome.counts(reliable);
        });
    }
    return nb::make_tuple(arrays.statistics.release(), arrays.degrees.release(), arrays.rows.release(),
                          arrays.p_values.release(), counted.release());
}

Tuple<Reals, Wholes, Wholes, Reals, Wholes, Wholes, Truths> separate_py(
    const PyIndependenceTester& held, const Pairs& pairs, const Vector<std::int64_t>& offsets,
    const Vector<std::int64_t>& neighbours, std::int64_t size, const std::string& method, double reliable,
    std::int64_t most_cells) {
    check_shapes(pairs, offsets, held.tester.size());
    const std::size_t count = pairs.shape(0), members = natural(size, "size", held.tester.size());
    const TestRule rule{kind_from(method), reliable, natural(most_cells, "most_cells")};
    std::vector<std::vector<std::size_t>> near;
    for (std::size_t at = 0; at < held.tester.size(); ++at) {
        near.push_back(members_of(held, offsets, neighbours, at));
        std::sort(near.back().begin(), near.back().end());
    }
    for (std::size_t at = 0; at < count; ++at) {
        held.check_differ(held.column(pairs.data()[2 * at]), held.column(pairs.data()[2 * at + 1]), {});
    }
    OutcomeArrays arrays(count);
    Output<std::int64_t> sets({count, members}), tests({count});
    Output<std::uint8_t> made({count});
    {
        const Unlocked unlocked;
        std::vector<IndependenceTester::Scratch> scratch(held.tester.threads());
        parallel_for(count, held.tester.threads(), [&](std::size_t at, int worker) {
            const std::size_t x = pairs.data()[2 * at], y = pairs.data()[2 * at + 1];
            const Separation found = held.tester.separate(x, y, near, members, rule, scratch[worker]);
            arrays.set(at, found.best);
            std::copy(found.given.begin(), found.given.end(), sets.data() + at * members);
            tests.data()[at] = found.tests;
            made.data()[at] = found.any;
        });
    }
    return nb::make_tuple(arrays.statistics.release(), arrays.degrees.release(), arrays.rows.release(),
                          arrays.p_values.release(), sets.release(), tests.release(), made.release());
}

}  // namespace

void register_independence(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<PyIndependenceTester>(m, "IndependenceTester", "Coded columns as bit planes, kept for many tests.")
        .def(nb::init<const List<CodeArray>&, const std::vector<std::int64_t>&, int>(), "columns"_a, "cards"_a,
             "threads"_a = 0)
        .def("tests", &tests_py, "pairs"_a, "offsets"_a, "given"_a, "method"_a = "g",
             "reliable"_a = 0.0,
             "(statistics, degrees, rows, p-values, whether it counts) of each test of x and y given the members\n"
             "from offsets[i] to offsets[i + 1].")
        .def("separate", &separate_py, "pairs"_a, "offsets"_a, "neighbours"_a, "size"_a, "method"_a = "g",
             "reliable"_a = 0.0, "most_cells"_a = 1 << 20,
             "For each pair the test with the largest p-value over all sets of neighbours of that size:\n"
             "(statistics, degrees, rows, p-values, sets, tests that counted, whether one did).");
}

}  // namespace bayou::bindings
