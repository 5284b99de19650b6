"""A contest between many climbs of EM: the better ones go on, and from the best other maxima are looked for.

Climbs that have come to the same place count as one, or they would fill the later rounds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from bayou.temporal.starts.many_climbs import ManyClimbs
from bayou.temporal.starts.perturbations import perturbed
from bayou.temporal.starts.random_parameters import RandomParameters
from bayou.typing import FloatArray

Rounds: TypeAlias = Sequence[tuple[int, int]]

STARTS: Rounds = ((256, 10), (96, 30), (40, 100), (16, 300))
STEPS_AWAY: Rounds = ((48, 12), (24, 50), (12, 200))
"""The rounds of a contest: so many climbs are left, and make so many steps of EM."""
TRIES, MOST_TRIES = 3, 3
"""Steps away from the best are tried until they have failed so often, at most three times as often."""
LAST_STEPS = 2_000
WORK = 2.5e9
"""About the products that a contest may compute: with more rows or states climbs are fewer and shorter."""
LANES = 8
"""The climbs that the kernel makes side by side: one alone takes as long as eight."""
_TOLERANCE = 1e-5
_GAIN = 1e-3
_SAME = 0.03


@dataclass(frozen=True, eq=False)
class Contest:
    """A contest on some rows."""

    climbs: ManyClimbs
    chance: np.random.Generator
    work: float = WORK

    def leaders(self) -> tuple[FloatArray, FloatArray]:
        """The parameters of the best climbs and their objectives, from the best on."""
        share = self._share()
        starts, away = _fewer(STARTS, share), _fewer(STEPS_AWAY, share)
        drawn = RandomParameters(self.climbs, self.chance).draw(starts[0][0])
        rows, reached = self.rounds(drawn, starts)
        tries = math.ceil(TRIES * share) if self.climbs.states > 1 else 0
        failed = done = 0
        while failed < tries and done < MOST_TRIES * tries:
            best, done = reached[0], done + 1
            others = perturbed(self.climbs, rows[:4], self.chance, away[0][0])
            more, values = self.rounds(others, away)
            both = np.concatenate([rows, more]), np.concatenate([reached, values])
            rows, reached = self._best(*both, starts[-1][0])
            failed = 0 if reached[0] > best + _GAIN else failed + 1
        return rows, reached

    def rounds(self, rows: FloatArray, rounds: Rounds) -> tuple[FloatArray, FloatArray]:
        """Climbs from these parameters, of which the better ones go on to the next round."""
        reached = np.zeros(len(rows))
        for kept, steps in rounds:
            rows, reached = self._best(rows, reached, kept)
            rows, reached, _ = self.climbs.climb(rows, steps, _TOLERANCE)
        return self._best(rows, reached, len(rows))

    def finished(self, row: FloatArray) -> FloatArray:
        """The parameters after many more steps, unless they have no use."""
        steps = int(min(LAST_STEPS, 0.1 * self.work / (LANES * self.climbs.work)))
        moved: FloatArray = self.climbs.climb(row[None], steps, _TOLERANCE / 100)[0][0]
        return moved

    def _share(self) -> float:
        """The share of the climbs that the work allows."""
        steps = sum(kept * steps for kept, steps in STARTS)
        steps += TRIES * sum(kept * steps for kept, steps in STEPS_AWAY)
        return float(min(1.0, self.work / (steps * self.climbs.work)))

    def _best(self, rows: FloatArray, reached: FloatArray, kept: int) -> tuple[FloatArray, FloatArray]:
        """The best climbs in different places; those with a variance at its floor come last."""
        variances = self.climbs.parts(rows)[-1]
        collapsed = (variances <= 1.001 * self.climbs.floors).any(axis=(1, 2))
        places = self._places(rows)
        chosen: list[int] = []
        for at in np.lexsort((-reached, collapsed)).tolist():
            if not (np.abs(places[chosen] - places[at]).max(axis=1) < _SAME).any():
                chosen.append(at)
            if len(chosen) == kept:
                break
        return rows[chosen], reached[chosen]

    def _places(self, rows: FloatArray) -> FloatArray:
        """Numbers that tell parameters apart, whatever the order of the states."""
        _, moves, *tables, means, _, variances = self.climbs.parts(rows)
        centre, spread = self.climbs.units
        by_state = [
            np.einsum("rii->ri", moves),
            (moves**2).sum(axis=2),
            *((table**2).sum(axis=2) for table in tables),
            ((means - centre) / spread).sum(axis=2),
            (np.sqrt(variances) / spread).sum(axis=2),
        ]
        return np.concatenate([np.sort(part, axis=1) for part in by_state], axis=1)


def _fewer(rounds: Rounds, share: float) -> Rounds:
    """The rounds with about this share of the work: fewer climbs first, then fewer steps, too."""
    shorter = min(1.0, 3 * share)
    return [
        (max(round(kept * share), min(kept, LANES)), max(round(steps * shorter), min(steps, 10)))
        for kept, steps in rounds
    ]
