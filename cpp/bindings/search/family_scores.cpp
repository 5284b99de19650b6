// Data kept for structure search: scores of many families per call.
#include "bayou/search/family_scores.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "bayou/search/family_memory.hpp"
#include "register.hpp"

namespace bayou::bindings {

namespace {

using Integers = std::vector<std::int64_t>;

class PyFamilyScorer {
  public:
    PyFamilyScorer(const nb::list& column_list, const Integers& cards, int threads) {
        const Columns columns(column_list, cards);
        const nb::gil_scoped_release unlocked;
        scorer_ = std::make_unique<FamilyScorer>(columns.views, threads);
    }

    Array<double> families(const Vector<std::int64_t>& children, const Vector<std::int64_t>& offsets,
                            const Vector<std::int64_t>& parents, const std::string& kind, double parameter) const {
        const ScoreRule rule = ScoreRule::from(kind, parameter);
        const std::size_t count = children.shape(0);
        check_families(children, offsets, parents);
        Output<double> scores({count});
        {
            const nb::gil_scoped_release unlocked;
            scorer_->families(children.data(), count, offsets.data(), parents.data(), rule, scores.data());
        }
        return scores.release();
    }

    Array<double> additions(std::int64_t child, const Integers& parents, const Vector<std::int64_t>& candidates,
                             const std::string& kind, double parameter) const {
        const ScoreRule rule = ScoreRule::from(kind, parameter);
        Family family;
        for (const std::int64_t parent : parents) family.push_back(natural(parent, "a parent"));
        family.push_back(natural(child, "child"));
        check_family(family, scorer_->size(), 0);
        Family others;
        for (std::size_t at = 0; at < candidates.shape(0); ++at) {
            const std::size_t other = natural(candidates.data()[at], "a candidate");
            if (other >= scorer_->size() || std::count(family.begin(), family.end(), other)) {
                throw std::invalid_argument("candidate " + std::to_string(other) +
                                            " is no column, or in the family already");
            }
            others.push_back(other);
        }
        family.pop_back();
        Output<double> scores({others.size()});
        {
            const nb::gil_scoped_release unlocked;
            scorer_->additions(static_cast<std::size_t>(child), family, others, rule, scores.data());
        }
        return scores.release();
    }

    Array<double> pairs(const std::string& kind, double parameter) const {
        const ScoreRule rule = ScoreRule::from(kind, parameter);
        Output<double> scores({scorer_->size(), scorer_->size()});
        {
            const nb::gil_scoped_release unlocked;
            scorer_->pairs(rule, scores.data());
        }
        return scores.release();
    }

    const FamilyScorer& scorer() const { return *scorer_; }

  private:
    void check_families(const Vector<std::int64_t>& children, const Vector<std::int64_t>& offsets,
                        const Vector<std::int64_t>& parents) const {
        const std::size_t count = children.shape(0);
        const auto length = static_cast<std::int64_t>(parents.shape(0));
        if (offsets.shape(0) != count + 1 || offsets.data()[0] != 0 || offsets.data()[count] != length) {
            throw std::invalid_argument("offsets: expected one more than children, from 0 to the number of parents");
        }
        Family family;
        for (std::size_t at = 0; at < count; ++at) {
            const std::int64_t begin = offsets.data()[at], end = offsets.data()[at + 1];
            if (begin > end || end > length) throw std::invalid_argument("offsets: expected an ascending array");
            family.clear();
            for (std::int64_t place = begin; place < end; ++place) {
                family.push_back(natural(parents.data()[place], "a parent"));
            }
            family.push_back(natural(children.data()[at], "a child"));
            check_family(family, scorer_->size(), at);
        }
    }

    std::unique_ptr<FamilyScorer> scorer_;
};

using Members = std::vector<std::int64_t>;

// Checks a child and its parents, and returns the parents in the form that the memory uses.
FamilyMemory::Parents checked(std::int64_t child, const Members& parents, std::size_t size) {
    FamilyMemory::Parents result;
    for (const std::int64_t parent : parents) {
        const std::size_t place = natural(parent, "a parent", size - 1);
        if (parent == child || (!result.empty() && place <= result.back())) {
            throw std::invalid_argument("parents: expected other columns than the child, ascending");
        }
        result.push_back(static_cast<std::uint32_t>(place));
    }
    natural(child, "child", size - 1);
    return result;
}

Array<double> remembered_families(FamilyMemory& memory, const std::vector<std::pair<std::int64_t, Members>>& wanted) {
    FamilyMemory::Wanted families;
    for (const auto& [child, parents] : wanted) {
        families.emplace_back(static_cast<std::uint32_t>(child), checked(child, parents, memory.size()));
    }
    Output<double> scores({families.size()});
    {
        const nb::gil_scoped_release unlocked;
        memory.families(families, scores.data());
    }
    return scores.release();
}

Array<double> remembered_additions(FamilyMemory& memory, std::int64_t child, const Members& parents,
                                    const Vector<std::int64_t>& candidates) {
    const FamilyMemory::Parents own = checked(child, parents, memory.size());
    FamilyMemory::Parents others;
    for (std::size_t at = 0; at < candidates.shape(0); ++at) {
        const auto other = static_cast<std::uint32_t>(natural(candidates.data()[at], "a candidate", memory.size() - 1));
        if (other == child || std::binary_search(own.begin(), own.end(), other)) {
            throw std::invalid_argument("candidate " + std::to_string(other) + " is in the family already");
        }
        others.push_back(other);
    }
    Output<double> scores({others.size()});
    {
        const nb::gil_scoped_release unlocked;
        memory.additions(static_cast<std::uint32_t>(child), own, others, scores.data());
    }
    return scores.release();
}

}  // namespace

void register_family_scores(nb::module_& m) {
    nb::class_<PyFamilyScorer>(m, "FamilyScorer")
        .def(nb::init<const List<CodeArray>&, const Integers&, int>(), nb::arg("columns"), nb::arg("cards"),
             nb::arg("threads") = 0)
        .def("families", &PyFamilyScorer::families, nb::arg("children"), nb::arg("offsets"), nb::arg("parents"),
             nb::arg("kind"), nb::arg("parameter") = 0.0)
        .def("additions", &PyFamilyScorer::additions, nb::arg("child"), nb::arg("parents"), nb::arg("candidates"),
             nb::arg("kind"), nb::arg("parameter") = 0.0)
        .def("pairs", &PyFamilyScorer::pairs, nb::arg("kind"), nb::arg("parameter") = 0.0);
    nb::class_<FamilyMemory>(m, "FamilyMemory")
        .def(
            "__init__",
            [](FamilyMemory* self, const PyFamilyScorer& scorer, const std::string& kind, double parameter) {
                new (self) FamilyMemory(scorer.scorer(), ScoreRule::from(kind, parameter));
            },
            nb::arg("scorer"), nb::arg("kind"), nb::arg("parameter") = 0.0, nb::keep_alive<1, 2>())
        .def("families", &remembered_families, nb::arg("wanted"))
        .def("additions", &remembered_additions, nb::arg("child"), nb::arg("parents"), nb::arg("candidates"))
        .def("remembered", &FamilyMemory::remembered);
}

}  // namespace bayou::bindings
