"""Rows with gaps in real and discrete columns, answered in as few groups of rows as the gaps allow.

A gap is an *independent gap* where it can be treated as a finding that fits everything: a factor of ones.
That holds for every discrete variable, because Σ_x P(x | parents) · 1 is what summing it out gives, and for a
number without continuous parents or children, because its density integrates to 1 in every row by itself.
Rows with and without independent gaps are answered together. A *dependent gap*, in a number that other
numbers depend on, changes the Gaussian: rows are grouped by their pattern of dependent gaps. Where the
discrete part would be wide without the findings, all gaps are treated as dependent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from bayou.codes import is_missing_cell
from bayou.inference.mixed.pattern_rows import PatternAnswer, is_narrow, pattern_posterior
from bayou.inference.question import Question, relevant
from bayou.networks import FrozenNetwork
from bayou.typing import BoolArray, ColumnArray, Name


def gap_posterior(
    network: FrozenNetwork, target: Name | None, columns: Mapping[Name, ColumnArray], rows: int
) -> PatternAnswer:
    """Return P(target | findings of the row) and log P(findings) for every row, each with its own gaps.

    Without a target the table has one column. Rows with the same pattern of dependent gaps are answered
    together.
    """
    gaps = {name: is_missing_cell(column) for name, column in columns.items() if name != target}
    whole = [name for name, gap in gaps.items() if not gap.any()]
    partly = [name for name, gap in gaps.items() if gap.any() and not gap.all()]
    independent = [name for name in partly if _is_independent_gap(network, name)]
    names = _relevant(network, target, [*whole, *partly])
    targets = () if target is None else (target,)
    numbers = [name for name in independent if network.schema[name].is_continuous]
    if not is_narrow(network, names, targets, whole, numbers):
        independent = []
    dependent = [name for name in partly if name not in independent]
    size = 1 if target is None else network.schema[target].cardinality
    table, logs = np.full((rows, size), np.nan), np.full(rows, -np.inf)
    apart = [gaps[name] for name in dependent]
    patterns = np.stack(apart, axis=-1) if apart else np.zeros((rows, 0), dtype=bool)
    for pattern, members in by_pattern(patterns):
        observed = [*whole, *(name for name, gap in zip(dependent, pattern, strict=True) if not gap)]
        answer = pattern_posterior(
            network,
            _relevant(network, target, [*observed, *independent]),
            targets,
            {name: columns[name][members] for name in observed},
            len(members),
            {name: columns[name][members] for name in independent},
        )
        table[members], logs[members] = answer.table, answer.log_evidence
    return PatternAnswer(table, logs)


def _relevant(network: FrozenNetwork, target: Name | None, found: Iterable[Name]) -> list[Name]:
    names = relevant(network, Question(() if target is None else (target,), dict.fromkeys(found, 0)))
    network.require(names)
    return names


def _is_independent_gap(network: FrozenNetwork, name: Name) -> bool:
    """Whether a gap can be a factor of ones: a discrete variable, or a real one without real neighbours."""
    if not network.schema[name].is_continuous:
        return True
    return not network.continuous_parents(name) and not network.dag.children(name)


def by_pattern(gaps: BoolArray) -> list[tuple[BoolArray, npt.NDArray[np.intp]]]:
    """Return the distinct gap patterns (one flag per column), each with the indices of its rows."""
    if not gaps.any():
        return [(gaps[0], np.arange(len(gaps)))] if len(gaps) else []
    packed = np.packbits(gaps, axis=1)
    _, first, inverse = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(inverse.ravel(), kind="stable")
    edges = np.searchsorted(inverse.ravel()[order], np.arange(1, len(first)))
    return [(gaps[f], part) for f, part in zip(first, np.split(order, edges), strict=True)]


def as_findings(column: ColumnArray) -> ColumnArray:
    """Return a column without gaps as findings: numbers and texts as they are, codes as whole numbers."""
    return column if column.dtype.kind in "fO" else column.astype(np.int64)
