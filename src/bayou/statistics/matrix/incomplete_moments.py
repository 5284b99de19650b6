"""Moments of rows with gaps, by the set of columns that rows have: what EM for normal distributions needs.

Most sets of columns (patterns) are those of few rows, which are kept as they are. Where a pattern has more
rows than a scatter matrix, the matrix and the means replace them. Both add like other moments
(Little and Rubin, Statistical analysis with missing data, chapter 11).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou._native import class_scatter
from bayou.errors import BadFile
from bayou.memory import require_memory
from bayou.typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class IncompleteMoments:
    """Points and scatter matrices of rows with gaps.

    A point is a row, or the mean of all rows of one pattern and class: it has a pattern, a class, a weight
    ``n`` and cells. A matrix is the scatter of the rows about such means: of one pattern and class, or
    (``pooled``) of one pattern within all classes. Cells of columns that are not seen are zeros.
    """

    seen: BoolArray
    """The columns of each pattern, [pattern, column]."""
    classes: int
    pooled: bool
    pattern: IntArray
    label: IntArray
    """The class of each point."""
    n: FloatArray
    mean: FloatArray
    """The cells of each point, [point, column]."""
    scatter_pattern: IntArray
    scatter_label: IntArray
    """The class of each matrix; 0 if matrices are of all classes."""
    scatter: FloatArray
    """[matrix, column, column]"""

    @classmethod
    def of(
        cls,
        matrix: npt.NDArray[Any],
        codes: npt.NDArray[np.uint32],
        classes: int,
        weights: FloatArray | None,
        pooled: bool,
    ) -> IncompleteMoments:
        """Return the moments of some rows; rows without any value or weight are left out.

        >>> rows = np.array([[1.0, np.nan], [3.0, np.nan], [np.nan, 5.0], [np.nan, np.nan]])
        >>> found = IncompleteMoments.of(rows, np.zeros(4, dtype=np.uint32), 1, None, False)
        >>> found.seen.tolist(), found.pattern.tolist(), found.mean.tolist()
        ([[False, True], [True, False]], [0, 1, 1], [[0.0, 5.0], [1.0, 0.0], [3.0, 0.0]])
        """
        present = ~np.isnan(matrix)
        n = np.ones(len(matrix)) if weights is None else weights.astype(np.float64)
        kept = np.flatnonzero(present.any(axis=1) & (n > 0))
        seen, pattern = _distinct(present[kept])
        mean = np.asarray(matrix[kept], dtype=np.float64)
        mean[np.isnan(mean)] = 0.0
        d, none = matrix.shape[1], np.zeros(0, dtype=np.int64)
        label = codes[kept].astype(np.int64)
        rows = cls(seen, classes, pooled, pattern, label, n[kept], mean, none, none, np.zeros((0, d, d)))
        return rows._condensed()

    def aligned(self, place: IntArray, classes: int) -> IncompleteMoments:
        """The same moments with more classes; ``place`` is the new position of each class."""
        place = np.asarray(place, dtype=np.int64)
        owner = self.scatter_label if self.pooled else place[self.scatter_label]
        return replace(self, classes=classes, label=place[self.label], scatter_label=owner)

    def __add__(self, other: IncompleteMoments) -> IncompleteMoments:
        seen, which = _distinct(np.concatenate([self.seen, other.seen]))
        a, b = which[: len(self.seen)], which[len(self.seen) :]
        both = IncompleteMoments(
            seen,
            self.classes,
            self.pooled,
            np.concatenate([a[self.pattern], b[other.pattern]]),
            np.concatenate([self.label, other.label]),
            np.concatenate([self.n, other.n]),
            np.concatenate([self.mean, other.mean]),
            np.concatenate([a[self.scatter_pattern], b[other.scatter_pattern]]),
            np.concatenate([self.scatter_label, other.scatter_label]),
            np.concatenate([self.scatter, other.scatter]),
        )
        return both._condensed()

    def _condensed(self) -> IncompleteMoments:
        """The same moments, sorted by pattern and class, with matrices where points are many."""
        d, k = self.seen.shape[1], 1 if self.pooled else self.classes
        order = np.lexsort((self.label, self.pattern))
        pattern, label, n = self.pattern[order], self.label[order], self.n[order]
        group = pattern * k + (0 if self.pooled else label)
        owner = self.scatter_pattern * k + self.scatter_label
        names, first, counts = np.unique(group, return_index=True, return_counts=True)
        dense = (counts > d + self.classes) | np.isin(names, owner)
        require_memory(
            8 * int(dense.sum()) * d * d,
            f"The moments of rows with gaps in {int(dense.sum()):,} different sets of {d:,} columns",
            "Use covariance='diagonal', or fill in the gaps.",
        )
        alone = np.repeat(~dense, counts)
        points = [(pattern[alone], label[alone], n[alone], self.mean[order[alone]])]
        scatter = np.zeros((int(dense.sum()), d, d))
        for place, g in enumerate(np.flatnonzero(dense).tolist()):
            rows = slice(first[g], first[g] + counts[g])
            columns = np.flatnonzero(self.seen[pattern[first[g]]])
            part = np.ascontiguousarray(self.mean[order[rows]][:, columns])
            present, own = np.unique(label[rows], return_inverse=True)
            weight, mean, squares = class_scatter(part, own.astype(np.uint32), len(present), n[rows], True)
            scatter[place][np.ix_(columns, columns)] = squares
            cells = np.zeros((len(present), d))
            cells[:, columns] = mean
            points.append((np.repeat(pattern[first[g]], len(present)), present, weight, cells))
        np.add.at(scatter, np.searchsorted(names[dense], owner), self.scatter)
        parts = [np.concatenate(each) for each in zip(*points, strict=True)]
        return replace(
            self,
            pattern=parts[0],
            label=parts[1],
            n=parts[2],
            mean=parts[3],
            scatter_pattern=names[dense] // k,
            scatter_label=names[dense] % k,
            scatter=scatter,
        )

    def state(self) -> dict[str, Any]:
        """All arrays."""
        return {name: getattr(self, name) for name in _ARRAYS}

    @classmethod
    def from_state(
        cls, state: Mapping[str, Any], classes: int, columns: int, pooled: bool
    ) -> IncompleteMoments:
        """Read :meth:`state`; raise BadFile unless shapes fit and all numbers are possible."""
        if "pattern" not in state:
            return _from_earlier_state(state, classes, columns, pooled)
        seen, pattern, label, n, mean, place, owner, scatter = (np.asarray(state[name]) for name in _ARRAYS)
        p, r, t, d = len(seen), len(n), len(scatter), columns
        _require_shapes(
            [seen, pattern, label, n, mean, place, owner, scatter],
            [(p, d), (r,), (r,), (r,), (r, d), (t,), (t,), (t, d, d)],
        )
        _require_possible(seen, n, mean, scatter)
        limits = [(pattern, p), (label, classes), (place, p), (owner, 1 if pooled else classes)]
        for index, size in limits:
            if index.dtype.kind not in "iu" or np.any(index < 0) or np.any(index >= size):
                raise BadFile("the moments of rows with gaps have impossible numbers.")
        return cls(seen, classes, pooled, pattern, label, n, mean, place, owner, scatter)


_ARRAYS = ("seen", "pattern", "label", "n", "mean", "scatter_pattern", "scatter_label", "scatter")


def _from_earlier_state(
    state: Mapping[str, Any], classes: int, columns: int, pooled: bool
) -> IncompleteMoments:
    """Read files that have means and a matrix of each pattern (and class)."""
    seen, n, mean, scatter = (np.asarray(state[part]) for part in ("seen", "n", "mean", "scatter"))
    p, d = len(seen), columns
    squares = (p, d, d) if pooled else (p, classes, d, d)
    _require_shapes([seen, n, mean, scatter], [(p, d), (p, classes), (p, classes, d), squares])
    _require_possible(seen, n, mean, scatter)
    pattern, label = np.nonzero(n)
    matrices = scatter.reshape(p, -1, d, d)
    place, owner = np.nonzero(matrices.any(axis=(2, 3)))
    points = (pattern, label, n[pattern, label], mean[pattern, label])
    return IncompleteMoments(seen, classes, pooled, *points, place, owner, matrices[place, owner])


def _require_shapes(parts: list[npt.NDArray[Any]], shapes: list[tuple[int, ...]]) -> None:
    if [part.shape for part in parts] != shapes or parts[0].dtype.kind != "b":
        raise BadFile("the moments of rows with gaps do not have the shape of their columns.")


def _require_possible(seen: BoolArray, n: FloatArray, mean: FloatArray, scatter: FloatArray) -> None:
    if not all(np.all(np.isfinite(part)) for part in (n, mean, scatter)) or np.any(n < 0):
        raise BadFile("the moments of rows with gaps have impossible numbers.")


def _distinct(patterns: BoolArray) -> tuple[BoolArray, IntArray]:
    """The distinct rows in order, and the place of each row among them."""
    packed = np.packbits(patterns, axis=1)
    _, first, which = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    return patterns[first], which.ravel().astype(np.int64)
