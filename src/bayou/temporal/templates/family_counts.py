"""Counts of the families of all slices whose values are all known: one request for each table's node."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from operator import add

import numpy as np

from bayou.networks import FrozenNetwork
from bayou.statistics import Counts, CountTable, Request, Result, Statistics
from bayou.temporal.templates.slice_evidence import FREE, KNOWN, OBSERVED, SliceEvidence
from bayou.temporal.templates.template import Node
from bayou.typing import CountArray, FloatArray, IntArray, Name


def family_counts(network: FrozenNetwork, evidence: SliceEvidence) -> Statistics:
    """The counts of every node of the first slices (the last of them stands for all later ones), and of each
    node alone. Values that were set are counted as parents, not as children.
    """
    answers: dict[Request, Result] = {}
    template = evidence.template
    weights = _row_weights(evidence)
    for label, node in template.behind.items():
        rows = rows_of(evidence, node)
        family = (*template.parents(node), node)
        for members in (family, (node,)):
            names = tuple(template.labelled(member) for member in members)
            axes = tuple(network.schema[name] for name in names)
            counted = _counted(evidence, rows, node, members, weights)
            answers.setdefault(CountTable(names), Counts(axes, counted))
        assert template.labelled(node) == label
    total = float(len(evidence.lengths) if evidence.weights is None else evidence.weights.sum())
    return Statistics(answers, total)


def counts_of(network: FrozenNetwork, parts: Iterable[SliceEvidence]) -> Statistics:
    """The counts of several parts, added from the first to the last."""
    return reduce(add, (family_counts(network, part) for part in parts))


def all_known(parts: Iterable[SliceEvidence]) -> bool:
    """Whether nothing has to be guessed: every variable is observed or set wherever it exists."""
    return first_unknown(parts) is None


def first_unknown(parts: Iterable[SliceEvidence]) -> tuple[Name, int] | None:
    """The first row, of all parts together, where a variable exists and is neither observed nor set.

    None if nothing has to be guessed.
    """
    for evidence in parts:
        found = []
        for name, rows in _unknown_rows(evidence):
            if len(rows):
                found.append((int(rows[0]), evidence.index(name), name))
        if found:
            row, _, name = min(found, key=lambda one: one[:2])
            return name, evidence.first_row + row
    return None


def unknown_cells(parts: Iterable[SliceEvidence]) -> tuple[int, tuple[Name, ...]]:
    """(the number of values that exist and are not known, the variables that are never known)."""
    gaps = 0
    hidden: dict[Name, bool] = {}
    for evidence in parts:
        gaps += sum(len(rows) for _, rows in _unknown_rows(evidence))
        for name in evidence.template.names:
            known = (evidence.status[evidence.index(name)] & KNOWN).any()
            hidden[name] = hidden.get(name, True) and not known
    return gaps, tuple(name for name, never in hidden.items() if never)


def _unknown_rows(evidence: SliceEvidence) -> Iterator[tuple[Name, IntArray]]:
    """The rows in which a variable exists and is not known, for each node of the first slices."""
    for node in evidence.template.behind.values():
        rows = rows_of(evidence, node)
        known = (evidence.status[evidence.index(node.name), rows] & KNOWN).astype(bool)
        yield node.name, rows[~known]


def rows_of(evidence: SliceEvidence, node: Node) -> IntArray:
    """The rows whose slice a node of the first slices stands for."""
    template = evidence.template
    real = evidence.lengths > 0
    if node.name in template.last:
        return (evidence.starts[1:] - 1)[real]
    steps = np.arange(evidence.rows) - np.repeat(evidence.starts[:-1], evidence.lengths)
    if template.outside(node.name) or node.step < template.order:
        return np.flatnonzero(steps == node.step)
    return np.flatnonzero(steps >= template.order)


def _counted(
    evidence: SliceEvidence, rows: IntArray, node: Node, members: tuple[Node, ...], weights: FloatArray | None
) -> CountArray:
    shape, cells = [], np.zeros(len(rows), dtype=np.int64)
    counts = (evidence.status[evidence.index(node.name), rows] == OBSERVED).copy()
    for member in members:
        index = evidence.index(member.name)
        age = 0 if evidence.template.outside(member.name) else node.step - member.step
        place = rows - age
        counts &= (evidence.status[index, place] & KNOWN) != FREE
        size = evidence.states[index]
        shape.append(size)
        cells = cells * size + np.where(counts, evidence.codes[index, place], 0)
    own = None if weights is None else weights[rows[counts]]
    total = np.bincount(cells[counts], own, minlength=int(np.prod(shape, dtype=np.int64)))
    return total.reshape(shape)


def _row_weights(evidence: SliceEvidence) -> FloatArray | None:
    return None if evidence.weights is None else np.repeat(evidence.weights, evidence.lengths)
