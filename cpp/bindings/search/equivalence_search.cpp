#include "bayou/search/equivalence_search.hpp"

#include "arrays.hpp"
#include "register.hpp"
#include "search/deadline.hpp"

namespace bayou::bindings {

namespace {

using Positions = TupleOf<int>;

Positions positions_of(const Members& members) {
    nb::list list;
    for (const std::uint32_t member : members) list.append(member);
    return nb::tuple(list);
}

class PyEquivalenceSearch {
  public:
    PyEquivalenceSearch(FamilyMemory& memory, const Vector<std::uint8_t>& joinable, std::int64_t most_parents,
                        double least_gain)
        : search_(memory, std::vector<char>(joinable.data(), joinable.data() + joinable.shape(0)),
                  natural(most_parents, "most_parents", UINT32_MAX), least_gain) {}

    List<Tuple<double, int, int, Positions>> steps(double seconds) {
        std::vector<ClassStep> made;
        {
            const nb::gil_scoped_release unlocked;
            made = search_.steps(in(seconds));
        }
        nb::list result;
        for (const ClassStep& step : made) {
            result.append(nb::make_tuple(step.gain, step.tail, step.head, positions_of(step.clique)));
        }
        return result;
    }

    bool is_finished() const { return search_.is_finished(); }

    TupleOf<Positions> parents() const {
        nb::list result;
        for (std::size_t child = 0; child < search_.size(); ++child) {
            result.append(positions_of(members_of(search_.network()[child])));
        }
        return nb::tuple(result);
    }

  private:
    EquivalenceSearch search_;
};

}  // namespace

void register_equivalence_search(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<PyEquivalenceSearch>(m, "EquivalenceSearch")
        .def(nb::init<FamilyMemory&, const Vector<std::uint8_t>&, std::int64_t, double>(), "memory"_a, "joinable"_a,
             "most_parents"_a, "least_gain"_a, nb::keep_alive<1, 2>())
        .def("steps", &PyEquivalenceSearch::steps, "seconds"_a)
        .def("is_finished", &PyEquivalenceSearch::is_finished)
        .def("parents", &PyEquivalenceSearch::parents);
}

}  // namespace bayou::bindings
