// Data kept for the search of structures: scores of families by the batch.
#include "bayou/family_scores.hpp"

#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "register.hpp"

namespace bayou::bindings {

namespace {

using Positions = std::vector<std::int64_t>;

class HeldScorer {
  public:
    HeldScorer(const nb::list& column_list, const Positions& cards, int threads) {
        const Columns columns(column_list, cards);
        const nb::gil_scoped_release unlocked;
        scorer_ = std::make_unique<FamilyScorer>(columns.views, threads);
    }

    Result<double> families(const Vector<std::int64_t>& children, const Vector<std::int64_t>& offsets,
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

    Result<double> additions(std::int64_t child, const Positions& parents, const Vector<std::int64_t>& candidates,
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

    Result<double> pairs(const std::string& kind, double parameter) const {
        const ScoreRule rule = ScoreRule::from(kind, parameter);
        Output<double> scores({scorer_->size(), scorer_->size()});
        {
            const nb::gil_scoped_release unlocked;
            scorer_->pairs(rule, scores.data());
        }
        return scores.release();
    }

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

}  // namespace

void register_family_scores(nb::module_& m) {
    nb::class_<HeldScorer>(m, "FamilyScorer")
        .def(nb::init<const nb::list&, const Positions&, int>(), nb::arg("columns"), nb::arg("cards"),
             nb::arg("threads") = 0)
        .def("families", &HeldScorer::families, nb::arg("children"), nb::arg("offsets"), nb::arg("parents"),
             nb::arg("kind"), nb::arg("parameter") = 0.0)
        .def("additions", &HeldScorer::additions, nb::arg("child"), nb::arg("parents"), nb::arg("candidates"),
             nb::arg("kind"), nb::arg("parameter") = 0.0)
        .def("pairs", &HeldScorer::pairs, nb::arg("kind"), nb::arg("parameter") = 0.0);
}

}  // namespace bayou::bindings
