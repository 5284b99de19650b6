"""A numeric matrix as a source: requests about all its columns are answered by one kernel, without a copy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou._native import class_moments, count_families, encode_integer_matrix
from bayou.errors import BadData
from bayou.schema import Variable
from bayou.sources.table_source import TableSource
from bayou.sources.tables.columns import CodedColumn
from bayou.sources.weights import Weights
from bayou.statistics import (
    Batch,
    Counts,
    CountTable,
    GroupMoments,
    Moments,
    MomentsByClass,
    Request,
    Result,
    RowSample,
    Source,
    Statistics,
    ValueHistogram,
)
from bayou.statistics.answering import answers
from bayou.statistics.batch import FloatMatrix
from bayou.typing import Name

Matrix = npt.NDArray[Any]


class MatrixSource(Source):
    """A matrix and a class for each of its rows.

    ``table`` is a function that returns the same data as a table; it is called when first needed.

    >>> from bayou.sources import read_columns
    >>> matrix = np.array([[1.0, 5.0], [3.0, 5.0]])
    >>> classes = CodedColumn(np.array([0, 0], dtype=np.uint8), ("a",))
    >>> table = TableSource(read_columns({"x": matrix[:, 0], "y": matrix[:, 1], "class": ["a", "a"]}))
    >>> source = MatrixSource(lambda: table, matrix, ("x", "y"), "class", classes)
    >>> request = MomentsByClass(("x", "y"), "class", "columns")
    >>> source.collect([request])[request].mean.tolist()
    [[2.0, 5.0]]
    """

    is_streamed = False

    def __init__(
        self,
        table: Callable[[], TableSource],
        matrix: Matrix,
        features: tuple[Name, ...],
        target: Name,
        labels: CodedColumn,
        weights: Weights | None = None,
    ) -> None:
        self.matrix, self.features, self.labels, self.weights = matrix, features, labels, weights
        self.classes = Variable(target, labels.labels)
        self._make_table = table

    @property
    def names(self) -> tuple[Name, ...]:
        """The columns of the matrix, and the class."""
        return (*self.features, self.classes.name)

    def variable(self, name: Name) -> Variable:
        """The states of a column, or that it is continuous."""
        return self._table.variable(name)

    def batches(self, variables: Sequence[Variable]) -> Iterator[Batch]:
        """One batch: all rows."""
        return self._table.batches(variables)

    @cached_property
    def _table(self) -> TableSource:
        return self._make_table()

    def collect(self, requests: Sequence[Request]) -> Statistics:
        """Answer requests about all features alike from the matrix itself, all others from the table."""
        answered: dict[Request, Result] = {
            request: request.answer(self._whole(), {self.classes.name: self.classes})
            for request in requests
            if isinstance(request, MomentsByClass) and request.variables == self.features
        }
        if len(answered) < len(requests):
            answered |= self._moments(requests)
            answered |= self._counts(requests)
            answered |= self._values(requests)
        rest = [request for request in requests if request not in answered]
        if rest:
            answered |= dict(self._table.collect(rest))
        rows = len(self.matrix) if self.weights is None else self.weights.sum().item()
        return Statistics({request: answered[request] for request in requests}, rows)

    def _whole(self) -> MatrixBatch:
        codes = {self.classes.name: self.labels.codes}
        whole = float_matrix(self.matrix)
        return MatrixBatch(len(whole), codes, {}, self.weights, whole=whole)

    def _moments(self, requests: Sequence[Request]) -> dict[Request, Result]:
        """The moments of every feature by class, where the requests ask for all of them; else nothing."""
        if self.matrix.dtype.kind != "f":
            return {}
        per_feature = [Moments((name,), (self.classes.name,)) for name in self.features]
        if not set(per_feature) <= set(requests):
            return {}
        matrix, codes = float_matrix(self.matrix), self.labels.codes.astype(np.uint32)
        weights = None if self.weights is None else self.weights.astype(np.float64)
        n, mean, scatter = class_moments(matrix, codes, self.classes.cardinality, weights)
        if not np.isfinite(scatter).all():
            refuse_infinite(matrix)
        groups = (self.classes,)
        return {
            request: GroupMoments(
                request.variables, groups, n[:, k], mean[:, k, None], scatter[:, k, None, None]
            )
            for k, request in enumerate(per_feature)
        }

    def _counts(self, requests: Sequence[Request]) -> dict[Request, Result]:
        """The counts of every feature by class, where the requests ask for all of them; else nothing."""
        if self.matrix.dtype.kind not in "iu":
            return {}
        per_feature = [CountTable((self.classes.name, name)) for name in self.features]
        if not set(per_feature) <= set(requests):
            return {}
        codes, values = encode_integer_matrix(self.matrix)
        tables = count_families(
            [self.labels.codes, *codes],
            [self.classes.cardinality, *map(len, values)],
            [[0, 1 + k] for k in range(len(per_feature))],
            self.weights,
        )
        return {
            request: Counts((self.classes, Variable(self.features[k], values[k].tolist())), tables[k])
            for k, request in enumerate(per_feature)
        }

    def _values(self, requests: Sequence[Request]) -> dict[Request, Result]:
        """The values of every feature by class and a sample of rows, if asked for all features; else nothing.

        Whole numbers that floats do not hold are left to the table.
        """
        asked: list[Request] = [ValueHistogram(name, (self.classes.name,)) for name in self.features]
        if not set(asked) <= set(requests) or not (self.matrix.dtype.kind == "f" or self._is_small()):
            return {}
        refuse_infinite(self.matrix)
        columns = np.asfortranarray(self.matrix, dtype=np.float64)
        numbers = {name: columns[:, place] for place, name in enumerate(self.features)}
        batch = Batch(len(columns), {self.classes.name: self.labels.codes}, numbers, self.weights)
        asked += [r for r in requests if isinstance(r, RowSample) and set(r.variables) == set(self.names)]
        return dict(answers(asked, batch, {self.classes.name: self.classes}))

    def _is_small(self) -> bool:
        """Whether floats hold all whole numbers of the matrix."""
        if self.matrix.dtype.kind not in "iu" or not self.matrix.size:
            return False
        return int(self.matrix.min()) >= -(2**53) and int(self.matrix.max()) <= 2**53


@dataclass(frozen=True)
class MatrixBatch(Batch):
    """All rows of a matrix, which is not copied."""

    whole: FloatMatrix = field(default_factory=lambda: np.empty((0, 0)), compare=False, repr=False)

    def matrix(self, names: Sequence[Name]) -> FloatMatrix:
        """The matrix itself."""
        return self.whole

    def refuse_infinite(self, names: Sequence[Name]) -> None:
        """Raise an error that names the first infinite cell, if there is one."""
        refuse_infinite(self.whole)


def float_matrix(matrix: Matrix) -> FloatMatrix:
    """Return the matrix as the kernels read it; copied unless it is aligned, native float64 or float32."""
    fast = matrix.dtype in (np.float64, np.float32) and matrix.dtype.isnative and matrix.flags.aligned
    # Strides that are not a multiple of the cell size (fields of records) need a copy too.
    fast = fast and all(step % matrix.itemsize == 0 for step in matrix.strides)
    return matrix if fast else matrix.astype(np.float64)


def refuse_infinite(matrix: Matrix, first_column: int = 0) -> None:
    """Raise an error that names the first infinite cell, if there is one.

    Kernels that read a whole matrix do not check for infinite cells. Their sums become infinite or NaN, and
    only then is this called.
    """
    if matrix.dtype.kind != "f":
        return
    infinite = np.isinf(matrix)
    if infinite.any():
        row, place = np.unravel_index(int(infinite.argmax()), matrix.shape)
        raise BadData(
            f"Input X contains infinity in row {row}, column {place + first_column} (counting from 0). Make "
            "such cells missing (NaN)."
        )
