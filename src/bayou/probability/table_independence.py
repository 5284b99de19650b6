"""Independence in a given joint table: exact arithmetic, not a statistical test."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou.errors import BadQuestion, listed
from bayou.graphs import Independence
from bayou.probability.table_algebra import LabelledArray, summed_to
from bayou.schema.states import label
from bayou.text.tables import probability_text
from bayou.typing import FloatArray, Name, State


@dataclass(frozen=True)
class IndependenceTest:
    """True if P(left, right | given) = P(left | given) P(right | given) in every cell.

    ``gap`` is the largest difference of the two sides, ``where`` the states at which it occurs.
    """

    statement: Independence
    gap: float
    where: Mapping[Name, State]
    tolerance: float

    def __bool__(self) -> bool:
        return self.gap <= self.tolerance

    def __str__(self) -> str:
        verdict = "holds" if self else "does not hold"
        cell = ", ".join(f"{label(name)} = {label(state)}" for name, state in self.where.items())
        gap = f"{self.gap:.3g}" if self.gap < 0.001 else probability_text(self.gap)
        return f"{self.statement} {verdict}: the largest gap is {gap}, at {cell}."


def independence_test(
    table: LabelledArray, left: Any, right: Any, given: Any, tolerance: float
) -> IndependenceTest:
    """Compare P(left, right | given) with the product of its marginals; conditions are given, too."""
    groups = _groups(table, left, right, given)
    gap, place = _largest_gap(_three_axes(table, groups))
    where: dict[Name, State] = {}
    for axes, position in zip(groups, place, strict=True):
        shape = [table.array.shape[axis] for axis in axes]
        for axis, code in zip(axes, np.unravel_index(position, shape) if shape else (), strict=True):
            variable = table.schema.variables[axis]
            where[variable.name] = variable.states[int(code)]
    names = [tuple(table.schema.names[axis] for axis in axes) for axes in groups]
    return IndependenceTest(Independence(*names), gap, where, tolerance)


def mutual_information(table: LabelledArray, left: Any, right: Any, given: Any) -> float:
    """Return Σ P(l, r, g) log [P(l, r, g) P(g) / (P(l, g) P(r, g))] of a joint table, in nats."""
    joint = _three_axes(table, _groups(table, left, right, given))
    of_left = np.broadcast_to(joint.sum(axis=1, keepdims=True), joint.shape)
    of_right = np.broadcast_to(joint.sum(axis=0, keepdims=True), joint.shape)
    of_given = np.broadcast_to(joint.sum(axis=(0, 1), keepdims=True), joint.shape)
    cells = joint > 0
    p = joint[cells]
    terms = p * (np.log(p) + np.log(of_given[cells]) - np.log(of_left[cells]) - np.log(of_right[cells]))
    # Rounding can make the sum slightly negative.
    return max(float(terms.sum()), 0.0)


def _groups(
    table: LabelledArray, left: Any, right: Any, given: Any
) -> tuple[list[int], list[int], list[int]]:
    """Return the axes of left, right and given, or raise if they overlap or one is empty."""
    lefts, rights, givens = table.axes(left), table.axes(right), table.axes(given)
    if not lefts or not rights:
        raise BadQuestion("Independence is tested between two sets of names; one of them is empty.")
    givens += [axis for axis in table.conditions if axis not in givens]
    for first, second in itertools.combinations((lefts, rights, givens), 2):
        shared = [table.schema.names[axis] for axis in first if axis in second]
        if shared:
            raise BadQuestion(f"{listed(shared)} is named twice (in left, right or given); name it once.")
    return lefts, rights, givens


def _three_axes(table: LabelledArray, groups: tuple[list[int], list[int], list[int]]) -> FloatArray:
    """Sum out other axes and merge each group into one axis: (left, right, given)."""
    joint = summed_to(table.array, [axis for axes in groups for axis in axes])
    sizes = [int(np.prod([table.array.shape[axis] for axis in axes], dtype=np.int64)) for axes in groups]
    return joint.reshape(sizes)


def _largest_gap(joint: FloatArray) -> tuple[float, tuple[int, int, int]]:
    """Return the largest |P(l, r | g) − P(l | g) P(r | g)| and its cell."""
    of_given = joint.sum(axis=(0, 1), keepdims=True)
    rows = np.divide(joint, of_given, out=np.zeros_like(joint), where=of_given > 0)
    gaps = np.abs(rows - rows.sum(axis=1, keepdims=True) * rows.sum(axis=0, keepdims=True))
    # The first of gaps that differ only by rounding, so that every machine names the same cell.
    first = int((gaps >= gaps.max() - 1e-14).argmax())
    left, right, given = np.unravel_index(first, gaps.shape)
    return float(gaps.max()), (int(left), int(right), int(given))
