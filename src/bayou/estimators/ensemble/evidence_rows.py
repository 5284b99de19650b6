"""The rows that hypotheses are judged by, in memory or in a file: log P(classes | rows, h), also held out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils import _safe_indexing

from bayou.estimators.ensemble.model_evidence import log_votes
from bayou.estimators.evaluation.labelled_folds import LabelledFolds
from bayou.estimators.input.feature_table import FeatureTable
from bayou.schema import plain, state_key
from bayou.sources import Columns
from bayou.typing import FloatArray

Indices = npt.NDArray[np.intp]


class EvidenceRows(Protocol):
    """Rows and their classes, which hypotheses learn from and are judged by."""

    def likelihood(self, classifier: Any) -> float:
        """Σ log P(class | row) of a fitted classifier; -inf if it does not have one of the classes."""

    def held_out(self, classifier: Any, folds: int) -> float:
        """Σ log P(class | row) of held-out rows: each fold is predicted by a copy fitted on the others.

        Rows of classes without a training row are evidence for no hypothesis.
        """


@dataclass(frozen=True, eq=False)
class RowsInMemory:
    """A table of any kind, the class of each row, and its code."""

    table: Any
    labels: Any
    codes: Indices

    def likelihood(self, classifier: Any) -> float:
        """Σ log P(class | row) of a fitted classifier."""
        return class_log_likelihood(classifier, self.table, self.labels)

    def held_out(self, classifier: Any, folds: int) -> float:
        """Σ log P(class | row) of held-out rows."""
        total = 0.0
        for train, test in _splits(self.codes, folds):
            learnable = np.flatnonzero(np.isin(self.codes[test], self.codes[train]))
            if not len(learnable):
                continue
            model = clone(classifier).fit(*self._part(train))
            total += class_log_likelihood(model, *self._part(test[learnable]))
        return total

    def _part(self, rows: Indices) -> tuple[Any, Any]:
        return selected_rows(self.table, rows), _safe_indexing(self.labels, rows)


@dataclass(frozen=True, eq=False)
class RowsInFile:
    """Rows that are too many for memory: they are read again for every fold, some at a time."""

    rows: LabelledFolds

    def learned(self, classifier: Any) -> Any:
        """A copy of a classifier that has learned from all rows."""
        return self.rows.learned(np.zeros(len(self.rows.truth), dtype=np.int64), 1, clone(classifier))

    def likelihood(self, classifier: Any) -> float:
        """Σ log P(class | row) of a fitted classifier."""
        return self._sum(classifier, np.zeros(len(self.rows.truth), dtype=np.int64), 0)

    def held_out(self, classifier: Any, folds: int) -> float:
        """Σ log P(class | row) of held-out rows."""
        truth = self.rows.truth
        of_row = np.zeros(len(truth), dtype=np.int64)
        for fold, (_, test) in enumerate(_splits(truth, folds)):
            of_row[test] = fold
        total = 0.0
        for fold in range(int(of_row.max()) + 1):
            learnable = np.isin(truth, truth[of_row != fold])
            if not (learnable & (of_row == fold)).any():
                continue
            model = self.rows.learned(of_row, fold, clone(classifier))
            total += self._sum(model, np.where(learnable, of_row, -1), fold)
        return total

    def _sum(self, model: Any, of_row: npt.NDArray[np.int64], fold: int) -> float:
        places = class_places(model, self.rows.classes)[self.rows.truth[of_row == fold]]
        return log_likelihood(self.rows.answers(of_row, fold, log_votes, model), places)


def _splits(codes: Indices, folds: int) -> Iterator[tuple[Indices, Indices]]:
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
    return log_likelihood(log_votes(classifier, X), class_places(classifier, y))


def class_places(classifier: Any, classes: Any) -> Indices:
    """Return the column of each of these classes in what a classifier predicts; -1 if it does not have it."""
    place = {state_key(plain(state)): k for k, state in enumerate(classifier.classes_)}
    return np.array([place.get(state_key(plain(state)), -1) for state in classes], dtype=np.intp)


def log_likelihood(logs: FloatArray, places: Indices) -> float:
    """Return the sum of one column of each row; -inf if a row has none (-1)."""
    return float(np.where(places < 0, -np.inf, logs[np.arange(len(places)), places]).sum())


def selected_rows(X: Any, rows: Indices) -> Any:
    """Return some rows of any table."""
    if isinstance(X, Columns):
        return FeatureTable(X).taken(rows).columns
    return _safe_indexing(X, rows)
