"""A sample of labelled rows of numbers that adds: the rows whose contents have the smallest hashes.

It is ``SampledRows`` as one matrix: wide tables of numbers would cost too much as lists.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.errors import BadFile, BadStatistics
from bayou.schema.json_values import decode_value, encode_value
from bayou.statistics.rows.row_sample import (
    Hashes,
    hash_numbers,
    hash_states,
    mixed,
    sums_by_place,
    weights_left,
)
from bayou.typing import FloatArray, IntArray, State

_BLOCK = 512
_STEP = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class MatrixSample:
    """At most ``size`` distinct rows: hashes ascending, weights, the rows' classes and their numbers.

    >>> a = MatrixSample.of(np.array([[1.0], [2.0]]), ["u", "v"], np.array([0, 1]), np.ones(2))
    >>> b = MatrixSample.of(np.array([[2.0]]), ["v"], np.array([0]), np.ones(1))
    >>> sorted(zip((a + b).labels, (a + b).matrix.tolist(), (a + b).weights.tolist()))
    [('u', [1.0], 1.0), ('v', [2.0], 2.0)]
    """

    size: int
    hashes: Hashes
    weights: FloatArray
    labels: tuple[State, ...]
    matrix: FloatArray

    @classmethod
    def of(
        cls,
        matrix: npt.NDArray[np.floating[Any]],
        labels: Sequence[State],
        codes: npt.NDArray[np.integer[Any]],
        weights: FloatArray,
        size: int = 4096,
    ) -> MatrixSample:
        """The sample of many rows; ``codes`` are the positions of their classes in ``labels``."""
        hashes = mixed(_row_hashes(matrix) ^ hash_states(labels)[codes])
        few = _smallest(hashes, size)
        distinct, first, back = np.unique(hashes[few], return_index=True, return_inverse=True)
        sums = sums_by_place(back, weights[few], len(distinct))
        kept = few[first[:size]]
        chosen = tuple(labels[code] for code in codes[kept].tolist())
        return cls(size, distinct[:size], sums[:size], chosen, matrix[kept].astype(np.float64))

    def __add__(self, other: MatrixSample) -> MatrixSample:
        if self.matrix.shape[1] != other.matrix.shape[1] or self.size != other.size:
            raise BadStatistics("Samples of different columns, or of different sizes, cannot be added.")
        both = np.concatenate([self.hashes, other.hashes])
        distinct, first, back = np.unique(both, return_index=True, return_inverse=True)
        sums = sums_by_place(back, np.concatenate([self.weights, other.weights]), len(distinct))
        kept = first[: self.size]
        labels = (*self.labels, *other.labels)
        return MatrixSample(
            self.size,
            distinct[: self.size],
            sums[: self.size],
            tuple(labels[row] for row in kept.tolist()),
            np.concatenate([self.matrix, other.matrix])[kept],
        )

    def __sub__(self, other: MatrixSample) -> MatrixSample:
        """Subtract the weights of rows; rows that were dropped from a full sample are not restored."""
        kept, weights = weights_left(self, other)
        labels = tuple(self.labels[row] for row in kept.tolist())
        return MatrixSample(self.size, self.hashes[kept], weights, labels, self.matrix[kept])

    def __mul__(self, weight: float) -> MatrixSample:
        return replace(self, weights=self.weights * weight)

    def state(self) -> dict[str, Any]:
        """All rows; hashes as signed integers, because files have no unsigned ones."""
        return {
            "size": self.size,
            "hashes": self.hashes.view(np.int64),
            "weights": self.weights,
            "labels": [encode_value(label) for label in self.labels],
            "matrix": self.matrix,
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any], columns: int) -> MatrixSample:
        """Read :meth:`state`; raise BadFile unless every row has a hash, a weight, a class and numbers."""
        size, labels = state["size"], tuple(map(decode_value, state["labels"]))
        hashes, weights, matrix = state["hashes"], state["weights"], state["matrix"]
        shapes = (np.shape(hashes), np.shape(weights), np.shape(matrix))
        if shapes != ((len(labels),), (len(labels),), (len(labels), columns)) or hashes.dtype != np.int64:
            raise BadFile("the rows of a sample do not have a weight and a value of each column.")
        if type(size) is not int or size < len(labels):
            raise BadFile(f"a sample has {len(labels)} rows, more than its size {size!r} allows.")
        return cls(size, hashes.view(np.uint64), weights, labels, matrix)


def _smallest(hashes: Hashes, size: int) -> IntArray:
    """Candidate rows that include all those with the smallest hashes; fewer rows are faster to sort."""
    reach = 4 * size
    if len(hashes) > 2 * reach:
        few = np.flatnonzero(hashes <= np.partition(hashes, reach)[reach])
        if len(np.unique(hashes[few])) >= size:
            return few.astype(np.int64)
    return np.arange(len(hashes))


def _row_hashes(matrix: npt.NDArray[np.floating[Any]]) -> Hashes:
    """A hash of each row: the sum of its cells' hashes, each times an odd factor of its column."""
    factors = mixed(np.arange(1, matrix.shape[1] + 1, dtype=np.uint64) * _STEP) | np.uint64(1)
    result = np.empty(len(matrix), dtype=np.uint64)
    for start in range(0, len(matrix), _BLOCK):  # blocks stay in the cache
        part = np.ascontiguousarray(matrix[start : start + _BLOCK], dtype=np.float64)
        result[start : start + _BLOCK] = (hash_numbers(part) * factors).sum(axis=1, dtype=np.uint64)
    return result
