#include "bayou/search/order_climb.hpp"

#include "arrays.hpp"
#include "bayou/base/threads.hpp"
#include "register.hpp"

namespace bayou::bindings {

namespace {

void check_permutation(const std::int32_t* members, std::size_t size, const char* name) {
    std::vector<bool> seen(size);
    for (std::size_t at = 0; at < size; ++at) {
        const std::int32_t member = members[at];
        if (member < 0 || static_cast<std::size_t>(member) >= size || seen[member]) {
            throw std::invalid_argument(std::string(name) + ": expected each variable once");
        }
        seen[member] = true;
    }
}

void check_lists(const Vector<std::int64_t>& starts, const Matrix<std::uint64_t>& sets, std::size_t scores) {
    const std::size_t count = starts.shape(0);
    bool fits = count > 0 && starts.data()[0] == 0 && sets.shape(0) == scores &&
                static_cast<std::size_t>(starts.data()[count - 1]) == scores;
    for (std::size_t at = 1; at < count; ++at) fits = fits && starts.data()[at - 1] <= starts.data()[at];
    if (!fits) throw std::invalid_argument("starts: expected to ascend from 0 to the number of sets and scores");
    if (sets.shape(1) * 64 < count - 1) throw std::invalid_argument("sets: expected a bit a variable");
}

Tuple<Array<double>, Array<std::int32_t>, Array<std::int64_t>> climb_orders_py(
    const Object<Array<std::int64_t>>& start_array, const Object<Array<std::uint64_t>>& set_array,
    const Object<Array<double>>& score_array, const Object<Array<std::int32_t>>& visit_array,
    const Object<Array<std::int32_t>>& order_array, std::int64_t passes, int threads) {
    const auto starts = array_from<Vector<std::int64_t>>(start_array, "starts", "a contiguous int64 vector");
    const auto sets = array_from<Matrix<std::uint64_t>>(set_array, "sets", "a contiguous uint64 matrix");
    const auto scores = array_from<Vector<double>>(score_array, "scores", "a contiguous float64 vector");
    const auto visits = array_from<Vector<std::int32_t>>(visit_array, "visits", "a contiguous int32 vector");
    const auto orders = array_from<Matrix<std::int32_t>>(order_array, "orders", "a contiguous int32 matrix");
    check_lists(starts, sets, scores.shape(0));
    const std::size_t size = starts.shape(0) - 1, count = orders.shape(0), rounds = natural(passes, "passes");
    if (visits.shape(0) != size || orders.shape(1) != size) {
        throw std::invalid_argument("visits and orders: expected each of the " + std::to_string(size) + " variables");
    }
    check_permutation(visits.data(), size, "visits");
    for (std::size_t row = 0; row < count; ++row) check_permutation(orders.data() + row * size, size, "orders");
    Output<double> totals({count});
    Output<std::int32_t> better({count, size});
    Output<std::int64_t> chosen({count, size});
    std::copy_n(orders.data(), count * size, better.data());
    const ParentLists lists{size, sets.shape(1), starts.data(), sets.data(), scores.data()};
    {
        nb::gil_scoped_release unlocked;
        parallel_for(count, threads, [&](std::size_t row, int) {
            totals.data()[row] = climb_order(lists, visits.data(), rounds, better.data() + row * size,
                                             chosen.data() + row * size);
        });
    }
    return nb::make_tuple(totals.release(), better.release(), chosen.release());
}

}  // namespace

void register_order_climb(nb::module_& m) {
    using namespace nb::literals;
    m.def("climb_orders", &climb_orders_py, "starts"_a, "sets"_a, "scores"_a, "visits"_a, "orders"_a, "passes"_a,
          "threads"_a = 0,
          "Move single variables of each order to better places; the scores, the orders and the sets chosen.");
}

}  // namespace bayou::bindings
