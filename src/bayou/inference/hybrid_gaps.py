"""Rows with gaps in real and discrete columns: as few groups of rows as the gaps allow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from bayou.codes import is_missing_cell
from bayou.inference.hybrid_rows import PatternAnswer, is_narrow, pattern_posterior
from bayou.inference.question import Question, relevant
from bayou.networks import FrozenNetwork
from bayou.typing import BoolArray, ColumnArray, Name


def gap_posterior(
    network: FrozenNetwork, target: Name | None, columns: Mapping[Name, ColumnArray], rows: int
) -> PatternAnswer:
    """P(target | findings of the row) and their log-probability for every row, each with its own gaps.

    A gap in a discrete column, or in a real one that depends on discrete variables alone, is a finding that
    fits everything, so that rows with and without it go together. Rows are set apart by the gaps in other
    real columns; by all gaps where the discrete part without findings would be wide.
    """
    gaps = {name: is_missing_cell(column) for name, column in columns.items() if name != target}
    whole = [name for name, gone in gaps.items() if not gone.any()]
    partly = [name for name, gone in gaps.items() if gone.any() and not gone.all()]
    loose = [name for name in partly if _fits_everything(network, name)]
    names = _relevant(network, target, [*whole, *partly])
    targets = () if target is None else (target,)
    if not is_narrow(network, names, targets, whole, [n for n in loose if network.schema[n].is_continuous]):
        loose = []
    tight = [name for name in partly if name not in loose]
    size = 1 if target is None else network.schema[target].cardinality
    table, logs = np.full((rows, size), np.nan), np.full(rows, -np.inf)
    apart = np.stack([gaps[name] for name in tight], axis=-1) if tight else np.zeros((rows, 0), dtype=bool)
    for pattern, members in by_pattern(apart):
        hard = [*whole, *(name for name, gone in zip(tight, pattern, strict=True) if not gone)]
        answer = pattern_posterior(
            network,
            _relevant(network, target, [*hard, *loose]),
            targets,
            {name: columns[name][members] for name in hard},
            len(members),
            {name: columns[name][members] for name in loose},
        )
        table[members], logs[members] = answer.table, answer.log_evidence
    return PatternAnswer(table, logs)


def _relevant(network: FrozenNetwork, target: Name | None, found: Iterable[Name]) -> list[Name]:
    names = relevant(network, Question(() if target is None else (target,), dict.fromkeys(found, 0)))
    network.require(names)
    return names


def _fits_everything(network: FrozenNetwork, name: Name) -> bool:
    """Whether a gap can be a finding of weight 1: for real variables, if no other real one is beside it."""
    if not network.schema[name].is_continuous:
        return True
    return not network.continuous_parents(name) and not network.dag.children(name)


def by_pattern(gaps: BoolArray) -> list[tuple[BoolArray, npt.NDArray[np.intp]]]:
    """The distinct gap patterns, each with the rows that have it."""
    if not gaps.any():
        return [(gaps[0], np.arange(len(gaps)))] if len(gaps) else []
    packed = np.packbits(gaps, axis=1)
    _, first, inverse = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(inverse.ravel(), kind="stable")
    edges = np.searchsorted(inverse.ravel()[order], np.arange(1, len(first)))
    return [(gaps[f], part) for f, part in zip(first, np.split(order, edges), strict=True)]
