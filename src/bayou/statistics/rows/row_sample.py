"""A sample of rows that adds: the rows whose contents have the smallest hashes, each with its weight.

Which rows are in it depends on their contents only, not on their order or on the division into batches.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from bayou._native import sample_rows
from bayou.errors import BadFile, BadStatistics
from bayou.schema import Variable, is_number, state_key
from bayou.schema.json_values import decode_value, encode_value
from bayou.statistics.batch import Batch
from bayou.statistics.request import RequestFor
from bayou.statistics.result import Result
from bayou.statistics.rows.picked_rows import PickedColumn, PickedRows, are_numbers, joined_column
from bayou.typing import CodeArray, FloatArray, IntArray, Name, State

Hashes = npt.NDArray[np.uint64]
_GAP = np.uint64(0x9E3779B97F4A7C15)
_ODD = np.uint64(0xFF51AFD7ED558CCD)
_LARGEST = 2**64 - 1
_MOST_ROWS = 2**40


class _Weighted(Protocol):
    """Rows told apart by hashes, ascending, each with its weight."""

    @property
    def hashes(self) -> Hashes: ...
    @property
    def weights(self) -> FloatArray: ...


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
    limit: int = _LARGEST
    """Rows with larger hashes may have been dropped, or were never asked for."""

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

    def held(self, name: Name) -> FloatArray | tuple[CodeArray, tuple[State, ...]] | list[State]:
        """A column as it is held: numbers (NaN: missing), codes and their states (the last None), or values.

        >>> SampledRows.from_values({"x": [2.0]}, np.ones(1), size=10).held("x")
        [2.0]
        """
        if not isinstance(self.values, PickedRows):
            return self.values[name]
        column = self.values.column(name)
        if isinstance(column, tuple) or are_numbers(column):
            return column
        listed: list[State] = column.tolist()
        return listed

    @property
    def largest(self) -> int:
        """The largest hash up to which the sample has every row; rows above it cannot come in any more.

        It stays when rows are subtracted: with later rows above it, and without the ones that were dropped,
        it would be no sample of all rows.
        """
        is_full = len(self.hashes) == self.size > 0
        return min(self.limit, int(self.hashes[-1])) if is_full else self.limit

    @property
    def total(self) -> float:
        """The weight of the rows in the sample."""
        return float(self.weights.sum())

    def __eq__(self, other: object) -> bool:
        """The same rows with the same weights; a row's hash stands for its values."""
        return (
            isinstance(other, SampledRows)
            and (self.size, set(self.values)) == (other.size, set(other.values))
            and np.array_equal(self.hashes, other.hashes)
            and np.array_equal(self.weights, other.weights)
        )

    __hash__ = None  # type: ignore[assignment]  # arrays inside: equal samples need not hash alike

    def __add__(self, other: SampledRows) -> SampledRows:
        if set(self.values) != set(other.values) or self.size != other.size:
            raise BadStatistics("Samples of different columns, or of different sizes, cannot be added.")
        largest = min(self.largest, other.largest)
        one, two = self._up_to(largest), other._up_to(largest)
        if not len(two.hashes):
            return replace(one, limit=largest)
        both = np.concatenate([one.hashes, two.hashes])
        distinct, first, back = np.unique(both, return_index=True, return_inverse=True)
        weights = np.concatenate([one.weights, two.weights])
        sums = sums_by_place(back, weights, len(distinct))
        kept = first[: self.size]
        columns = {name: joined_column(one.values, two.values, name, kept) for name in self.values}
        return SampledRows(self.size, distinct[: self.size], sums[: self.size], PickedRows(columns), largest)

    def _up_to(self, largest: int) -> SampledRows:
        """The rows whose hashes are at most this."""
        rows = int(np.searchsorted(self.hashes, np.uint64(largest), side="right"))
        return self if rows == len(self.hashes) else self._first(rows)

    def _first(self, rows: int) -> SampledRows:
        """The rows with the smallest hashes."""
        if isinstance(self.values, PickedRows):
            values: Mapping[Name, list[State]] = self.values.first(rows)
        else:
            values = {name: column[:rows] for name, column in self.values.items()}
        return SampledRows(self.size, self.hashes[:rows], self.weights[:rows], values, self.limit)

    def __sub__(self, other: SampledRows) -> SampledRows:
        """Subtract the weights of rows; rows that were dropped from a full sample are not restored."""
        kept, weights = weights_left(self, other)
        values = {name: [column[row] for row in kept] for name, column in self.values.items()}
        return SampledRows(self.size, self.hashes[kept], weights, values, self.largest)

    def __mul__(self, weight: float) -> SampledRows:
        return replace(self, weights=self.weights * weight)

    def state(self) -> dict[str, Any]:
        """The rows' hashes, weights and values, numeric columns as arrays."""
        columns = []
        for name, values in self.values.items():
            numeric = all(value is None or type(value) is float for value in values)
            numbers = np.array([np.nan if value is None else value for value in values]) if numeric else None
            typed = None if numeric else [encode_value(value) for value in values]
            columns.append({"name": encode_value(name), "numbers": numbers, "values": typed})
        rows = {"hashes": self.hashes.view(np.int64), "weights": self.weights, "columns": columns}
        limit = {} if self.limit == _LARGEST else {"limit": int(np.uint64(self.limit).view(np.int64))}
        return {"kind": self.kind, "size": self.size, **rows, **limit}

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
        weights, size = state["weights"], state["size"]
        if type(size) is not int or not 0 <= size <= _MOST_ROWS:
            raise BadFile(f"a sample cannot have the size {size!r}.")
        if weights.ndim != 1 or any(len(column) != len(weights) for column in values.values()):
            raise BadFile("the rows of a sample do not have a weight and a value of each column.")
        if "hashes" not in state:
            return cls._of_earlier_file(values, weights, size)
        hashes = state["hashes"].view(np.uint64)
        if hashes.shape != weights.shape or len(hashes) > size or np.any(hashes[1:] <= hashes[:-1]):
            raise BadFile("the rows of a sample are not in the order of their hashes.")
        limit = int(np.int64(state.get("limit", -1)).view(np.uint64))  # earlier files do not tell it
        if len(hashes) and hashes[-1] > limit:
            raise BadFile("a sample has rows that it cannot have.")
        return cls(size, hashes, weights, values, limit)

    @classmethod
    def _of_earlier_file(
        cls, values: Mapping[Name, list[Any]], weights: FloatArray, size: int
    ) -> SampledRows:
        """A sample from a file without hashes, under the hash function of its time.

        These rows were the smallest under it: under another function they would lie anywhere, and too many
        of the rows that are added later would take their places.
        """
        total = hash_rows([hash_states(column) for column in values.values()])
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
        return self._sampled(batch, variables, _LARGEST)

    def answer_after(
        self, batch: Batch, variables: Mapping[Name, Variable], before: SampledRows
    ) -> SampledRows:
        """The rows that a sample of earlier rows still has room for: fewer and fewer, batch by batch."""
        return self._sampled(batch, variables, before.largest)

    def _sampled(self, batch: Batch, variables: Mapping[Name, Variable], largest: int) -> SampledRows:
        columns, tables = zip(*(_hashable(batch, variables, name) for name in self.variables), strict=True)
        weights = None if batch.weights is None else batch.weights.astype(np.float64)
        hashes, rows, sums = sample_rows(list(columns), list(tables), weights, self.size, largest)
        columns = {name: _picked(batch, variables, name, rows) for name in self.variables}
        return SampledRows(self.size, hashes, sums, PickedRows(columns), largest)


