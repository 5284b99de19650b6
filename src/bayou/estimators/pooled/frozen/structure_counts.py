"""The statistic of an ensemble of many rows: how often what stands in its tables and trees occurred.

Codes of rows wait until there are many, because counting into trees has costs that do not grow with the rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from bayou.codes import is_missing_cell
from bayou.errors import BadFile, BadStatistics, without_warnings
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.input.target import class_variable
from bayou.estimators.pooled.frozen.frozen_structure import FrozenStructure
from bayou.estimators.pooled.frozen.member_tables import MemberTables, counted_rows
from bayou.estimators.pooled.training_rows import TrainingRows, batch_columns
from bayou.schema import Variable, state_key
from bayou.schema.json_values import decode_value, encode_value
from bayou.statistics import Batch
from bayou.statistics.request import RequestFor
from bayou.statistics.result import Result
from bayou.typing import BoolArray, FloatArray, IntArray, Name, State

MOST_WAITING = 1 << 25
"""Codes of rows that wait to be counted, in bytes."""
_DIFFERENT = "These ensembles learned different cuts and trees: their counts neither add nor subtract."


@dataclass(frozen=True, eq=False)
class WaitingRows:
    """Rows as fine codes [column, row], their classes by name, and their weights."""

    fine: npt.NDArray[np.uint8]
    own: IntArray
    classes: tuple[State, ...]
    weights: FloatArray


@dataclass(frozen=True, eq=False)
class CountedStructure(Result):
    """The rows that were counted into a structure: tables by class, and codes that still wait.

    ``structure`` is None in what was read from a file: that of the request with the same key is meant.
    """

    kind: ClassVar[str] = "counts of an ensemble"
    key: str
    classes: Variable
    names: tuple[Name, ...]
    structure: FrozenStructure | None
    tables: MemberTables | None
    waiting: tuple[WaitingRows, ...] = ()

    @classmethod
    def of_rows(cls, structure: FrozenStructure, rows: TrainingRows, classes: Variable) -> CountedStructure:
        """The counts of the rows of a sample."""
        with without_warnings():
            fine = structure.prepared.coded(FeatureTable(rows.columns))
        own = rows.own.astype(np.int64)
        waiting = WaitingRows(fine, own, tuple(classes.states), rows.weights)
        names = tuple(structure.kinds)
        return cls(structure.key, classes, names, structure, None, (waiting,))

    @property
    def request(self) -> CountStructure:
        """The request that this answers."""
        return CountStructure(self.classes.name, self.names, self.key, self.structure)

    @property
    def total(self) -> float:
        """The weight of the rows."""
        counted = 0.0 if self.tables is None else self.tables.total
        return counted + sum(float(rows.weights.sum()) for rows in self.waiting)

    def settled(self) -> MemberTables:
        """The tables of all rows; none waits any more."""
        return self._settled

    @cached_property
    def _settled(self) -> MemberTables:
        tables, many = self.tables, self.classes.cardinality
        if not self.waiting:
            if tables is None:
                raise BadStatistics("An ensemble without a row has no counts.")
            return tables
        if self.structure is None:
            raise BadStatistics("The structure of these counts is not known.")
        rows = [replace(part, own=_places(part.classes, self.classes)[part.own]) for part in self.waiting]
        fresh = counted_rows(
            self.structure,
            np.concatenate([part.fine for part in rows], axis=1),
            np.concatenate([part.own for part in rows]),
            np.concatenate([part.weights for part in rows]),
            many,
        )
        return fresh if tables is None else tables.plus(fresh)

    def __add__(self, other: CountedStructure) -> CountedStructure:
        if self.key != other.key:
            raise BadStatistics(_DIFFERENT)
        if other.total == 0:
            return self
        names = {state_key(state): state for one in (self, other) for state in one.classes.states}
        classes = class_variable(self.classes.name, names.values())
        left, right = (one._among(classes) for one in (self, other))
        tables = left.tables if right.tables is None else right.tables
        if left.tables is not None and right.tables is not None:
            tables = left.tables.plus(right.tables)
        structure = self.structure or other.structure
        waiting = (*left.waiting, *right.waiting)
        both = CountedStructure(self.key, classes, self.names, structure, tables, waiting)
        if sum(rows.fine.size for rows in waiting) < MOST_WAITING:
            return both
        return replace(both, tables=both.settled(), waiting=())

    def __sub__(self, other: CountedStructure) -> CountedStructure:
        if self.key != other.key:
            raise BadStatistics(_DIFFERENT)
        other = replace(other, structure=other.structure or self.structure)
        if any(self.classes.find(state) is None for state in other.classes.states):
            raise BadStatistics("Cannot forget rows of a class that was not learned.")
        rest = self.settled().plus(other._among(self.classes).settled(), -1)
        return replace(self, tables=rest, waiting=())

    def __mul__(self, weight: float) -> CountedStructure:
        return replace(self, tables=self.settled().times(weight), waiting=())

    @property
    def labels(self) -> tuple[Variable, ...]:
        """The classes, of which one without rows is dropped."""
        return (self.classes,)

    def present(self, dimension: int) -> BoolArray:
        """Which classes have rows."""
        found: BoolArray = self.settled().by_class > 0
        return found

    def aligned(self, axes: Sequence[Variable]) -> CountedStructure:
        """The same counts with these classes."""
        return replace(self, tables=self.settled(), waiting=())._among(axes[0])

    def _among(self, classes: Variable) -> CountedStructure:
        """The same with other classes; rows that wait know theirs by name."""
        if classes == self.classes:
            return self
        tables = self.tables
        if tables is not None:
            tables = tables.moved(_places(self.classes.states, classes), classes.cardinality)
        return replace(self, classes=classes, tables=tables)

    def state(self) -> dict[str, Any]:
        """Plain data for a file; the structure is written once, beside it."""
        named = {"classes": self.classes.state(), "names": [encode_value(name) for name in self.names]}
        return {"kind": self.kind, "key": self.key, **named, **self.settled().state()}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> CountedStructure:
        """Read :meth:`state`; whether it fits a structure is checked where both are known."""
        classes = Variable.from_state(state["classes"])
        tables = MemberTables.from_state(state, classes.cardinality)
        names = tuple(decode_value(name) for name in state["names"])
        if not isinstance(state["key"], str):
            raise BadFile("the key of a structure is no text.")
        return cls(state["key"], classes, names, None, tables)


@dataclass(frozen=True)
class CountStructure(RequestFor[CountedStructure]):
    """Request: the counts of a structure; two are the same if they are of structures with the same key."""

    target: Name
    names: tuple[Name, ...]
    key: str
    structure: FrozenStructure | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, structure: FrozenStructure, target: Name) -> CountStructure:
        """The request for a structure and the name of the class."""
        return cls(target, tuple(structure.kinds), structure.key, structure)

    @property
    def variables(self) -> tuple[Name, ...]:
        """The class and the columns."""
        return (self.target, *self.names)

    @property
    def states(self) -> tuple[Name, ...]:
        """The class is read as states."""
        return (self.target,)

    @property
    def values(self) -> tuple[Name, ...]:
        """The columns are read as they are in the data."""
        return self.names

    def answer(self, batch: Batch, variables: Mapping[Name, Variable]) -> CountedStructure:
        """The rows of a batch as codes."""
        assert self.structure is not None
        labels = np.asarray(batch.codes[self.target])
        weights = np.ones(batch.rows) if batch.weights is None else batch.weights.astype(np.float64)
        used = np.flatnonzero(~is_missing_cell(labels) & (weights > 0))
        columns = batch_columns(batch, variables, self.structure.kinds)
        with without_warnings():
            fine = self.structure.prepared.coded(FeatureTable(columns))
        classes = variables[self.target]
        rows = WaitingRows(fine[:, used], labels[used].astype(np.int64), classes.states, weights[used])
        one = class_variable(classes.name, classes.states)
        return CountedStructure(self.key, one, self.names, self.structure, None, (rows,))


def require_counts_of(structure: FrozenStructure | None, counts: CountedStructure) -> None:
    """Raise BadFile unless counts from a file are those of this structure."""
    tables = counts.settled()
    if structure is None or structure.key != counts.key or tuple(structure.kinds) != counts.names:
        raise BadFile("the counts of an ensemble are not those of its structure.")
    sizes = [len(part) for part in tables.cells]
    if tables.nodes.nodes != structure.nodes or sizes != structure.cells:
        raise BadFile("the counts of an ensemble have other sizes than its structure.")


def _places(states: Sequence[State], classes: Variable) -> IntArray:
    """The place of each state among the classes; −1: it is none."""
    found = [classes.find(state) for state in states]
    return np.array([-1 if place is None else place for place in found], dtype=np.int64)
