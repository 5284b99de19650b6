#include "bayou/search/climbing_graph.hpp"

#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "register.hpp"
#include "search/deadline.hpp"

namespace bayou::bindings {

namespace {

using Lists = std::vector<std::vector<std::int64_t>>;
constexpr const char* words[] = {"add", "drop", "turn"};

using Move = Tuple<nb::str, int, int, double>;
using Positions = TupleOf<int>;

Move move_of(const GraphMove& move) {
    return nb::make_tuple(words[static_cast<int>(move.change)], move.parent, move.child, move.gain);
}

class PyClimbingGraph {
  public:
    PyClimbingGraph(std::int64_t size, const Vector<std::uint8_t>& required, const Vector<std::uint8_t>& allowed)
        : graph_(natural(size, "size", 1 << 20),
                 std::vector<char>(required.data(), required.data() + required.shape(0)),
                 std::vector<char>(allowed.data(), allowed.data() + allowed.shape(0))),
          excluded_(required.shape(0), 0) {}

    void use_memory(FamilyMemory& memory, std::int64_t most_parents, double worst) {
        graph_.use_memory(memory, natural(most_parents, "most_parents"), worst);
    }

    bool fill(double seconds) {
        const nb::gil_scoped_release unlocked;
        return graph_.fill(in(seconds));
    }

    void perturb(double share, const Vector<double>& numbers) {
        graph_.perturb(share, {numbers.data(), numbers.shape(0)});
    }

    void rebuild(const Lists& lists) {
        std::vector<ClimbingGraph::Parents> parents;
        for (const auto& list : lists) {
            parents.emplace_back();
            for (const std::int64_t parent : list) {
                parents.back().push_back(static_cast<std::uint32_t>(natural(parent, "a parent", UINT32_MAX)));
            }
        }
        graph_.rebuild(std::move(parents));
    }

    void set_column(std::int64_t child, double score, const Vector<double>& adding, const Vector<double>& dropping) {
        graph_.set_column(static_cast<std::uint32_t>(natural(child, "child", UINT32_MAX)), score,
                    {adding.data(), adding.shape(0)}, {dropping.data(), dropping.shape(0)});
    }

    Object<std::optional<Move>> best(double tolerance, const std::vector<std::int64_t>& excluded) {
        for (const std::int64_t place : excluded) excluded_.at(natural(place, "excluded")) = 1;
        const auto found = graph_.best(tolerance, &excluded_);
        for (const std::int64_t place : excluded) excluded_[static_cast<std::size_t>(place)] = 0;
        if (!found) return nb::none();
        return move_of(*found);
    }

    void apply(const std::string& word, std::int64_t parent, std::int64_t child) {
        const auto* kind = std::find(std::begin(words), std::end(words), word);
        if (kind == std::end(words)) throw std::invalid_argument("kind is '" + word + "': expected add, drop or turn");
        const std::size_t most = graph_.size() - 1;
        const auto from = static_cast<std::uint32_t>(natural(parent, "parent", most));
        const auto to = static_cast<std::uint32_t>(natural(child, "child", most));
        const auto& list = graph_.parents()[to];
        const bool there = std::find(list.begin(), list.end(), from) != list.end();
        const auto change = static_cast<Change>(kind - words);
        if (there != (change != Change::add)) throw std::invalid_argument("the arc is there already, or not at all");
        graph_.apply({change, from, to, 0.0});
    }

    List<Move> climb(double tolerance, std::int64_t most, double seconds) {
        std::vector<GraphMove> moves;
        const std::size_t limit = natural(most, "most");
        {
            const nb::gil_scoped_release unlocked;
            moves = graph_.climb(tolerance, limit, in(seconds));
        }
        nb::list result;
        for (const GraphMove& move : moves) result.append(move_of(move));
        return result;
    }

    Positions parents_of(std::int64_t child) const {
        nb::list own;
        for (const std::uint32_t parent : graph_.parents().at(natural(child, "child"))) own.append(parent);
        return nb::tuple(own);
    }

    TupleOf<Positions> parents() const {
        nb::list result;
        for (std::size_t child = 0; child < graph_.size(); ++child) {
            result.append(parents_of(static_cast<std::int64_t>(child)));
        }
        return nb::tuple(result);
    }

    std::vector<std::uint32_t> unknown() const { return graph_.unknown(); }
    double score() const { return graph_.score(); }

  private:
    ClimbingGraph graph_;
    std::vector<char> excluded_;
};

}  // namespace

void register_climbing_graph(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<PyClimbingGraph>(m, "ClimbingGraph")
        .def(nb::init<std::int64_t, const Vector<std::uint8_t>&, const Vector<std::uint8_t>&>(), "size"_a,
             "required"_a, "allowed"_a)
        .def("use_memory", &PyClimbingGraph::use_memory, "memory"_a, "most_parents"_a, "worst"_a, nb::keep_alive<1, 2>())
        .def("rebuild", &PyClimbingGraph::rebuild, "parents"_a)
        .def("perturb", &PyClimbingGraph::perturb, "share"_a, "numbers"_a)
        .def("fill", &PyClimbingGraph::fill, "seconds"_a)
        .def("unknown", &PyClimbingGraph::unknown)
        .def("set_column", &PyClimbingGraph::set_column, "child"_a, "score"_a, "adding"_a, "dropping"_a)
        .def("best", &PyClimbingGraph::best, "tolerance"_a, "excluded"_a = std::vector<std::int64_t>{})
        .def("apply", &PyClimbingGraph::apply, "kind"_a, "parent"_a, "child"_a)
        .def("climb", &PyClimbingGraph::climb, "tolerance"_a, "most"_a, "seconds"_a = most_seconds)
        .def("parents", &PyClimbingGraph::parents)
        .def("parents_of", &PyClimbingGraph::parents_of, "child"_a)
        .def("score", &PyClimbingGraph::score);
}

}  // namespace bayou::bindings
