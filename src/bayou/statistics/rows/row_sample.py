"""A sample of rows that adds: the rows whose contents have the smallest hashes, each with its weight.

Which rows are in it depends on their contents only, not on their order or on the division into batches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from bayou._native import sample_rows
from bayou.errors import BadFile, BadStatistics
from bayou.schema import Variable, is_number, state_key
from bayou.schema.json_values import decode_value, encode_value
from bayou.statistics.batch import Batch
from bayou.statistics.request import RequestFor
from bayou.statistics.result import Result
from bayou.typing import CodeArray, FloatArray, IntArray, Name, State

Hashes = npt.NDArray[np.uint64]
_Objects = npt.NDArray[np.object_]
_PickedColumn = FloatArray | _Objects | tuple[CodeArray, tuple[State, ...]]
_GAP = np.uint64(0x9E3779B97F4A7C15)
_ODD = np.uint64(0xFF51AFD7ED558CCD)


@dataclass(frozen=True, eq=False)
class SampledRows(Result):
    """At most ``size`` distinct rows: hashes ascending, weights, and the values of each column.

    >>> a = SampledRows.from_values({"x": ["a", "b"]}, np.ones(2), size=10)
    >>> b = SampledRows.from_values({"x": ["b"]}, np.ones(1), size=10)
    >>> sorted(zip((a + b).values["x"], (a + b).weights.tolist()))
    [('a', 1.0), ('b', 2.0)]
    """

    kind: ClassVar[str] = "sample"
    size: int
    hashes: Hashes
    weights: FloatArray
    values: Mapping[Name, list[State]]

    @classmethod
    def of(
        cls,
        names: Sequence[Name],
        rows: int,
        hashed: Callable[[Name], Hashes],
        picked: Callable[[Name, IntArray], list[State]],
        weights: FloatArray,
        size: int = 4096,
    ) -> SampledRows:
        """The sample of many rows; ``hashed`` gives a column's hashes, ``picked`` its values in some rows."""
        total = np.zeros(rows, dtype=np.uint64)
        for place, name in enumerate(names):  # as the kernel does it
            total += mixed(hashed(name) + np.uint64((place + 1) * int(_GAP) % 2**64))
        distinct, first, back = np.unique(mixed(total), return_index=True, return_inverse=True)
        sums = sums_by_place(back, weights, len(distinct))
        kept = first[:size].astype(np.int64)
        return cls(size, distinct[:size], sums[:size], {name: picked(name, kept) for name in names})

    @classmethod
    def from_values(
        cls, values: Mapping[Name, Sequence[State]], weights: FloatArray, size: int
    ) -> SampledRows:
        """The sample of few rows, given as lists of values."""

        def picked(name: Name, rows: IntArray) -> list[State]:
            return [values[name][row] for row in rows.tolist()]

        return cls.of(
            list(values), len(weights), lambda name: hash_states(values[name]), picked, weights, size
        )

    @property
    def request(self) -> RowSample:
        """The request that this sample answers."""
        return RowSample(tuple(self.values), self.size)

    @property
    def total(self) -> float:
        """The weight of the rows in the sample."""
        return float(self.weights.sum())

    def __add__(self, other: SampledRows) -> SampledRows:
        if set(self.values) != set(other.values) or self.size != other.size:
            raise BadStatistics("Samples of different columns, or of different sizes, cannot be added.")
        if len(self.hashes) == self.size:  # rows above a full sample are not in the sample of both
            other = other._first(int(np.searchsorted(other.hashes, self.hashes[-1], side="right")))
        if not len(other.hashes):
            return self
        both = np.concatenate([self.hashes, other.hashes])
        distinct, first, back = np.unique(both, return_index=True, return_inverse=True)
        weights = np.concatenate([self.weights, other.weights])
        sums = sums_by_place(back, weights, len(distinct))
        columns = {
            name: np.concatenate([_objects(self.values, name), _objects(other.values, name)])[
                first[: self.size]
            ]
            for name in self.values
        }
        return SampledRows(self.size, distinct[: self.size], sums[: self.size], _PickedRows(columns))

    def _first(self, rows: int) -> SampledRows:
        """The rows with the smallest hashes."""
        if isinstance(self.values, _PickedRows):
            values: Mapping[Name, list[State]] = self.values.first(rows)
        else:
            values = {name: column[:rows] for name, column in self.values.items()}
        return SampledRows(self.size, self.hashes[:rows], self.weights[:rows], values)

    def __sub__(self, other: SampledRows) -> SampledRows:
        """Subtract the weights of rows; rows that were dropped from a full sample are not restored."""
        place = np.minimum(np.searchsorted(self.hashes, other.hashes), max(0, len(self.hashes) - 1))
        found = self.hashes[place] == other.hashes if len(self.hashes) else np.zeros(len(place), dtype=bool)
        weights = self.weights.copy()
        np.subtract.at(weights, place[found], other.weights[found])
        kept = np.flatnonzero(weights > 1e-9)
        values = {name: [column[row] for row in kept] for name, column in self.values.items()}
        return SampledRows(self.size, self.hashes[kept], weights[kept], values)

    def __mul__(self, weight: float) -> SampledRows:
        return SampledRows(self.size, self.hashes, self.weights * weight, self.values)

    def state(self) -> dict[str, Any]:
        """The rows' hashes, weights and values, numeric columns as arrays."""
        columns = []
        for name, values in self.values.items():
            numeric = all(value is None or type(value) is float for value in values)
            numbers = np.array([np.nan if value is None else value for value in values]) if numeric else None
            typed = None if numeric else [encode_value(value) for value in values]
            columns.append({"name": encode_value(name), "numbers": numbers, "values": typed})
        rows = {"hashes": self.hashes.view(np.int64), "weights": self.weights, "columns": columns}
        return {"kind": self.kind, "size": self.size, **rows}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> SampledRows:
        """Read :meth:`state`; raise BadFile unless every row has a weight and a value of each column."""
        values: dict[Name, list[Any]] = {}
        for column in state["columns"]:
            name, numbers = decode_value(column["name"]), column["numbers"]
            if numbers is None:
                values[name] = [decode_value(value) for value in column["values"]]
            else:
                values[name] = [None if value != value else value for value in numbers.tolist()]
        weights = state["weights"]
        if weights.ndim != 1 or any(len(column) != len(weights) for column in values.values()):
            raise BadFile("the rows of a sample do not have a weight and a value of each column.")
        if "hashes" not in state:
            return cls._of_earlier_file(values, weights, state["size"])
        hashes = state["hashes"].view(np.uint64)
        if hashes.shape != weights.shape or len(hashes) > state["size"] or np.any(hashes[1:] <= hashes[:-1]):
            raise BadFile("the rows of a sample are not in the order of their hashes.")
        return cls(state["size"], hashes, weights, values)

    @classmethod
    def _of_earlier_file(
        cls, values: Mapping[Name, list[Any]], weights: FloatArray, size: int
    ) -> SampledRows:
        """A sample from a file without hashes, under the hash function of its time.

        These rows were the smallest under it: under another function they would lie anywhere, and too many
        of the rows that are added later would take their places.
        """
        total = np.zeros(len(weights), dtype=np.uint64)
        for column in values.values():
            total = mixed((total ^ hash_states(column)) * _ODD + _GAP)
        order = np.argsort(total, kind="stable")
        kept = {name: [column[row] for row in order.tolist()] for name, column in values.items()}
        return cls(size, total[order], weights[order], kept)


