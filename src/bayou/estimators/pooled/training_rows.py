"""The distinct training rows with their weights, whatever order and batches they came in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from bayou.codes import code_type
from bayou.schema import Variable, state_key
from bayou.sources import CodedColumn, Columns, read_columns
from bayou.sources.tables.columns import Column, NumberColumn
from bayou.statistics import Batch, SampledRows
from bayou.statistics.rows.row_sample import mixed, sums_by_place
from bayou.typing import BoolArray, FloatArray, IntArray, Name

NUMBERS, STATES, TEXTS = "numbers", "states", "text"
NUMERIC = ("int", "float")
Hashes = npt.NDArray[np.uint64]
Classes = npt.NDArray[np.uint32]
_ODD = 0x9E3779B97F4A7C15


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """Distinct rows in the order of the hashes of their contents: columns, classes, weights, hashes.

    Everything that a member draws for a row depends on its hash, in which the seed is mixed.
    """

    columns: Columns
    own: Classes
    weights: FloatArray
    hashes: Hashes
    classes: int

    def scaled(self, factor: float) -> TrainingRows:
        """The same rows with ``factor`` times their weight, rounded so that another unit gives the same."""
        return replace(self, weights=np.maximum(np.round(self.weights * factor, 9), 1e-9))

    @property
    def class_weights(self) -> FloatArray:
        """The weight of the rows of each class."""
        return sums_by_place(self.own.astype(np.int64), self.weights, self.classes)

    @property
    def parts(self) -> FloatArray:
        """What is taken off when one record of a row is left out: 1, or the whole weight of a lighter row."""
        return np.minimum(self.weights, 1.0)

    @property
    def half(self) -> BoolArray:
        """Which half each row is in: what looks at the class judges rows of the other half only."""
        found: BoolArray = (self.hashes >> np.uint64(29)) % np.uint64(2) == 1
        return found

    def kept(self, most: int, among: BoolArray | None = None) -> IntArray:
        """The rows that weights are fitted on: those with the smallest hashes; no sole row of a class."""
        stays = self.class_weights[self.own] > self.parts * (1 + 1e-9)
        found: IntArray = np.flatnonzero(stays if among is None else stays & among)
        if len(found) > most:
            found = np.sort(found[np.argsort(self.hashes[found], kind="stable")[:most]])
        return found


def training_rows(
    sample: SampledRows, classes: Variable, kinds: Mapping[Name, str], seed: int
) -> TrainingRows:
    """Return the rows of a sample; ``kinds`` has the kind of each column ("int" and "float" are numbers).

    >>> sample = SampledRows.from_values({"y": ["a", "b"], "x": [1.5, None]}, np.ones(2), 10)
    >>> rows = training_rows(sample, Variable("y", ["a", "b"]), {"x": "float"}, seed=0)
    >>> sorted(zip(rows.own.tolist(), rows.columns.numbers("x").tolist()))
    [(0, 1.5), (1, nan)]
    """
    columns = [_column(sample, name, kind) for name, kind in kinds.items()]
    table = Columns(tuple(kinds), columns, len(sample.weights))
    labels = _column(sample, classes.name, STATES)
    assert isinstance(labels, CodedColumn)
    codes = np.array([classes.code(label) for label in labels.labels], dtype=np.uint32)
    drawn = mixed(sample.hashes ^ np.uint64((seed + 1) * _ODD % 2**64))
    weights = np.asarray(sample.weights, dtype=np.float64)
    return TrainingRows(table, codes[labels.codes], weights, drawn, classes.cardinality)


def _column(sample: SampledRows, name: Name, kind: str) -> Column:
    """One column of a sample, as numbers or as states."""
    held = sample.held(name)
    if isinstance(held, list):
        column = read_columns({name: held})[name] if held else CodedColumn(np.zeros(0, np.uint8), ())
    elif isinstance(held, tuple):
        column = _coded(*held)
    else:
        column = _of_numbers(held)
    return _of_kind(column, name, kind)


def batch_columns(batch: Batch, variables: Mapping[Name, Variable], kinds: Mapping[Name, str]) -> Columns:
    """The columns of a batch as those of a sample of its rows would be."""
    columns = []
    for name, kind in kinds.items():
        column: Column
        is_coded = name in batch.codes and name in variables
        if name in batch.numbers and not (is_coded and variables[name].cuts is not None):
            column = _of_numbers(np.asarray(batch.numbers[name], dtype=np.float64))
        else:
            states = (*variables[name].states, None)
            column = _coded(np.minimum(batch.codes[name], len(states) - 1), states)
        columns.append(_of_kind(column, name, kind))
    return Columns(tuple(kinds), columns, batch.rows)


def _of_numbers(values: FloatArray) -> NumberColumn:
    seen = values[~np.isnan(values)]
    return NumberColumn(values, integral=bool((seen == np.round(seen)).all()), kind="float")


def _of_kind(column: Column, name: Name, kind: str) -> Column:
    """A column as numbers or as states, whichever its kind says."""
    if kind not in NUMERIC:
        return column.coded() if isinstance(column, NumberColumn) else column
    numbers = Columns([name], [column], len(column)).numbers(name)
    seen = numbers[~np.isnan(numbers)]
    whole = bool((seen == np.round(seen)).all())
    return NumberColumn(numbers, integral=whole, kind="int" if kind == "int" else "float")


def _coded(codes: npt.NDArray[np.integer], states: tuple[object, ...]) -> CodedColumn:
    """Codes of states, the last of which is None, as a column that has only the states that occur."""
    present = np.bincount(codes.astype(np.intp), minlength=len(states)) > 0
    present[-1] = False
    distinct = {state_key(states[place]): place for place in np.flatnonzero(present).tolist()}
    kind = code_type(len(distinct))
    places = np.full(len(states), np.iinfo(kind).max, dtype=kind)
    numbers = {key: number for number, key in enumerate(distinct)}
    for place in np.flatnonzero(present).tolist():
        places[place] = numbers[state_key(states[place])]
    return CodedColumn(places[codes], tuple(states[place] for place in distinct.values()))
