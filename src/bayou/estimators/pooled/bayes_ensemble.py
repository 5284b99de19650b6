"""Many small models that count, pooled by weights fitted on left-out rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits  # type: ignore[import-not-found,import-untyped,unused-ignore]

from bayou.arguments import real_number, whole_number
from bayou.errors import BadFile, BadQuestion, warn_user, without_warnings
from bayou.estimators.bayes_classifier import BayesClassifier
from bayou.estimators.class_prior import given_prior
from bayou.estimators.input.labelled_source import LabelledSource
from bayou.estimators.input.labelled_table import LabelledTable
from bayou.estimators.pooled.column_notes import gaps_of
from bayou.estimators.pooled.column_readings import (
    counted_as,
    kinds_now,
    kinds_of_both,
    names_read_as,
    read_as,
    sum_by_kinds,
)
from bayou.estimators.pooled.frozen.ensemble_statistics import (
    MOST_ROWS,
    counted_into,
    counts_request,
    kept_rows,
    overflows,
    sample_request,
    states_of,
    structure_of,
)
from bayou.estimators.pooled.frozen.frozen_members import frozen_members
from bayou.estimators.pooled.frozen.frozen_structure import FrozenStructure
from bayou.estimators.pooled.frozen.structure_counts import CountStructure, require_counts_of
from bayou.estimators.pooled.members.dependence_member import log_class_shares
from bayou.estimators.pooled.plain_bayes import PlainBayes
from bayou.estimators.pooled.pool_settings import PoolSettings, size_within
from bayou.estimators.pooled.pooled_members import grown_members
from bayou.estimators.pooled.pooled_model import PooledModel, trust_in
from bayou.estimators.pooled.training_rows import (
    STATES,
    TEXTS,
    training_rows,
)
from bayou.schema import Variable
from bayou.statistics import CountTable, Request, RowSample, RowWeights, Statistics
from bayou.typing import Name

if TYPE_CHECKING:
    from bayou.formats.file_content import FilePath

T = TypeVar("T")
LARGE = 100
"""So many equal rows are seldom: where half of the weights are as large, they may be those of a survey."""
READINGS = ROWS, SURVEY = "rows", "survey"
"""What weights are: numbers of rows, or, in any unit, how many people each row of a survey stands for."""


class BayesEnsemble(BayesClassifier, saved=True):
    """A pool of small models that count, for when the plain model is not enough.

    Its members are k-dependence tables with random cuts and orders, class trees, boosted trees, Gaussian
    classes and the words of texts; their P(class | row) are multiplied with exponents that predict left-out
    rows best. Below 50 rows it is :class:`NaiveBayes`. ``size`` is "small", "standard" or "large"; with
    ``seconds`` it is the largest that is expected to learn in this time. ``random_state`` is a seed: the same
    rows in any order give the same model. A weight is a number of rows; with ``weights_are="survey"`` only
    the ratios of weights matter, and together they are as many rows as would be as certain.

    Its statistic is a sample of 131,072 distinct rows. Of more rows, cuts, parents and trees are learned from
    the sample, once, and all rows are counted into them, also those of ``partial_fit``. Files have rows on
    request only: ``save(path, rows=True)``.

    >>> import numpy as np
    >>> random = np.random.default_rng(0)
    >>> size = random.integers(0, 9, 300)
    >>> rows = {"size": size, "colour": random.choice(["red", "blue"], 300)}
    >>> model = BayesEnsemble().fit(rows, np.where(size % 3 == 0, "yes", "no"))
    >>> model.predict({"size": [3, 4], "colour": ["red", None]}).tolist()
    ['yes', 'no']
    """

    column_kinds_: dict[Name, str]
    seed_: int
    structure_: FrozenStructure
    """The cuts, parents and trees that stay, once there were more rows than are kept."""
    size_: str
    """The size that ``seconds`` led to; there is no such attribute without ``seconds``."""

    def __init__(
        self,
        size: str = "standard",
        *,
        seconds: float | None = None,
        weights_are: str = "rows",
        random_state: Any = 0,
    ) -> None:
        self.size = size
        self.seconds = seconds
        self.weights_are = weights_are
        self.random_state = random_state

    def _check_arguments(self) -> None:
        PoolSettings.of(self.size, 0)
        if self.seconds is not None:
            real_number("seconds", self.seconds, 0, above=True, expected="give a number above 0")
        if self.weights_are not in READINGS:
            raise BadQuestion.choice("weights_are", self.weights_are, READINGS)

    def _collect(self, rows: LabelledSource) -> Statistics:
        self._check_arguments()
        known: Statistics | None = getattr(self, "statistics_", None)
        if known is not None:
            kept_rows(known)
        structure: FrozenStructure | None = getattr(self, "structure_", None)
        if not hasattr(self, "column_kinds_"):
            self._choose_kinds(rows)
        elif known is not None and structure is None:
            self.column_kinds_ = kinds_now(self.column_kinds_, known, rows)
        if self.weights_are == ROWS:
            _warn_of_survey_weights(rows)
        if structure is not None:
            return rows.collect([*self._requests(rows), CountStructure.of(structure, rows.target)])
        found = rows.collect(self._requests(rows))
        if not self._freezes(found if known is None else self._sum(known, found), rows.target):
            return found
        request = CountStructure.of(self.structure_, rows.target)
        return Statistics({**found, request: rows.collect([request])[request]}, found.rows)

    def _requests(self, rows: LabelledSource) -> list[Request]:
        """Counts of the classes and of states by class, and the sample of rows."""
        sample = sample_request(getattr(self, "statistics_", None))
        size = MOST_ROWS if sample is None else sample.size
        states = names_read_as(STATES, self.column_kinds_)
        asked: list[Request] = [
            CountTable((rows.target,)),
            *(CountTable((rows.target, name)) for name in states),
        ]
        if self.weights_are == SURVEY:
            asked.append(RowWeights(rows.target))
        return [*asked, RowSample((rows.target, *self.column_kinds_), size)]

    def _freezes(self, statistics: Statistics, target: Name) -> bool:
        """Learn the structure if there are more rows than the sample holds, and it has more than texts.

        With the weights of a survey there is none: all is learned from the sample.
        """
        sample = kept_rows(statistics)
        kinds = {name: kind for name, kind in self.column_kinds_.items() if read_as(kind) != TEXTS}
        if not kinds or self.weights_are == SURVEY or not overflows(sample):
            return False
        found = self._grown(
            lambda size: structure_of(statistics, sample, target, kinds, PoolSettings.of(size, self.seed_))
        )
        if found is not None:
            self.structure_ = found
        return found is not None

    def _needs_all_rows(self, rows: LabelledSource) -> str:
        # Batches that can be read once are counted as they come: the structure is that of the first ones.
        return "the cuts and trees of many rows" if rows.is_streamed else ""

    def _decide(self, rows: LabelledSource) -> None:
        if not hasattr(self, "structure_"):
            if not hasattr(self, "column_kinds_"):
                self._choose_kinds(rows)
            self._freezes(rows.collect(self._requests(rows)), rows.target)

    def _pooled(self, earlier: Statistics, fresh: Statistics) -> Statistics:
        """Add statistics; where one has counts of a structure, the rows of the other are counted, too."""
        kept = [kept_rows(each) for each in (earlier, fresh)]
        structure = getattr(self, "structure_", None)
        if structure is None and not any(map(overflows, kept)):
            both = self._sum(earlier, fresh)
            if not self._freezes(both, self.target_):
                return both
        return self._sum(self._as_counted(earlier), self._as_counted(fresh))

    def _sum(self, one: Statistics, other: Statistics) -> Statistics:
        return sum_by_kinds(self.column_kinds_, one, other)

    def _as_counted(self, statistics: Statistics) -> Statistics:
        statistics = counted_as(self.column_kinds_, statistics)
        structure = getattr(self, "structure_", None)
        if structure is None:
            return statistics
        return counted_into(structure, statistics, self.target_, self.seed_)

    def _merge_decisions(self, one: BayesEnsemble, other: BayesEnsemble) -> None:
        found = {}
        for each in (one, other):
            kept_rows(each.statistics_)
            if hasattr(each, "structure_"):
                found[each.structure_.key] = each.structure_
        if len(found) == 1:
            (self.structure_,) = found.values()
        self.column_kinds_ = kinds_of_both(
            (one.column_kinds_, one.statistics_), (other.column_kinds_, other.statistics_)
        )

    def _choose_kinds(self, rows: LabelledSource) -> None:
        """Decide which columns are numbers and which states, and draw the seed."""
        self.column_kinds_ = {name: rows.kind(name) for name in rows.features}
        self.seed_ = _seed_from(self.random_state)

    def _estimate(self, statistics: Statistics, classes: Variable) -> PooledModel:
        gaps = gaps_of(statistics, self.column_kinds_)
        return replace(self._learned(statistics, classes), gaps=gaps)

    def _learned(self, statistics: Statistics, classes: Variable) -> PooledModel:
        rows = training_rows(kept_rows(statistics), classes, self.column_kinds_, self.seed_)
        if self.weights_are == SURVEY:
            weights = statistics[RowWeights(classes.name)]
            rows = rows.scaled(weights.effective_rows / weights.weights)
        counted, by_class = counts_request(statistics), rows.class_weights
        if counted is not None:
            tables = statistics[counted].aligned([classes]).settled()
            by_class = tables.by_class
        trust, members = trust_in(by_class), None
        # Small matrices: threads would cost more than they save.
        with threadpool_limits(1, user_api="blas"):
            if trust > 0 and counted is not None:
                settings = PoolSettings.of(getattr(self, "size_", self.size), self.seed_)
                texts = names_read_as(TEXTS, self.column_kinds_)
                members = frozen_members(self.structure_, tables, rows, classes, texts, settings)
            elif trust > 0:
                kinds = {name: read_as(kind) for name, kind in self.column_kinds_.items()}
                variables = states_of(statistics, classes.name, kinds)
                members = self._grown(
                    lambda size: grown_members(rows, variables, kinds, PoolSettings.of(size, self.seed_))
                )
        if members is None:
            alone = PlainBayes.of(rows, classes)
            return PooledModel(classes, alone.model.log_prior, None, alone, 0.0)
        plain: PlainBayes | None = None
        if trust < 1:
            with without_warnings():
                plain = PlainBayes.of(rows, classes)
        return PooledModel(classes, log_class_shares(by_class), members, plain, trust)

    def _grown(self, grow: Callable[[str], T]) -> T:
        """What is grown in the wanted size; ``seconds`` chooses it again while all is learned anew."""
        if self.seconds is None:
            return grow(self.size)
        self.size_, found = size_within(self.seconds, grow)
        return found

    # In a file

    def save(self, path: FilePath, *, rows: bool = False) -> None:
        """Write the fitted ensemble to a ``.bayou`` file; ``rows=True`` keeps what more learning needs.

        Without them the file has the members but no rows: it predicts and explains, and is loaded at once.
        With them, the kept rows are in the file too, and ``partial_fit``, ``forget`` and sums go on.

        Raises scikit-learn's ``NotFittedError`` before the first fit, and ``BadFile`` for an ending that
        names no format or a folder that is not there.

        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> import bayou
        >>> model = bayou.BayesEnsemble().fit({"x": [1, 2, 8, 9] * 5, "y": ["a", "a", "b", "b"] * 5}, "y")
        >>> with TemporaryDirectory() as folder:
        ...     model.save(Path(folder) / "model.bayou")
        ...     print(bayou.load(Path(folder) / "model.bayou").predict({"x": [1, 9]}))
        ['a' 'b']
        """
        from bayou.estimators.classifier_state import save_classifier

        save_classifier(self, path, state=self.state(rows=rows))

    def state(self, *, rows: bool = False) -> dict[str, Any]:
        """Return the content of a file as plain data; ``rows``: with the kept rows."""
        from bayou.estimators.classifier_state import classifier_state

        self._fitted_model()
        model = self._learned_model
        assert isinstance(model, PooledModel)
        if rows:
            kept_rows(self.statistics_)
            return {**classifier_state(self), "model": model.state()}
        tables = {request for request in self.statistics_ if isinstance(request, CountTable)}
        state = classifier_state(self, self.statistics_.only(tables))
        state["learned"].pop("structure_", None)
        return {**state, "model": model.state()}

    def _model_from(self, state: Mapping[str, Any]) -> PooledModel:
        """The saved model; files of earlier versions have none: it is learned again from their rows."""
        if not (hasattr(self, "column_kinds_") and hasattr(self, "seed_")):
            raise BadFile("it does not say what kinds of columns it read, or its seed is missing.")
        counts = counts_request(self.statistics_)
        if counts is not None:
            require_counts_of(getattr(self, "structure_", None), self.statistics_[counts])
        if "model" in state:
            model = PooledModel.from_state(state["model"], self._class_variable)
            if state["model"].get("shift") is not None:  # a file of an earlier version has the prior there
                self.given_prior_ = given_prior(np.exp(state["model"]["log_prior"]), self._class_variable)
            return model
        return self._estimate(self.statistics_, self._class_variable)


def _warn_of_survey_weights(rows: LabelledSource) -> None:
    """Tell of weights that hardly count rows: then leaving one row out leaves nothing out.

    Those are fractions, most of them above 1, and numbers that are mostly large; never small whole numbers.
    """
    weights = rows.weights if isinstance(rows, LabelledTable) else None
    if weights is None or not (weights > 0).any():
        return
    usual = float(np.median(weights[weights > 0]))
    if usual >= LARGE or (usual > 1 and (weights != np.round(weights)).any()):
        warn_user(
            f"Half of the rows have a weight of {usual:g} or more. A weight is taken as a number of rows, so "
            "the ensemble would be as sure as with so many rows. If these are survey weights, say "
            'weights_are="survey".'
        )


def _seed_from(given: Any) -> int:
    """The seed of a whole number, or drawn where scikit-learn's other forms are given."""
    if given is None or isinstance(given, np.random.RandomState):
        return int(check_random_state(given).randint(2**31 - 1))
    expected = "give a whole number from 0, a RandomState of numpy, or None"
    return whole_number("random_state", given, expected=expected) % 2**62
