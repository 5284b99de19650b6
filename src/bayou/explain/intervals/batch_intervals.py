"""Credible intervals of the posteriors of many rows, each with its own gaps; equal rows are computed once."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bayou.codes import is_missing_cell
from bayou.explain.intervals.credible_intervals import DrawnAnswers
from bayou.inference import Question
from bayou.inference.mixed.gap_patterns import by_pattern
from bayou.learning import PriorChoice
from bayou.networks import FrozenNetwork
from bayou.statistics import Statistics
from bayou.statistics.rows.distinct_rows import distinct_rows
from bayou.typing import ColumnArray, FloatArray, IntArray, Name


def row_intervals(
    network: FrozenNetwork,
    target: Name,
    columns: Mapping[Name, ColumnArray],
    rows: int,
    statistics: Statistics,
    priors: PriorChoice,
    mass: float,
) -> tuple[FloatArray, FloatArray]:
    """Return the lower and upper ends of P(target | findings of the row): arrays of rows × states.

    They are the ends that the query of the row alone has; the target's own cell is not a finding.
    """
    found = {name: column for name, column in columns.items() if name != target}
    found = {name: column for name, column in found.items() if not is_missing_cell(column).all()}
    first, which = _distinct(found, rows)
    few = {name: column[first] for name, column in found.items()}
    gaps = [is_missing_cell(column) for column in few.values()]
    patterns = np.stack(gaps, axis=-1) if gaps else np.zeros((len(first), 0), dtype=bool)
    size = network.schema[target].cardinality
    lower, upper = np.full((len(first), size), np.nan), np.full((len(first), size), np.nan)
    for pattern, members in by_pattern(patterns):
        given = [name for name, gap in zip(few, pattern, strict=True) if not gap]
        question = Question((target,), {name: few[name][members[0]].item() for name in given})
        drawn = DrawnAnswers(network, question, statistics, priors)
        findings = {name: few[name][members] for name in given}
        lower[members], upper[members] = drawn.ends(findings, len(members), mass)
    return lower[which], upper[which]


def _distinct(columns: Mapping[Name, ColumnArray], rows: int) -> tuple[IntArray, IntArray]:
    """One row of each set of equal rows, and for every row the position of its set."""
    if any(column.dtype.kind == "O" for column in columns.values()):
        return np.arange(rows), np.arange(rows)
    bits = [
        c.view(np.uint64) if c.dtype.kind == "f" else c for c in map(np.ascontiguousarray, columns.values())
    ]
    return distinct_rows(bits, rows)