@dataclass(frozen=True)
class RowSample(RequestFor[SampledRows]):
    """Request: at most ``size`` distinct rows of these variables, the same whatever the order of the data.

    >>> RowSample(("age", "smoker"), size=100)
    RowSample(variables=('age', 'smoker'), size=100)
    """

    variables: tuple[Name, ...]
    size: int = 4096

    @property
    def values(self) -> tuple[Name, ...]:
        """The variables of the rows."""
        return self.variables

    def answer(self, batch: Batch, variables: Mapping[Name, Variable]) -> SampledRows:
        """The sample of some rows."""
        return self._sampled(batch, variables, 2**64 - 1)

    def answer_after(
        self, batch: Batch, variables: Mapping[Name, Variable], before: SampledRows
    ) -> SampledRows:
        """The rows that a sample of earlier rows still has room for: fewer and fewer, batch by batch."""
        is_full = len(before.hashes) == self.size > 0
        return self._sampled(batch, variables, int(before.hashes[-1]) if is_full else 2**64 - 1)

    def _sampled(self, batch: Batch, variables: Mapping[Name, Variable], largest: int) -> SampledRows:
        columns, tables = zip(*(_hashable(batch, variables, name) for name in self.variables), strict=True)
        weights = None if batch.weights is None else batch.weights.astype(np.float64)
        hashes, rows, sums = sample_rows(list(columns), list(tables), weights, self.size, largest)
        columns = {name: _picked(batch, variables, name, rows) for name in self.variables}
        return SampledRows(self.size, hashes, sums, _PickedRows(columns))


