"""Moments of rows with gaps: one set of moments for each set of columns that rows have, and each class.

They add like other moments, and they are all that EM for normal distributions needs of such rows
(Little and Rubin, Statistical analysis with missing data, chapter 11).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou._native import class_scatter
from bayou.errors import BadFile
from bayou.memory import require_memory
from bayou.typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class GapPatterns:
    """For each pattern: which columns are ``seen``; for each class the weight, means and scatter of its rows.

    Arrays are [pattern, column], [pattern, class], [pattern, class, column] and [pattern, class, column,
    column], or [pattern, column, column] with the scatter within all classes together (``pooled``). Columns
    that are not seen have zeros.
    """

    seen: BoolArray
    n: FloatArray
    mean: FloatArray
    scatter: FloatArray

    @classmethod
    def of(
        cls,
        matrix: npt.NDArray[Any],
        codes: npt.NDArray[np.uint32],
        classes: int,
        weights: FloatArray | None,
        pooled: bool,
    ) -> GapPatterns:
        """Return the moments of some rows; rows without any value are left out.

        >>> rows = np.array([[1.0, np.nan], [3.0, np.nan], [np.nan, 5.0], [np.nan, np.nan]])
        >>> found = GapPatterns.of(rows, np.zeros(4, dtype=np.uint32), 1, None, False)
        >>> found.seen.tolist(), found.n.tolist(), found.mean[:, 0].tolist()
        ([[False, True], [True, False]], [[1.0], [2.0]], [[0.0, 5.0], [2.0, 0.0]])
        """
        present = ~np.isnan(matrix)
        patterns, which = np.unique(present, axis=0, return_inverse=True)
        which = which.ravel()
        kept = np.flatnonzero(patterns.any(axis=1))
        found = _nothing(patterns[kept], classes, pooled)
        for place, pattern in enumerate(kept.tolist()):
            rows = np.flatnonzero(which == pattern)
            columns = np.flatnonzero(patterns[pattern])
            part = np.ascontiguousarray(matrix[np.ix_(rows, columns)])
            own = None if weights is None else weights[rows]
            n, mean, scatter = class_scatter(part, codes[rows], classes, own, pooled)
            found.n[place] = n
            found.mean[place][:, columns] = mean
            found.scatter[place][..., columns[:, None], columns] = scatter
        return found

    @property
    def pooled(self) -> bool:
        """Whether the scatter is that of all classes together."""
        return self.scatter.ndim == 3

    def aligned(self, place: IntArray, classes: int) -> GapPatterns:
        """The same moments with more classes; ``place`` is the new position of each class."""
        found = _nothing(self.seen, classes, self.pooled)
        found.n[:, place] = self.n
        found.mean[:, place] = self.mean
        if self.pooled:
            found.scatter[:] = self.scatter
        else:
            found.scatter[:, place] = self.scatter
        return found

    def __add__(self, other: GapPatterns) -> GapPatterns:
        patterns, which = np.unique(np.concatenate([self.seen, other.seen]), axis=0, return_inverse=True)
        which = which.ravel()
        a = self._on(patterns, which[: len(self.seen)])
        b = other._on(patterns, which[len(self.seen) :])
        n = a.n + b.n
        share = np.divide(b.n, n, out=np.zeros_like(n), where=n > 0)
        gap = np.where(((a.n > 0) & (b.n > 0))[:, :, None], b.mean - a.mean, 0.0)
        mean = np.where((a.n > 0)[:, :, None], a.mean + share[:, :, None] * gap, b.mean)
        between = np.einsum("pk,pki,pkj->pkij", a.n * share, gap, gap)
        scatter = a.scatter + b.scatter + (between.sum(axis=1) if self.pooled else between)
        return GapPatterns(patterns, n, mean, scatter)

    def _on(self, patterns: BoolArray, place: IntArray) -> GapPatterns:
        """The same moments among more patterns."""
        found = _nothing(patterns, self.n.shape[1], self.pooled)
        found.n[place], found.mean[place], found.scatter[place] = self.n, self.mean, self.scatter
        return found

    def state(self) -> dict[str, Any]:
        """All arrays."""
        return {"seen": self.seen, "n": self.n, "mean": self.mean, "scatter": self.scatter}

    @classmethod
    def from_state(cls, state: Mapping[str, Any], classes: int, columns: int, pooled: bool) -> GapPatterns:
        """Read :meth:`state`; raise BadFile unless shapes fit and all numbers are possible."""
        seen, n, mean, scatter = (np.asarray(state[part]) for part in ("seen", "n", "mean", "scatter"))
        p, d = len(seen), columns
        squares = (p, d, d) if pooled else (p, classes, d, d)
        shapes = [(p, d), (p, classes), (p, classes, d), squares]
        parts = [seen, n, mean, scatter]
        if [part.shape for part in parts] != shapes or seen.dtype.kind != "b":
            raise BadFile("the moments of rows with gaps do not have the shape of their columns.")
        if not all(np.all(np.isfinite(part)) for part in parts[1:]) or np.any(n < 0):
            raise BadFile("the moments of rows with gaps have impossible numbers.")
        return cls(seen, n, mean, scatter)


def _nothing(patterns: BoolArray, classes: int, pooled: bool) -> GapPatterns:
    """Zeros for each pattern and class."""
    p, d = patterns.shape
    groups = 1 if pooled else classes
    require_memory(
        8 * p * groups * d * d,
        f"The moments of rows with gaps in {p:,} different sets of {d:,} columns",
        "Use covariance='diagonal', or fill in the gaps.",
    )
    shape = (p, d, d) if pooled else (p, classes, d, d)
    return GapPatterns(patterns, np.zeros((p, classes)), np.zeros((p, classes, d)), np.zeros(shape))
