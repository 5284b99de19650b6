"""Which program each row of the evidence needs: rows that know the same variables share one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bayou.temporal.templates.slice_evidence import FREE, KNOWN, OBSERVED, SliceEvidence
from bayou.temporal.templates.slice_plan import SliceKind
from bayou.temporal.templates.template import DynamicTemplate
from bayou.typing import Name

MOST_KINDS = 256
"""If rows differ in more ways, values of columns with gaps are entered as likelihoods, so that fewer differ.
"""


def row_kinds(
    evidence: SliceEvidence,
    wanted: tuple[Name, ...],
    counts: bool,
    factored: bool = False,
    smoothed: bool = False,
) -> tuple[SliceEvidence, list[SliceKind], npt.NDArray[np.uint32]]:
    """(the evidence, perhaps with values as likelihoods, the kinds of its rows, the kind of each row)."""
    keys, places = _distinct(evidence)
    if len(keys) > MOST_KINDS:
        seen = (evidence.status == OBSERVED).any(axis=1)
        mixed = np.flatnonzero(seen & (evidence.status == FREE).any(axis=1))
        evidence = evidence.softened(mixed)
        keys, places = _distinct(evidence)
    shape = _shape(evidence.template)
    kinds = [
        SliceKind(int(key[0]), bool(key[1]), _status(key[2:], shape), wanted, counts, factored, smoothed)
        for key in keys
    ]
    return evidence, kinds, places


def _shape(template: DynamicTemplate) -> list[int]:
    """How many ages of each variable matter."""
    return [1 if name in template.constant else template.lasts(name) + 1 for name in template.names]


def _status(cells: npt.NDArray[np.uint8], shape: list[int]) -> tuple[tuple[int, ...], ...]:
    parts = np.split(cells, np.cumsum(shape)[:-1])
    return tuple(tuple(part.tolist()) for part in parts)


def _distinct(
    evidence: SliceEvidence,
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint32]]:
    """(the distinct lines of what decides a row's program, the line of each row)."""
    template = evidence.template
    steps = np.arange(evidence.rows) - np.repeat(evidence.starts[:-1], evidence.lengths)
    columns = [np.minimum(steps, max(template.order, 1)).astype(np.uint8)]
    last = np.zeros(evidence.rows, dtype=np.uint8)
    if template.last:
        last[evidence.starts[1:][evidence.lengths > 0] - 1] = 1
    columns.append(last)
    for k, ages in enumerate(_shape(template)):
        columns.append(evidence.status[k])
        for age in range(1, ages):
            before = np.zeros(evidence.rows, dtype=np.uint8)
            before[age:] = evidence.status[k, :-age] & KNOWN
            before[steps < age] = FREE
            columns.append(before)
    lines = np.ascontiguousarray(np.stack(columns, axis=1))
    whole = lines.view([("", lines.dtype)] * lines.shape[1]).ravel() if len(lines) else np.zeros(0)
    if not len(lines):
        return lines, np.zeros(0, np.uint32)
    changes = np.concatenate([[True], (lines[1:] != lines[:-1]).any(axis=1)])
    # Neighbours are mostly alike: only the first of each stretch is sorted.
    heads = np.flatnonzero(changes)
    _, first, inverse = np.unique(whole[heads], return_index=True, return_inverse=True)
    places = np.repeat(inverse.ravel(), np.diff(np.append(heads, len(lines))))
    return lines[heads[first]], places.astype(np.uint32)
