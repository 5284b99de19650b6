"""The rows that candidates are compared on: all of them, or a sample by content, and the folds by content.

Where a row stands does not matter: the same rows in another order, in other batches or from another source
have the same sample and folds. A row of weight 2 is the same as the row twice. Equal rows are dealt out over
the folds like others, but stay in one fold where a column has fractions: there they are copies of one row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou.errors import BadData
from bayou.estimators.evaluation.row_content import hashes_of_classes, row_hashes, sum_of_hashes
from bayou.estimators.evaluation.row_weights import weighted_rows
from bayou.estimators.input.containers import is_column_name
from bayou.estimators.input.labelled_input import LabelledRows, read_labelled
from bayou.schema import state_key
from bayou.sources import Columns
from bayou.sources.row_tables import joined_tables, weighted_tables
from bayou.sources.tables.columns import NumberColumn
from bayou.sources.tables.row_selection import taken_rows
from bayou.statistics import Source
from bayou.statistics.batch import joined_weights
from bayou.statistics.rows.row_sample import Hashes
from bayou.typing import FloatArray, IntArray, Name

MOST_ROWS = 20_000
"""Of more rows a sample decides: those with the smallest hashes of seed and content."""
MOST_COPIES = 20
"""Whole weights up to this one are numbers of copies of a row; others only say how much a row counts."""


@dataclass(frozen=True, eq=False)
class TrialRows:
    """Labelled rows with their folds; ``weights`` is None if all are 1; ``rows`` counts all rows."""

    labelled: LabelledRows
    truth: IntArray
    fold_of_row: IntArray
    weights: FloatArray | None
    rows: int

    @property
    def is_sample(self) -> bool:
        """Whether there were more rows than are compared on."""
        return self.rows > self.labelled.rows

    @classmethod
    def of(
        cls, labelled: LabelledRows, weights: FloatArray | None, rows: int, folds: int, seed: int
    ) -> TrialRows:
        """Deal out labelled rows to the folds, class by class and in the order of their hashes."""
        copies = _copies(weights)
        if copies is not None:
            rows, weights = rows + int(copies.sum()) - labelled.rows, None
            labelled = labelled.taken(np.repeat(np.arange(labelled.rows), copies))
        places = {state_key(state): place for place, state in enumerate(labelled.classes)}
        truth = np.array([places[state_key(label)] for label in labelled.labels], dtype=np.int64)
        classes = hashes_of_classes(labelled.classes, labelled.target)[truth]
        hashes = row_hashes(sum_of_hashes(labelled.features) + classes, seed)
        second = hashes if weights is None else weights  # equal rows of other weights, in one order
        order = np.lexsort((second, hashes))[:MOST_ROWS]
        order = order[np.argsort(truth[order], kind="stable")]
        fold_of_row = _dealt_out(hashes[order], labelled.features, folds)
        used = None if weights is None else weights[order]
        return cls(labelled.taken(order), truth[order], fold_of_row, used, rows)


def _dealt_out(hashes: Hashes, features: Columns, folds: int) -> IntArray:
    """The fold of each row, in this order.

    Where a column has fractions, equal rows are copies of one, and stay in one fold: else a classifier would
    be judged by rows that it has seen. Without fractions rows are equal by chance, and are dealt out.
    """
    kinds = [features[name] for name in features.names]
    if any(isinstance(each, NumberColumn) and not each.integral for each in kinds):
        distinct: IntArray = np.cumsum(np.append(True, hashes[1:] != hashes[:-1])) - 1
        if distinct[-1] >= 10 * folds:
            return distinct % folds
    return np.arange(len(hashes)) % folds


def read_trial_rows(data: Any, target: Any, weights: Any, folds: int, seed: int) -> TrialRows:
    """Read the rows to compare on; those of a source are read once, and no more than needed are kept."""
    if not isinstance(data, Source):
        labelled, of_rows = weighted_rows(data, target, weights)
        return TrialRows.of(labelled, of_rows, labelled.rows, folds, seed)
    if not is_column_name(target):
        raise BadData("The rows of a source have their classes in a column: name it as the target.")
    table, of_rows, rows = _sample(data, target, seed)
    return TrialRows.of(read_labelled(table, target), of_rows, rows, folds, seed)


def _copies(weights: FloatArray | None) -> IntArray | None:
    """How often each row is there, if that is what its weight says."""
    if weights is None or weights.max() > MOST_COPIES or np.any(weights != np.floor(weights)):
        return None
    return weights.astype(np.int64)


_Part = tuple[Columns, FloatArray | None, Hashes]


def _sample(source: Source, target: Name, seed: int) -> tuple[Columns, FloatArray | None, int]:
    """The labelled rows of a source with the smallest hashes, their weights, and the number of all."""
    parts: list[_Part] = []
    held = total = 0
    for table, given in weighted_tables(source, source.names):
        column = table.coded(target)
        weights = None if given is None else given.astype(np.float64)
        usable = column.codes != column.missing_code
        rows = np.flatnonzero(usable if weights is None else usable & (weights > 0))
        parts.append(_part(table, weights, row_hashes(sum_of_hashes(table), seed), rows))
        held, total = held + len(rows), total + len(rows)
        if held > 4 * MOST_ROWS:
            parts, held = [_smallest(parts)], MOST_ROWS
    if not total:
        raise BadData.without_classes(target)
    table, weights, _ = _smallest(parts)
    return table, weights, total


def _smallest(parts: list[_Part]) -> _Part:
    """The rows with the smallest hashes of several tables."""
    table = joined_tables([part[0] for part in parts])
    weights = joined_weights([(part[0].rows, part[1]) for part in parts])
    hashes = np.concatenate([part[2] for part in parts])
    if len(hashes) <= MOST_ROWS:
        return table, weights, hashes
    return _part(table, weights, hashes, np.sort(np.argsort(hashes, kind="stable")[:MOST_ROWS]))


def _part(table: Columns, weights: FloatArray | None, hashes: Hashes, rows: IntArray) -> _Part:
    """Some rows of a table, with their weights and hashes; columns keep all their labels."""
    used = None if weights is None else weights[rows]
    return taken_rows(table, rows), used, hashes[rows]
