"""Moments of many columns by class in one object, as Gaussian classifiers need them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from bayou._native import class_moments, class_scatter
from bayou.errors import BadFile, BadStatistics
from bayou.schema import Variable
from bayou.schema.json_values import decode_value, encode_value
from bayou.statistics.batch import Batch, FloatMatrix
from bayou.statistics.labels import codes_in, union
from bayou.statistics.matrix.incomplete_moments import IncompleteMoments
from bayou.statistics.matrix.matrix_sample import MatrixSample
from bayou.statistics.matrix.moment_sums import difference, merged_spread
from bayou.statistics.request import RequestFor
from bayou.statistics.result import Result
from bayou.typing import CountArray, FloatArray, Name

Form = Literal["columns", "matrices", "pooled"]
_ROUNDING = 1e-12
_BLOCK = 8192
_COUNTED = 1 << 16
_NO_CLASS = 0xFFFFFFFF


@dataclass(frozen=True, eq=False)
class FourthMoments:
    """For each class Σ w uᵢ² uⱼ and Σ w uᵢ² uⱼ² of the deviations u from its mean."""

    third: FloatArray
    fourth: FloatArray


@dataclass(frozen=True, eq=False)
class ClassMoments(Result):
    """For each class: the weight of its rows, and weight, mean and centred squares of its columns.

    ``scatter`` holds squares [class, column] in the form "columns" (each column with its own gaps, ``n``),
    one matrix per class in the form "matrices", and one matrix within all classes in the form "pooled".
    ``sample`` has some of the rows, where models will be compared on them. Matrices are of complete rows;
    ``incomplete`` has the moments of the others, by the columns that they have.

    >>> import numpy as np
    >>> def one(x):
    ...     n = np.array([[1.0]])
    ...     return ClassMoments(("x",), Variable("y", ["a"]), "columns", n[0], n, n * x, n * 0)
    >>> both = one(1.0) + one(3.0)
    >>> both.n.tolist(), both.mean.tolist(), both.scatter.tolist()
    ([[2.0]], [[2.0]], [[2.0]])
    """

    kind: ClassVar[str] = "class moments"
    variables: tuple[Name, ...]
    classes: Variable
    form: Form
    rows: FloatArray
    n: FloatArray
    mean: FloatArray
    scatter: FloatArray
    spread: FourthMoments | None = None
    sample: MatrixSample | None = None
    incomplete: IncompleteMoments | None = None

    @property
    def total(self) -> float:
        """The number (or weight) of all rows."""
        return float(self.rows.sum())

    def aligned(self, axes: Sequence[Variable]) -> ClassMoments:
        """The same moments on an axis with more classes: zeros for new ones."""
        (classes,) = axes
        if classes == self.classes:
            return self
        place = codes_in(self.classes, classes)

        def moved(part: FloatArray) -> FloatArray:
            result = np.zeros((classes.cardinality, *part.shape[1:]))
            result[place] = part
            return result

        scatter = self.scatter if self.form == "pooled" else moved(self.scatter)
        spread = self.spread and FourthMoments(moved(self.spread.third), moved(self.spread.fourth))
        gaps = self.incomplete and self.incomplete.aligned(place, classes.cardinality)
        parts = (moved(self.rows), moved(self.n), moved(self.mean), scatter, spread, self.sample, gaps)
        return ClassMoments(self.variables, classes, self.form, *parts)

    def __add__(self, other: ClassMoments) -> ClassMoments:
        self._require_same_kind(other)
        classes = union(self.classes, other.classes)
        a, b = self.aligned([classes]), other.aligned([classes])
        n = a.n + b.n
        share = np.divide(b.n, n, out=np.zeros_like(n), where=n > 0)
        gap = np.where((a.n > 0) & (b.n > 0), b.mean - a.mean, 0.0)
        mean = np.where(a.n > 0, a.mean + share * gap, b.mean)
        between = a.n * share
        if self.form == "columns":
            scatter = a.scatter + b.scatter + between * gap**2
        else:
            moved = np.einsum("k,ki,kj->kij", between[:, 0], gap, gap) if len(self.variables) else 0.0
            scatter = a.scatter + b.scatter + (np.sum(moved, axis=0) if self.form == "pooled" else moved)
        sample = None if a.sample is None or b.sample is None else a.sample + b.sample
        spread = merged_spread(a, b, mean)
        gaps = a.incomplete + b.incomplete if a.incomplete and b.incomplete else a.incomplete or b.incomplete
        rows = a.rows + b.rows
        return ClassMoments(self.variables, classes, self.form, rows, n, mean, scatter, spread, sample, gaps)

    def __sub__(self, other: ClassMoments) -> ClassMoments:
        """Remove rows that were added before; classes without any row left are dropped.

        Rows with gaps cannot be removed from matrices: which points were joined is not known any more.
        """
        self._require_same_kind(other)
        b = other.aligned([union(self.classes, other.classes)])
        a = self.aligned([b.classes])
        if b.incomplete is not None and len(b.incomplete.n):
            raise BadStatistics(
                "Rows with gaps cannot be removed from covariance matrices: learn from the rows that stay, "
                "or use covariance='diagonal', which can forget them."
            )
        return difference(a, b)

    def __mul__(self, weight: float) -> ClassMoments:
        spread = self.spread and FourthMoments(self.spread.third * weight, self.spread.fourth * weight)
        gaps = self.incomplete
        return replace(
            self,
            rows=self.rows * weight,
            n=self.n * weight,
            scatter=self.scatter * weight,
            spread=spread,
            sample=self.sample and self.sample * weight,
            incomplete=gaps and replace(gaps, n=gaps.n * weight, scatter=gaps.scatter * weight),
        )

    def without(self, part: ClassMoments) -> ClassMoments:
        """The moments of the other rows, in the form "matrices"; remainders of rounding become 0."""
        self._require_same_kind(part)
        b = part.aligned([self.classes])
        n = np.where(self.n - b.n > _ROUNDING * self.n, self.n - b.n, 0.0)
        left = np.divide(1.0, n, out=np.zeros_like(n), where=n > 0)
        gap = np.where(b.n > 0, b.mean - self.mean, 0.0)
        mean = np.where(n > 0, self.mean - b.n * left * gap, 0.0)
        between = (b.n * self.n * left)[:, 0]
        scatter = self.scatter - b.scatter - np.einsum("k,ki,kj->kij", between, gap, gap)
        before, after = (np.diagonal(each, axis1=1, axis2=2) for each in (self.scatter, scatter))
        kept = (n > 0) & (after > _ROUNDING * before)
        scatter = np.where(kept[:, :, None] & kept[:, None, :], scatter, 0.0)
        return ClassMoments(self.variables, self.classes, self.form, self.rows - b.rows, n, mean, scatter)

    def _require_same_kind(self, other: ClassMoments) -> None:
        if self.variables != other.variables or self.form != other.form:
            raise BadStatistics(
                f"Moments of {len(self.variables)} columns ({self.form}) and of {len(other.variables)} "
                f"columns ({other.form}) cannot be added: columns and form must be the same."
            )

    def state(self) -> dict[str, Any]:
        """The columns, the classes, the form, and all arrays."""
        return {
            "kind": self.kind,
            "variables": [encode_value(name) for name in self.variables],
            "classes": self.classes.state(),
            "form": self.form,
            "rows": self.rows,
            "n": self.n,
            "mean": self.mean,
            "scatter": self.scatter,
            "spread": self.spread and {"third": self.spread.third, "fourth": self.spread.fourth},
            "sample": self.sample and self.sample.state(),
            "incomplete": self.incomplete and self.incomplete.state(),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> ClassMoments:
        """Read :meth:`state`; raise BadFile unless shapes fit and all numbers are possible."""
        variables = tuple(map(decode_value, state["variables"]))
        classes = Variable.from_state(state["classes"])
        form, spread, sample = state["form"], state["spread"], state["sample"]
        k, d = classes.cardinality, len(variables)
        rows, n, mean, scatter = (state[name] for name in ("rows", "n", "mean", "scatter"))
        more = [] if spread is None else [spread["third"], spread["fourth"]]
        squares = {"columns": (k, d), "matrices": (k, d, d), "pooled": (d, d)}
        expected = [(k,), (k, d), (k, d), squares.get(form), *[(k, d, d)] * len(more)]
        parts = [rows, n, mean, scatter, *more]
        if [np.shape(part) for part in parts] != expected:
            raise BadFile("the moments of the classes do not have the shape of their columns.")
        if not all(np.all(np.isfinite(part)) for part in parts) or np.any(rows < 0) or np.any(n < 0):
            raise BadFile("the moments of the classes have impossible numbers.")
        fourth = FourthMoments(*more) if more else None
        kept = None if sample is None else MatrixSample.from_state(sample, d)
        incomplete = state.get("incomplete")  # files of earlier versions have none
        gaps = (
            None if incomplete is None else IncompleteMoments.from_state(incomplete, k, d, form == "pooled")
        )
        return cls(variables, classes, form, rows, n, mean, scatter, fourth, kept, gaps)

    @property
    def within(self) -> FloatArray:
        """Σ w (x − class mean)² of each column, over all classes."""
        if self.form == "pooled":
            return np.diagonal(self.scatter).copy()
        squares = self.scatter if self.form == "columns" else np.diagonal(self.scatter, axis1=1, axis2=2)
        result: FloatArray = squares.sum(axis=0)
        return result

    @property
    def total_variance(self) -> FloatArray:
        """The variance (1/n) of each column over all rows, whatever their class."""
        weight = self.n.sum(axis=0)
        safe = np.where(weight > 0, weight, 1.0)
        mean = (self.n * self.mean).sum(axis=0) / safe
        between = (self.n * (self.mean - mean) ** 2).sum(axis=0)
        variance: FloatArray = (self.within + between) / safe
        return variance


@dataclass(frozen=True)
class MomentsByClass(RequestFor[ClassMoments]):
    """Request: weight, mean and centred squares of all these columns for each class, in one pass.

    ``form`` is that of :class:`ClassMoments`; ``with_spread`` requests fourth moments too, ``with_sample``
    a sample of the rows.

    >>> MomentsByClass(("height", "weight"), "sex", "columns").numbers
    ('height', 'weight')
    """

    variables: tuple[Name, ...]
    target: Name
    form: Form
    with_spread: bool = False
    with_sample: bool = False

    @property
    def states(self) -> tuple[Name, ...]:
        """The class."""
        return (self.target,)

    @property
    def numbers(self) -> tuple[Name, ...]:
        """The columns."""
        return self.variables

    def answer(self, batch: Batch, variables: Mapping[Name, Variable]) -> ClassMoments:
        """The moments of some rows; rows without a class are left out, infinite numbers raise BadData."""
        matrix, classes = batch.matrix(self.variables), variables[self.target]
        weights = None if batch.weights is None else batch.weights.astype(np.float64)
        k, codes = classes.cardinality, batch.codes[self.target].astype(np.uint32)
        if batch.gaps(self.target):
            codes = np.where(batch.missing(self.target), np.uint32(_NO_CLASS), codes)
        rows = _rows_by_class(batch, codes, k)
        if self.form == "columns":
            try:
                n, mean, squares = class_moments(matrix, codes, k, weights)
            except ValueError:  # the kernel met an infinite cell
                batch.refuse_infinite(self.variables)
                raise
            self._require_finite(batch, squares)
            return ClassMoments(self.variables, classes, self.form, rows, n, mean, squares)
        gaps = None
        try:
            weight, mean, scatter = class_scatter(matrix, codes, k, weights, self.form == "pooled")
        except ValueError:  # the kernel met a cell that is infinite or missing
            batch.refuse_infinite(self.variables)
            gaps, codes = self._split(matrix, codes, k, weights)
            weight, mean, scatter = class_scatter(matrix, codes, k, weights, self.form == "pooled")
        self._require_finite(batch, scatter)
        n = np.repeat(weight[:, None], len(self.variables), axis=1)
        spread = _fourth_moments(matrix, codes, mean, weights) if self.with_spread else None
        sample = _sample(matrix, classes, codes, weights) if self.with_sample else None
        return ClassMoments(self.variables, classes, self.form, rows, n, mean, scatter, spread, sample, gaps)

    def _require_finite(self, batch: Batch, squares: FloatArray) -> None:
        """Raise BadData for infinite cells; they are searched for only if a sum is not finite."""
        if not np.isfinite(squares).all():
            batch.refuse_infinite(self.variables)

    def _split(
        self, matrix: FloatMatrix, codes: npt.NDArray[np.uint32], k: int, weights: FloatArray | None
    ) -> tuple[IncompleteMoments, npt.NDArray[np.uint32]]:
        """The moments of the rows with gaps, and the class codes with these rows marked as classless."""
        with_gaps = np.isnan(matrix).any(axis=1)
        rows = np.flatnonzero(with_gaps & (codes != _NO_CLASS))
        own = None if weights is None else weights[rows]
        gaps = IncompleteMoments.of(matrix[rows], codes[rows], k, own, self.form == "pooled")
        return gaps, np.where(with_gaps, np.uint32(_NO_CLASS), codes)


def _rows_by_class(batch: Batch, codes: npt.NDArray[np.uint32], classes: int) -> FloatArray:
    """The weight of the rows of each class, with or without gaps."""
    weights = batch.weights
    if len(codes) and codes.max() == _NO_CLASS:
        known = codes != _NO_CLASS
        codes, weights = codes[known], None if weights is None else weights[known]
    if weights is not None:
        sums: CountArray = np.bincount(codes, weights=weights.astype(np.float64), minlength=classes)
        return sums
    # np.bincount copies the codes to 64 bits: block by block, the copy stays small.
    counts = np.zeros(classes)
    for start in range(0, len(codes), _COUNTED):
        counts += np.bincount(codes[start : start + _COUNTED], minlength=classes)
    return counts


def _sample(
    matrix: FloatMatrix, classes: Variable, codes: npt.NDArray[np.uint32], weights: FloatArray | None
) -> MatrixSample:
    weights = np.ones(len(matrix)) if weights is None else weights
    whole = codes != _NO_CLASS
    if not whole.all():
        matrix, codes, weights = matrix[whole], codes[whole], weights[whole]
    return MatrixSample.of(matrix, classes.states, codes, weights)


def _fourth_moments(
    matrix: FloatMatrix, codes: npt.NDArray[np.uint32], mean: FloatArray, weights: FloatArray | None
) -> FourthMoments:
    """Moments of deviations u and their squares, by the kernel for scatter: its sums have a fixed order."""
    k, d = mean.shape
    third, fourth = np.zeros((k, d, d)), np.zeros((k, d, d))
    for start in range(0, len(matrix), _BLOCK):
        part = slice(start, start + _BLOCK)
        rows = np.flatnonzero(codes[part] != _NO_CLASS) + start
        u = np.asarray(matrix[rows], dtype=np.float64) - mean[codes[rows]]
        both = np.concatenate([u, u * u], axis=1)
        own = None if weights is None else weights[rows]
        n, middle, scatter = class_scatter(both, codes[rows], k, own, False)
        sums = scatter + np.einsum("k,ki,kj->kij", n, middle, middle)
        third += sums[:, d:, :d]
        fourth += sums[:, d:, d:]
    return FourthMoments(third, fourth)
