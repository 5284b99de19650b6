"""The tables of a classifier as look-ups: what each family adds to log P(class, row), also without a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from bayou.networks import FrozenNetwork
from bayou.schema import Variable
from bayou.typing import BoolArray, CodeArray, FloatArray, IntArray, Name

FEW = 4
"""Of rows that ask for less than this part of a table, only what they ask for is worked out."""
SMALLEST = 1e-12
"""The smallest probability of a row without itself, as in :meth:`Table.left_out`."""


@dataclass(frozen=True, eq=False)
class FamilyScores:
    """log P(x | parents) of one variable for every class, from ``table``: P [feature …, class].

    Cells are the combinations of ``features`` (the parents without the class, then x), in C order. A family
    without the class has the same number in all classes, and ``has_class`` is False.
    """

    name: Name
    features: tuple[Variable, ...]
    table: FloatArray
    has_class: bool

    @cached_property
    def logs(self) -> FloatArray:
        """All logarithms, [cell, class]."""
        return _logs(self.table.reshape(-1, self.table.shape[-1]))

    def logs_of(self, cells: IntArray) -> FloatArray:
        """The logarithms of some cells, [place in ``cells``, class]: of few, only these are made."""
        shape = self.table.shape[:-1]
        if "logs" not in self.__dict__ and len(cells) < prod(shape) // FEW:
            return _logs(self.table[np.unravel_index(cells, shape)])
        found: FloatArray = self.logs[cells]
        return found

    def cells(self, codes: Mapping[Name, CodeArray]) -> tuple[IntArray, BoolArray]:
        """The cell of each row, and whether all of the family is known there; the cell is 0 where it is not.

        A code of ``cardinality`` or above means a gap.
        """
        place, known = np.zeros(1, dtype=np.int64), np.ones(1, dtype=bool)
        for variable in self.features:
            own = codes[variable.name]
            known = known & (own < variable.cardinality)
            place = place * variable.cardinality + own
        return np.where(known, place, 0), known


def class_last(table: FloatArray, family: Sequence[Name], target: Name, classes: int) -> FloatArray:
    """Return a table of a family with the class as last axis; without it, the same for all classes.

    It is the same memory: tables of features with many states are large.
    """
    if target in family:
        return np.moveaxis(table, list(family).index(target), -1)
    return np.broadcast_to(table[..., None], (*table.shape, classes))


def family_scores(network: FrozenNetwork, target: Name) -> tuple[FamilyScores, ...] | None:
    """Return the look-ups of all features; None if a variable has no table, or the class has parents."""
    if network.parents(target) or any(variable.is_continuous for variable in network.schema):
        return None
    classes = network.schema[target].cardinality
    found = []
    for variable in network.schema:
        if variable.name == target:
            continue
        family = (*(parent.name for parent in network.parents(variable.name)), variable.name)
        table = class_last(network.table(variable.name), family, target, classes)
        features = tuple(network.schema[name] for name in family if name != target)
        found.append(FamilyScores(variable.name, features, table, target in family))
    return tuple(found)


def _logs(table: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.log(np.ascontiguousarray(table))


def looked_up(
    scores: Sequence[FamilyScores], start: FloatArray, codes: Mapping[Name, CodeArray]
) -> FloatArray:
    """Return ``start`` + Σ log P(x | parents) of rows without gaps, [row, class]."""
    total: FloatArray | None = None
    for family in scores:
        added = family.logs_of(family.cells(codes)[0])
        total = start + added if total is None else np.add(total, added, out=total)
    rows = max((len(column) for column in codes.values()), default=0)
    return np.tile(start, (rows, 1)) if total is None else total


def weighed_terms(
    scores: Sequence[FamilyScores], codes: Mapping[Name, CodeArray], weights: FloatArray
) -> FloatArray:
    """Return Σ weight · log P(x | parents) over the families with the class that a row is known in."""
    total: FloatArray | float = 0.0
    for family, weight in zip((each for each in scores if each.has_class), weights.tolist(), strict=True):
        cells, known = family.cells(codes)
        total = total + np.where(known[:, None], weight * np.maximum(family.logs_of(cells), -1e300), 0.0)
    return np.asarray(total)


@dataclass(frozen=True, eq=False)
class FamilyRecords:
    """The records (counts and virtual ones) behind a table: [parent …, state of x, class].

    With back-off, ``virtual`` of them are distributed as P(x | class), whose own records are ``base``
    [state of x, class].
    """

    scores: FamilyScores
    records: FloatArray
    virtual: float = 0.0
    base: FloatArray | None = None

    def left_out(self, cells: IntArray, known: BoolArray, own: IntArray, weights: FloatArray) -> FloatArray:
        """Return log P(x | parents, own class) of rows, each without the row; 0 where not all is known."""
        *parents, states, _ = self.records.shape
        parent, state = cells // states, cells % states
        here = self.records[(*np.unravel_index(cells, (*parents, states)), own)] - weights
        total = self._totals(parent, own) - weights
        if self.base is not None:
            one, all_of_class = self.base[state, own], self.base.sum(axis=0)[own]
            rest = np.maximum(all_of_class - weights, SMALLEST)
            here = here + self.virtual * (np.maximum(one - weights, 0.0) / rest - one / all_of_class)
        share = np.where(total > SMALLEST, here / np.where(total > SMALLEST, total, 1.0), 1 / states)
        return np.where(known, np.log(np.maximum(share, SMALLEST)), 0.0)

    def _totals(self, parent: IntArray, own: IntArray) -> FloatArray:
        """The records of the rows' parents in their classes; of few rows, only these are added up."""
        *parents, states, classes = self.records.shape
        if 0 < len(parent) < prod(parents):
            asked = self.records[np.unravel_index(parent, parents)]
            found: FloatArray = np.ascontiguousarray(asked).sum(axis=1)[np.arange(len(own)), own]
            return found
        every: FloatArray = self.records.reshape(-1, states, classes).sum(axis=1)[parent, own]
        return every
