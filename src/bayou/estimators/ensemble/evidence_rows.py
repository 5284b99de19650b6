"""The rows that hypotheses are judged by, in memory or in a file: log P(classes | rows, h), also held out.

Rows are dealt out to folds by their content: the same rows in another order, or in a file, have the same
folds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils import _safe_indexing

from bayou.codes import PlaceArray, counted_places, place_type
from bayou.estimators.ensemble.model_evidence import log_vote_blocks, log_votes
from bayou.estimators.evaluation.folds import shuffled_strata
from bayou.estimators.evaluation.labelled_folds import LabelledFolds
from bayou.estimators.evaluation.row_content import hashes_of_classes, row_hashes, sum_of_hashes
from bayou.estimators.input.feature_table import FeatureTable
from bayou.schema import plain, state_key
from bayou.sources import Columns, FileSource
from bayou.typing import FloatArray, Name, State

Indices = npt.NDArray[np.intp]


class EvidenceRows(Protocol):
    """Rows and their classes, which hypotheses learn from and are judged by."""

    def likelihood(self, classifier: Any) -> float:
        """Σ log P(class | row) of a fitted classifier; -inf if it does not have one of the classes."""

    def held_out(self, classifier: Any, folds: int) -> FloatArray:
        """log P(class | row) of held-out rows: each fold is predicted by a copy fitted on the others.

        Rows of classes without a training row are evidence for no hypothesis.
        """


@dataclass(frozen=True, eq=False)
class RowsInMemory:
    """A table of any kind, the class of each row, and its code; ``content`` has the rows as columns."""

    table: Any
    labels: Any
    codes: Indices
    content: Columns
    classes: Sequence[State]
    target: Name

    def likelihood(self, classifier: Any) -> float:
        """Σ log P(class | row) of a fitted classifier."""
        return class_log_likelihood(classifier, self.table, self.labels)

    def held_out(self, classifier: Any, folds: int) -> FloatArray:
        """log P(class | row) of held-out rows."""
        parts = [np.zeros(0)]
        order = self._order
        for others, inside in _splits(self.codes[order], folds):
            train, test = np.sort(order[others]), np.sort(order[inside])
            learnable = np.flatnonzero(np.isin(self.codes[test], self.codes[train]))
            if not len(learnable):
                continue
            model = clone(classifier).fit(*self._part(train))
            parts.append(class_logs(model, *self._part(test[learnable])))
        return np.concatenate(parts)

    @cached_property
    def _order(self) -> Indices:
        """The rows in the order of their content."""
        of_class = hashes_of_classes(self.classes, self.target)
        return np.argsort(row_hashes(sum_of_hashes(self.content) + of_class[self.codes], 0), kind="stable")

    def _part(self, rows: Indices) -> tuple[Any, Any]:
        return selected_rows(self.table, rows), _safe_indexing(self.labels, rows)


@dataclass(frozen=True, eq=False)
class RowsInFile:
    """Rows that are too many for memory: they are read again for every fold, some at a time."""

    rows: LabelledFolds

    def learned(self, classifier: Any) -> Any:
        """A copy of a classifier that has learned from all rows."""
        return self.rows.learned(self._one_fold, 1, clone(classifier))

    def likelihood(self, classifier: Any) -> float:
        """Σ log P(class | row) of a fitted classifier."""
        return float(self._logs(classifier, self._one_fold, 0).sum())

    def held_out(self, classifier: Any, folds: int) -> FloatArray:
        """log P(class | row) of held-out rows."""
        truth, classes = self.rows.truth, len(self.rows.classes)
        of_row = self._folds(folds)
        parts = [np.zeros(0)]
        for fold in range(int(of_row.max()) + 1):
            inside = of_row == fold
            learnable = counted_places(truth[~inside], classes) > 0
            if not learnable[truth[inside]].any():
                continue
            model = self.rows.learned(of_row, fold, clone(classifier))
            judged = of_row if learnable.all() else np.where(learnable[truth], of_row, of_row.dtype.type(-1))
            parts.append(self._logs(model, judged, fold))
        return np.concatenate(parts)

    def _folds(self, folds: int) -> PlaceArray:
        """The fold of each row: those that the same rows have in memory."""
        order = self._order
        dealt = _folds(self.rows.truth[order], folds)
        of_row = np.empty_like(dealt)
        of_row[order] = dealt
        return of_row

    @cached_property
    def _order(self) -> Indices:
        """The rows in the order of their content."""
        rows = self.rows
        tables = FileSource(rows.rows.file, rows.features).tables()
        sums = np.concatenate([sum_of_hashes(table.columns) for table in tables])[rows.used]
        sums += hashes_of_classes(rows.classes, rows.target)[rows.truth]
        return np.argsort(row_hashes(sums, 0), kind="stable")

    @property
    def _one_fold(self) -> PlaceArray:
        return np.zeros(len(self.rows.truth), dtype=np.int8)

    def _logs(self, model: Any, of_row: PlaceArray, fold: int) -> FloatArray:
        by_class = class_places(model, self.rows.classes)
        truth = self.rows.truth[of_row == fold]
        parts, first = [np.zeros(0)], 0
        for logs in self.rows.answers(of_row, fold, log_vote_blocks, model):
            parts.append(logs_of_classes(logs, by_class[truth[first : first + len(logs)]]))
            first += len(logs)
        return np.concatenate(parts)


def _folds(codes: PlaceArray, folds: int) -> PlaceArray:
    """The fold of each row, as :func:`_splits` chooses them."""
    sizes = counted_places(codes, int(codes.max()) + 1)
    smallest = int(sizes[sizes > 0].min())
    if smallest >= 2:
        return shuffled_strata(codes, min(folds, smallest), 0)
    of_row: PlaceArray = np.zeros(len(codes), dtype=place_type(folds))
    for fold, (_, test) in enumerate(_splits(codes, folds)):
        of_row[test] = fold
    return of_row


def _splits(codes: PlaceArray, folds: int) -> Iterator[tuple[Indices, Indices]]:
    """Training and test rows of each fold; stratified if every class has two rows or more."""
    rows, smallest = len(codes), int(np.bincount(codes)[np.unique(codes)].min())
    if rows < 2:
        return
    if smallest >= 2:
        splitter: Any = StratifiedKFold(min(folds, smallest), shuffle=True, random_state=0)
    else:
        splitter = KFold(min(folds, rows), shuffle=True, random_state=0)
    yield from splitter.split(np.zeros((rows, 1)), codes)


def class_log_likelihood(classifier: Any, X: Any, y: Any) -> float:
    """Return Σ log P(class | row) of a fitted classifier; -inf if it does not have one of the classes."""
    return float(class_logs(classifier, X, y).sum())


def class_logs(classifier: Any, X: Any, y: Any) -> FloatArray:
    """Return log P(class | row) of a fitted classifier by row; -inf for a class that it does not have."""
    return logs_of_classes(log_votes(classifier, X), class_places(classifier, y))


def class_places(classifier: Any, classes: Any) -> Indices:
    """Return the column of each of these classes in what a classifier predicts; -1 if it does not have it."""
    place = {state_key(plain(state)): k for k, state in enumerate(classifier.classes_)}
    return np.array([place.get(state_key(plain(state)), -1) for state in classes], dtype=np.intp)


def logs_of_classes(logs: FloatArray, places: Indices) -> FloatArray:
    """Return one column of each row; -inf where a row has none (-1)."""
    return np.where(places < 0, -np.inf, logs[np.arange(len(places)), places])


def selected_rows(X: Any, rows: Indices) -> Any:
    """Return some rows of any table."""
    if isinstance(X, Columns):
        return FeatureTable(X).taken(rows).columns
    return _safe_indexing(X, rows)
