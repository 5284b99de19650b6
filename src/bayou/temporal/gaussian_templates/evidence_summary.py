"""What is known of all sequences together: gaps, and the mean and the spread of each number."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from bayou.temporal.gaussian_templates.mixed_evidence import MixedEvidence
from bayou.temporal.templates.template import DynamicTemplate
from bayou.typing import FloatArray, Name, Units


@dataclass(frozen=True, eq=False)
class EvidenceSummary:
    """The number of unknown values, which variables are never known, and the first gaps."""

    gaps: int
    hidden: tuple[Name, ...]
    first_gap: tuple[Name, int] | None
    """A variable that is not known everywhere, and the row; None if everything is known."""
    states_known: bool
    centre: FloatArray
    """The mean of the known values of each number, 0 without any."""
    deviation: FloatArray
    numbers: tuple[Name, ...]

    @classmethod
    def of(cls, parts: Iterable[MixedEvidence]) -> EvidenceSummary:
        """The summary of all parts, read once."""
        gaps, states_known = 0, True
        first_gap: tuple[Name, int] | None = None
        ever: dict[Name, bool] = {}
        counts, means, squares = np.zeros(0), np.zeros(0), np.zeros(0)
        numbers: tuple[Name, ...] = ()
        for part in parts:
            template, numbers = part.layout.template, part.layout.numbers
            for name in template.names:
                known = part.known(name)
                gaps += int((~known[part.rows_where_it_begins(name)]).sum())
                ever[name] = ever.get(name, False) or bool(known.any())
            here = part.first_gap(template.names)
            if first_gap is None and here is not None:
                first_gap = (here[0], part.first_row + here[1])
            states_known = states_known and part.states_known
            counts, means, squares = _added((counts, means, squares), _moments(part.numbers))
        spread = np.sqrt(squares / np.maximum(counts, 1))
        hidden = tuple(name for name, known in ever.items() if not known)
        return cls(gaps, hidden, first_gap, states_known, means, spread, numbers)

    def units(self, template: DynamicTemplate) -> Units:
        """The mean and the deviation of every number that varies, by all its names."""
        own = dict(
            zip(self.numbers, zip(self.centre.tolist(), self.deviation.tolist(), strict=True), strict=True)
        )
        found = {label: own[node.name] for label, node in template.behind.items() if node.name in own}
        return {
            label: unit if unit[1] > 0 and math.isfinite(unit[1]) else (0.0, 1.0)
            for label, unit in found.items()
        }


_Moments = tuple[FloatArray, FloatArray, FloatArray]


def _moments(values: FloatArray) -> _Moments:
    """(how many are known, their mean, the sum of their squared deviations) of each column."""
    seen = ~np.isnan(values)
    counts = seen.sum(axis=0).astype(np.float64)
    means = np.where(seen, values, 0.0).sum(axis=0) / np.maximum(counts, 1)
    squares = (np.where(seen, values - means, 0.0) ** 2).sum(axis=0)
    return counts, means, squares


def _added(one: _Moments, other: _Moments) -> _Moments:
    """The moments of both (Chan, Golub and LeVeque 1983)."""
    if not len(one[0]):
        return other
    counts = one[0] + other[0]
    apart, share = other[1] - one[1], other[0] / np.maximum(counts, 1)
    return counts, one[1] + apart * share, one[2] + other[2] + apart**2 * one[0] * share
