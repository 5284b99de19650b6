"""Which gaps come together: a gap beside others that training never had beside it says nothing.

A gap is one more value where training had gaps, and may tell the class. Where all gaps of training form a few
patterns (a form whose second page is missing), many more patterns are impossible, and tables and trees know
nothing of them: a row with such gaps is taken as one with a pattern of training inside these, of whose other
cells some were hidden at random. Those gaps are unknown values.

Which pattern? That of n training rows, with s further gaps beside k known cells, is as likely as n times the
chance of these s of s + k: ∫ qˢ (1 − q)ᵏ dq if cells are hidden at an unknown rate q. Few rows have hidden
cells (``HIDDEN``); where s is 0 nothing needs to be hidden, and n − 1 is added: a pattern that training has
several times is what it is, but one row without nearly any cell does not tell the class of others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import betaln

from bayou.errors import BadFile
from bayou.estimators.pooled.feature_codes import UNKNOWN, Codes, ColumnCodes
from bayou.estimators.pooled.saved_arrays import narrow, reals, wholes
from bayou.statistics.rows.row_sample import sums_by_place
from bayou.typing import BoolArray, FloatArray, IntArray

HIDDEN = 0.02
"""The share of rows of which more is unknown than training would have left open."""
MOST_PATTERNS = 256
"""With more, gaps seem to come as they please: every pattern is taken as it is."""


@dataclass(frozen=True, eq=False)
class GapPatterns:
    """The columns that had gaps in training, their codes of gaps, and the patterns, [pattern, column]."""

    columns: IntArray
    gaps: Codes
    patterns: BoolArray | None
    rows: FloatArray
    """How many rows of training have each pattern."""

    @classmethod
    def of(cls, columns: Sequence[ColumnCodes], fine: Codes, weights: FloatArray) -> GapPatterns:
        """The patterns of the training rows, which have these weights."""
        gapped, gaps = _gapped(columns)
        found, of_row = _distinct(fine[gapped] == gaps[:, None])
        if len(found) > MOST_PATTERNS:
            return cls(gapped, gaps, None, np.zeros(0))
        return cls(gapped, gaps, found, sums_by_place(of_row, weights, len(found)))

    def state(self) -> dict[str, Any]:
        """Plain data for a file: the patterns and their rows; columns and codes follow from the columns."""
        patterns = None if self.patterns is None else self.patterns.astype(np.uint8)
        return {"patterns": patterns, "rows": narrow(self.rows)}

    @classmethod
    def from_state(cls, columns: Sequence[ColumnCodes], state: Mapping[str, Any]) -> GapPatterns:
        """Read :meth:`state`: at least one pattern, or none where gaps come as they please."""
        gapped, gaps = _gapped(columns)
        if state["patterns"] is None:
            return cls(gapped, gaps, None, np.zeros(0))
        patterns = wholes(state, "patterns", (None, len(gapped)), 0, 1).astype(np.bool_)
        if not 0 < len(patterns) <= MOST_PATTERNS:
            raise BadFile(f"an ensemble cannot have {len(patterns)} patterns of gaps.")
        # Files of earlier versions do not say how many rows had a pattern.
        rows = reals(state, "rows", (len(patterns),)) if "rows" in state else np.ones(len(patterns))
        if np.any(rows <= 0):
            raise BadFile("a pattern of gaps is that of no row.")
        return cls(gapped, gaps, patterns, rows)

    def without_strange_gaps(self, fine: Codes) -> Codes:
        """The codes of rows; gaps beside which training never had the others of the row are unknown.

        >>> pages = np.array([[False, False, False], [False, True, True]])
        >>> known = GapPatterns(np.arange(3), np.full(3, 9, dtype=np.uint8), pages, np.ones(2))
        >>> known.without_strange_gaps(np.array([[9, 9], [1, 9], [2, 9]], dtype=np.uint8)).T.tolist()
        [[255, 1, 2], [255, 9, 9]]
        """
        if self.patterns is None or not len(self.columns):
            return fine
        is_gap = fine[self.columns] == self.gaps[:, None]
        rows = np.flatnonzero(is_gap.any(axis=0))
        if not len(rows):
            return fine
        distinct, of_row = _distinct(is_gap[:, rows])
        strange = distinct & ~np.stack([self.patterns[self._inside(each)] for each in distinct])
        if not strange.any():
            return fine
        places, at = np.nonzero(strange[of_row].T)
        found = fine.copy()
        found[self.columns[places], rows[at]] = UNKNOWN
        return found

    def _inside(self, gaps: BoolArray) -> int:
        """The most likely pattern inside these gaps; without any, the one that differs least."""
        assert self.patterns is not None
        inside = ~(self.patterns & ~gaps).any(axis=1)
        if not inside.any():
            return int((self.patterns ^ gaps).sum(axis=1).argmin())
        further = gaps.sum() - self.patterns[inside].sum(axis=1)
        rows = self.rows[inside]
        hidden = HIDDEN * rows * np.exp(betaln(further + 1, (~gaps).sum() + 1))
        known = np.where(further == 0, np.maximum(rows - 1.0, 0.0), 0.0)  # a single row may be a chance
        return int(np.flatnonzero(inside)[(hidden + known).argmax()])


def _gapped(columns: Sequence[ColumnCodes]) -> tuple[IntArray, Codes]:
    """The places of the columns that had gaps in training, and their codes of gaps."""
    gapped = np.array([place for place, column in enumerate(columns) if column.has_gaps], dtype=np.int64)
    return gapped, np.array([columns[place].gap for place in gapped.tolist()], dtype=np.uint8)


def _distinct(is_gap: BoolArray) -> tuple[BoolArray, IntArray]:
    """The distinct patterns [pattern, column] of rows [column, row], and the pattern of each row."""
    if not len(is_gap):
        return np.zeros((1, 0), dtype=np.bool_), np.zeros(is_gap.shape[1], dtype=np.int64)
    packed = np.ascontiguousarray(np.packbits(is_gap, axis=0).T)
    _, first, of_row = np.unique(
        packed.view(np.dtype((np.void, packed.shape[1]))).ravel(), return_index=True, return_inverse=True
    )
    return np.ascontiguousarray(is_gap[:, first].T), of_row
