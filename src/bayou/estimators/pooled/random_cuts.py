"""Cut points of numbers: drawn at random for each member, even for the trees, with capped spikes.

A value that many rows share (a column that is zero in nine of ten rows) would take nearly all cuts to
itself. So no distinct value counts for more than one range while cuts are placed: at most n / ranges times,
where n is the sum of what all values count (found by a few repetitions).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayou.statistics.rows.row_sample import sums_by_place
from bayou.typing import FloatArray

CAPPED = 10
"""How often the cap is lowered to what is left of n."""


@dataclass(frozen=True, eq=False)
class SeenNumbers:
    """The distinct numbers of a column, ascending, and the weight of the rows with each."""

    values: FloatArray
    weights: FloatArray

    @classmethod
    def of(cls, numbers: FloatArray, weights: FloatArray) -> SeenNumbers:
        """Count the numbers; gaps are left out.

        >>> SeenNumbers.of(np.array([2.0, np.nan, 1.0, 2.0]), np.ones(4)).weights.tolist()
        [1.0, 2.0]
        """
        seen = ~np.isnan(numbers)
        values, back = np.unique(numbers[seen], return_inverse=True)
        return cls(values, sums_by_place(back, weights[seen], len(values)))

    def random_cuts(self, ranges: int, random: np.random.Generator) -> FloatArray:
        """At most ``ranges`` − 1 cuts, each after a value that is drawn by its capped weight."""
        if len(self.values) <= ranges:
            return self._after(np.arange(len(self.values)))
        reached = self._reached(ranges)
        drawn = random.random(ranges - 1) * reached[-1]
        return self._after(np.searchsorted(reached, drawn, side="right"))

    def even_cuts(self, ranges: int) -> FloatArray:
        """At most ``ranges`` − 1 cuts at quantiles of the capped weights.

        >>> SeenNumbers(np.arange(4.0), np.array([90.0, 4.0, 3.0, 3.0])).even_cuts(2)
        array([0.5])
        """
        if len(self.values) <= ranges:
            return self._after(np.arange(len(self.values)))
        reached = self._reached(ranges)
        wanted = reached[-1] * np.arange(1, ranges) / ranges
        return self._after(np.searchsorted(reached, wanted * (1 - 1e-12), side="left"))

    def _reached(self, ranges: int) -> FloatArray:
        """The sums of the capped weights up to each value."""
        cap = self.weights.sum() / ranges
        for _ in range(CAPPED):
            cap = np.minimum(self.weights, cap).sum() / ranges
        sums: FloatArray = np.cumsum(np.minimum(self.weights, cap))
        return sums

    def _after(self, places: np.typing.NDArray[np.intp]) -> FloatArray:
        """The points midway between these values and the next ones; none after the last value."""
        used = np.unique(places[places < len(self.values) - 1])
        low, high = self.values[used], self.values[used + 1]
        middle = low / 2 + high / 2
        return np.unique(np.where((middle >= low) & (middle < high), middle, low))