class _PickedRows(Mapping[Name, list[State]]):
    """The values of some rows; columns are arrays, and become lists when they are asked for.

    Most rows of a batch leave the sample when it is added to that of earlier batches: they need no lists.
    """

    def __init__(self, columns: Mapping[Name, _PickedColumn]) -> None:
        self._columns = columns

    def __getitem__(self, name: Name) -> list[State]:
        column = self._columns[name]
        if isinstance(column, tuple):
            codes, states = column
            return [states[code] for code in codes.tolist()]
        listed: list[State] = column.tolist()
        if column.dtype == np.object_ or not np.isnan(column).any():
            return listed
        return [None if value != value else value for value in listed]

    def __iter__(self) -> Iterator[Name]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def objects(self, name: Name) -> _Objects:
        """A column as an array of Python's objects."""
        column = self._columns[name]
        if isinstance(column, tuple) or column.dtype != np.object_:
            return np.fromiter(self[name], dtype=np.object_)
        return column.astype(np.object_, copy=False)

    def first(self, rows: int) -> _PickedRows:
        """The values of the first of these rows."""
        return _PickedRows(
            {
                name: (column[0][:rows], column[1]) if isinstance(column, tuple) else column[:rows]
                for name, column in self._columns.items()
            }
        )


def _objects(values: Mapping[Name, list[State]], name: Name) -> _Objects:
    if isinstance(values, _PickedRows):
        return values.objects(name)
    return np.fromiter(values[name], dtype=np.object_)


def _hashable(
    batch: Batch, variables: Mapping[Name, Variable], name: Name
) -> tuple[npt.NDArray[Any], Hashes]:
    """A column as the kernel reads it: codes and the hash of each, the last for missing cells; or numbers."""
    few = batch.few_numbers(name)
    if few is not None:
        return few.codes, hash_numbers(np.append(few.distinct, np.nan))
    if name in batch.numbers:
        return np.ascontiguousarray(batch.numbers[name], dtype=np.float64), np.empty(0, dtype=np.uint64)
    return batch.codes[name], hash_states([*variables[name].states, None])


def _picked(batch: Batch, variables: Mapping[Name, Variable], name: Name, rows: IntArray) -> _PickedColumn:
    """A column in some rows: numbers, NaN where missing, or codes and their states, the last one None."""
    few = batch.few_numbers(name)
    if few is not None:
        return few.at(rows)
    if name in batch.numbers:
        return batch.numbers[name][rows]
    states = (*variables[name].states, None)
    return np.minimum(batch.codes[name][rows], len(states) - 1), states


def hash_states(states: Sequence[State]) -> Hashes:
    """Return a hash for each state that depends on its value and kind only: the same in every run."""
    return np.array([_hash_state(state) for state in states], dtype=np.uint64)


def hash_numbers(values: FloatArray) -> Hashes:
    """Return the same for numbers; 1 and 1.0 have the same hash, and all missing values have one."""
    bits = (np.asarray(values, dtype=np.float64) + 0.0).view(np.uint64)
    hashes = mixed(bits ^ _GAP)
    hashes[np.isnan(values)] = _GAP
    return hashes


def _hash_state(state: State) -> int:
    if state is None:
        return int(_GAP)
    if is_number(state):
        return int(hash_numbers(np.array([state], dtype=np.float64))[0])
    kind, value = state_key(state)
    text = f"{kind}\0{value!r}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "little")


def sums_by_place(places: IntArray, weights: FloatArray, length: int) -> FloatArray:
    """Return the sums of the weights by place."""
    sums: FloatArray = np.bincount(places.ravel(), weights=weights, minlength=length).astype(np.float64)
    return sums


def mixed(bits: Hashes) -> Hashes:
    """Mix the bits of 64-bit words, so that they can serve as hashes."""
    bits = (bits ^ (bits >> np.uint64(33))) * _ODD
    return bits ^ (bits >> np.uint64(29))
