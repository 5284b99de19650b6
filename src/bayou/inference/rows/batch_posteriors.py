"""Posteriors of many rows, each with its own gaps: equal rows are computed once, many rows together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bayou.codes import is_missing_cell, is_missing_code
from bayou.errors import BadQuestion
from bayou.inference.exact.compiled_query import rows_posterior
from bayou.inference.question import Question, relevant
from bayou.networks import FrozenNetwork
from bayou.statistics.rows.distinct_rows import distinct_rows
from bayou.typing import CodeArray, ColumnArray, FloatArray, IntArray, Name

_FEW_ROWS = 256
"""Equal rows are searched for from this number of rows on."""
_MOST_DISTINCT = 0.9
"""Equal rows are merged if at most this share of the rows is distinct."""


@dataclass(frozen=True)
class BatchPosteriors:
    """For each target a table with one row per record (NaN: impossible findings), and log P(findings)."""

    tables: dict[Name, FloatArray]
    log_evidence: FloatArray


def rows_posteriors(
    network: FrozenNetwork,
    targets: Sequence[Name],
    codes: Mapping[Name, CodeArray],
    numbers: Mapping[Name, FloatArray],
    rows: int,
) -> BatchPosteriors:
    """Return P(target | findings of the row) for every row and target; a target's own cell is no finding."""
    for name in targets:
        if network.schema[name].is_continuous:
            raise BadQuestion(
                f"{name!r} is continuous: predict gives its mean in each row, and query the whole posterior "
                "given one row (with interval= also the interval of its mean)."
            )
    if any(not is_missing_cell(column).all() for column in numbers.values()):
        return _by_gaps(network, targets, codes, numbers, rows)
    found = {name: column for name, column in codes.items() if not is_missing_code(column).all()}
    first, which = representatives(list(found.values()), rows)
    repeated = len(first) < rows
    few = {
        name: np.ascontiguousarray(column[first] if repeated else column) for name, column in found.items()
    }
    tables: dict[Name, FloatArray] = {}
    logs: FloatArray = np.zeros(len(first))
    for name in targets:
        names = relevant(network, Question((name,), {n: 0 for n in few if n != name}))
        network.require(names)
        logs, table = rows_posterior(network, names, name, few, len(first))
        tables[name] = table[which] if repeated else table
    return BatchPosteriors(tables, logs[which] if repeated else logs)


def representatives(columns: Sequence[CodeArray], rows: int) -> tuple[IntArray, IntArray]:
    """Return the indices of one row per set of equal rows, and for every row the position of its set.

    All rows are returned where there are few rows or few of them are equal.

    >>> first, which = representatives([np.array([1, 0, 1] * 100, dtype=np.uint8)], 300)
    >>> len(first), len(which)
    (2, 300)
    """
    if rows < _FEW_ROWS or not columns:
        return np.arange(rows), np.arange(rows)
    return distinct_rows(columns, rows, _MOST_DISTINCT)


def _by_gaps(
    network: FrozenNetwork,
    targets: Sequence[Name],
    codes: Mapping[Name, CodeArray],
    numbers: Mapping[Name, FloatArray],
    rows: int,
) -> BatchPosteriors:
    """Posteriors of rows with findings about continuous variables, grouped by their gaps."""
    # Imported here because discrete rows do not need it.
    from bayou.inference.mixed.gap_patterns import gap_posterior

    columns: dict[Name, ColumnArray] = {**codes, **numbers}
    answers = {target: gap_posterior(network, target, columns, rows) for target in targets}
    logs = [answer.log_evidence for answer in answers.values()]
    tables = {target: answer.table for target, answer in answers.items()}
    return BatchPosteriors(tables, logs[-1] if logs else np.zeros(rows))