def _hashable(
    batch: Batch, variables: Mapping[Name, Variable], name: Name
) -> tuple[npt.NDArray[Any], Hashes]:
    """A column as the kernel reads it: codes and the hash of each, the last for missing cells; or numbers."""
    if _is_cut(batch, variables, name):
        return batch.codes[name], hash_states([*variables[name].states, None])
    few = batch.few_numbers(name)
    if few is not None:
        return few.codes, hash_numbers(np.append(few.distinct, np.nan))
    if name in batch.numbers:
        return np.ascontiguousarray(batch.numbers[name], dtype=np.float64), np.empty(0, dtype=np.uint64)
    return batch.codes[name], hash_states([*variables[name].states, None])


def _picked(batch: Batch, variables: Mapping[Name, Variable], name: Name, rows: IntArray) -> PickedColumn:
    """A column in some rows: numbers, NaN where missing, or codes and their states, the last one None."""
    few = None if _is_cut(batch, variables, name) else batch.few_numbers(name)
    if few is not None:
        return few.at(rows)
    if name in batch.numbers and not _is_cut(batch, variables, name):
        return batch.numbers[name][rows]
    states = (*variables[name].states, None)
    return np.minimum(batch.codes[name][rows], len(states) - 1), states


def _is_cut(batch: Batch, variables: Mapping[Name, Variable], name: Name) -> bool:
    """Whether a column is asked for as ranges, and the batch has their codes, maybe beside the numbers."""
    return name in batch.codes and name in variables and variables[name].cuts is not None


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


def hash_rows(columns: Sequence[Hashes]) -> Hashes:
    """Return a hash for each row from those of its cells."""
    total = np.zeros(len(columns[0]) if columns else 0, dtype=np.uint64)
    for column in columns:
        total = mixed((total ^ column) * _ODD + _GAP)
    return total


def sums_by_place(places: IntArray, weights: FloatArray, length: int) -> FloatArray:
    """Return the sums of the weights by place."""
    sums: FloatArray = np.bincount(places.ravel(), weights=weights, minlength=length).astype(np.float64)
    return sums


def weights_left(sample: _Weighted, other: _Weighted) -> tuple[IntArray, FloatArray]:
    """The rows of a sample that are left when the weights of another are subtracted, and their weights."""
    place = np.minimum(np.searchsorted(sample.hashes, other.hashes), max(0, len(sample.hashes) - 1))
    found = sample.hashes[place] == other.hashes if len(sample.hashes) else np.zeros(len(place), dtype=bool)
    weights = sample.weights.copy()
    np.subtract.at(weights, place[found], other.weights[found])
    kept = np.flatnonzero(weights > 1e-9)
    return kept, weights[kept]


def mixed(bits: Hashes) -> Hashes:
    """Mix the bits of 64-bit words, so that they can serve as hashes."""
    bits = (bits ^ (bits >> np.uint64(33))) * _ODD
    return bits ^ (bits >> np.uint64(29))
