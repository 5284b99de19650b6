"""A scikit-learn transformer that selects the features that are informative about the class."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from bayou.arguments import is_real, weights_named, whole_number
from bayou.errors import BadQuestion
from bayou.estimators.input.column_matching import tell_of_columns
from bayou.estimators.input.containers import (
    chosen_columns,
    collected,
    column_names,
    frame_names,
    is_frame,
    is_named,
    is_streamable,
    opened_rows,
)
from bayou.estimators.input.labelled_input import read_training
from bayou.estimators.input.labelled_source import LabelledSource
from bayou.estimators.input.table_input import read_features
from bayou.estimators.input.table_tags import AnyTableTags
from bayou.estimators.input.time_columns import with_times_as_numbers
from bayou.estimators.networks.discrete_domain import DiscreteDomain
from bayou.learning.independence.counts_tests import CountsTest, counts_test
from bayou.learning.independence.markov_blanket import markov_blanket
from bayou.sources import Columns, IfPresent, read_columns
from bayou.sources.streams.batch_source import opened_reader
from bayou.sources.table_source import TableSource
from bayou.statistics import CountTable, MissingCounts, Source
from bayou.typing import CountArray, FloatArray, Name

Self = TypeVar("Self", bound="FeatureSelector")
INFORMATION, BLANKET = "mutual information", "markov blanket"
AUTO = "auto"


class FeatureSelector(AnyTableTags, SelectorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Select the features that are informative about the class.

    ``by="mutual information"`` looks at each feature alone; ``k`` is the number of features to keep, or
    "auto": those that a G test finds dependent on the class at ``level`` divided by the number of features.
    ``by="markov blanket"`` also drops features that are redundant given the others (IAMB, conditional G
    tests). Numbers are cut by the MDL rule first. Neither way finds features that are informative only in
    combination, such as the two inputs of an exclusive or. A large file or another source is counted, not
    read into memory.

    ``scores_`` are in nats: I(feature; class), or I(feature; class | the rest of the blanket). ``pvalues_``
    are those of the tests.

    >>> rows = {"twin": [0, 0, 1, 1] * 9, "noise": [0, 1, 0, 1] * 9}
    >>> FeatureSelector().fit(rows, [0, 0, 1, 1] * 9).get_feature_names_out().tolist()
    ['twin']
    """

    scores_: FloatArray
    pvalues_: FloatArray
    n_features_in_: int
    by_name_: bool

    def __init__(self, by: str = INFORMATION, *, k: Any = AUTO, level: float = 0.01) -> None:
        self.by = by
        self.k = k
        self.level = level

    @weights_named("sample_weight")
    def fit(self: Self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Test every column of X against the classes y (or the name of the column with the classes).

        Raises ``UnknownVariable`` for a column that is not there, ``BadQuestion`` for settings that do not
        fit, and ``BadData`` for a table that cannot be read, or classes of another length.

        >>> import bayou
        >>> rows = {"told": [0, 0, 1, 1] * 9, "chance": [0, 1, 0, 1] * 9, "y": [0, 0, 1, 1] * 9}
        >>> print(bayou.FeatureSelector().fit(rows, "y").get_feature_names_out())
        ['told']
        """
        self._check_settings()
        rows = read_training(self, *opened_rows(opened_reader(X), y, sample_weight), reset=True)
        names = rows.features
        source = rows.with_cuts(DiscreteDomain.learned(rows).cut)
        if isinstance(source, TableSource):
            # Cut the columns once: a source with cuts would cut them again for every test.
            cut = source.columns
            made = Columns(cut.names, [cut[name] for name in cut.names], cut.rows)
            source = TableSource(made, source.weights)
        gaps = MissingCounts(names)
        found = source.collect([gaps])[gaps]
        useful = [name for name, missing in zip(names, found.gaps, strict=True) if missing < found.rows]
        if self.by == BLANKET:
            tests, kept = self._blanket(useful, rows, source)
        else:
            tests, kept = self._informative(useful, rows, source)
        self._names: tuple[Name, ...] = names
        self.scores_ = np.array([tests[name].information if name in tests else 0.0 for name in names])
        self.pvalues_ = np.array([tests[name].p_value if name in tests else 1.0 for name in names])
        self.support_: npt.NDArray[np.bool_] = np.array([name in kept for name in names])
        return self

    def transform(self, X: Any) -> Any:
        """Return the selected columns; a mapping of columns (or a list of mappings) gives such a mapping.

        Raises scikit-learn's ``NotFittedError`` before the first fit.

        >>> import bayou
        >>> rows = {"told": [0, 0, 1, 1] * 9, "chance": [0, 1, 0, 1] * 9, "y": [0, 0, 1, 1] * 9}
        >>> bayou.FeatureSelector().fit(rows, "y").transform({"told": [1], "chance": [0]})
        {'told': [1]}
        """
        check_is_fitted(self)
        X = collected(X)
        if (
            is_frame(X)
            and not is_streamable(X)
            and getattr(self, "by_name_", False)
            and frame_names(X) != list(self._names)
        ):
            tell_of_columns(self, frame_names(X))
            X = chosen_columns(X, self._names)
        if not is_named(X):
            return super().transform(X)
        kept = [name for name, keep in zip(self._names, self.support_, strict=True) if keep]
        if is_streamable(X):  # only the selected columns are read
            tell_of_columns(self, column_names(X))
            columns = with_times_as_numbers(read_columns(X, names=IfPresent(kept)))
        else:
            columns = read_features(self, X, reset=False).columns
        return {name: columns.coded(name).values() for name in kept if name in columns}

    def _get_support_mask(self) -> npt.NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _check_settings(self) -> None:
        if self.by not in (INFORMATION, BLANKET):
            raise BadQuestion(f"by={self.by!r}: use {INFORMATION!r} or {BLANKET!r}.")
        if not (is_real(self.level) and 0 < self.level < 1):
            raise BadQuestion(f"level={self.level!r}: give a level of significance between 0 and 1.")
        if not (isinstance(self.k, str) and self.k == AUTO):
            expected = "give 'auto' or the number of features to keep, a whole number, 1 or more"
            whole_number("k", self.k, 1, expected=expected)

    def _informative(
        self, names: list[Name], rows: LabelledSource, source: Source
    ) -> tuple[dict[Name, CountsTest], set[Name]]:
        requests = {name: CountTable((rows.target, name)) for name in names}
        counted = source.collect(list(requests.values()))
        tests = {name: _test(counted[request].values) for name, request in requests.items()}
        if self.k == AUTO:
            # Among many features some pass the test by chance: Bonferroni's correction divides the level.
            return tests, {name for name in names if tests[name].p_value <= self.level / len(names)}
        best = sorted(names, key=lambda name: -tests[name].information)
        return tests, set(best[: self.k])

    def _blanket(
        self, names: list[Name], rows: LabelledSource, source: Source
    ) -> tuple[dict[Name, CountsTest], set[Name]]:
        at_most = None if self.k == AUTO else int(self.k)
        found = markov_blanket(rows.target, names, source, self.level / max(1, len(names)), at_most)
        return found.tests, set(found.names)


def _test(counts: CountArray) -> CountsTest:
    """A G test; if there are too few rows for its states, the larger p-value of it and Pearson's test.

    The G statistic of an identifier (one state per row) far exceeds its degrees of freedom whatever the
    class; Pearson's statistic does not.
    """
    test = counts_test(counts)
    if test.reliable:
        return test
    return replace(test, p_value=max(test.p_value, counts_test(counts, "chi2").p_value))
