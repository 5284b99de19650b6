"""Steps away from a maximum that EM has reached: two states are merged and one is split, or one is replaced.

EM cannot move a state from a part of the data that has too many states to one that has too few; such steps
can (Ueda, Nakano, Ghahramani and Hinton 2000, SMEM algorithm for mixture models).
"""

from __future__ import annotations

import numpy as np

from bayou.temporal.starts.many_climbs import ManyClimbs
from bayou.temporal.starts.random_parameters import RandomParameters
from bayou.typing import FloatArray


def perturbed(climbs: ManyClimbs, rows: FloatArray, chance: np.random.Generator, count: int) -> FloatArray:
    """So many rows of parameters, each one step away from one of these rows."""
    bases = rows[np.arange(count) % len(rows)]
    own, fresh = climbs.parts(bases), climbs.parts(RandomParameters(climbs, chance).draw(count))
    own = [part.copy() for part in own]
    for at in range(count):
        parts, others = [part[at] for part in own], [part[at] for part in fresh]
        gone, kept, split = (*chance.permutation(climbs.states), 0)[:3]
        if climbs.states > 2 and chance.random() < 0.5:
            _merge(parts, int(gone), int(kept))
            _split(parts, int(split), int(gone), chance)
        else:
            _replace(parts, others, int(gone))
    return climbs.rows_of(own)


def _merge(parts: list[FloatArray], gone: int, kept: int) -> None:
    """The state ``kept`` takes the place of both."""
    start, moves, *emissions = parts
    start[kept] += start[gone]
    moves[:, kept] += moves[:, gone]
    moves[kept] = (moves[kept] + moves[gone]) / 2
    *tables, means, _, variances = emissions
    variances[kept] = (variances[kept] + variances[gone]) / 2 + ((means[kept] - means[gone]) / 2) ** 2
    for emission in (*tables, means):
        emission[kept] = (emission[kept] + emission[gone]) / 2


def _split(parts: list[FloatArray], split: int, into: int, chance: np.random.Generator) -> None:
    """The state ``split`` becomes two that differ a little."""
    start, moves, *tables, means, slopes, variances = parts
    start[split] = start[into] = start[split] / 2
    moves[into] = moves[split]
    moves[:, into] = moves[:, split] = moves[:, split] / 2
    if chance.random() < 0.5:  # the two follow each other rarely
        for one, other in ((split, into), (into, split)):
            moves[one, one] += 0.8 * moves[one, other]
            moves[one, other] *= 0.2
    for table in tables:
        for state in (into, split):
            weighed = table[split] * (chance.gamma(1.0, size=table.shape[1]) + 0.1)
            table[state] = weighed / weighed.sum()
    away = chance.normal(size=means.shape[1]) * np.sqrt(variances[split])
    means[into], slopes[into], variances[into] = means[split] + away, slopes[split], variances[split]
    means[split] -= away


def _replace(parts: list[FloatArray], fresh: list[FloatArray], gone: int) -> None:
    """The state emits something else, and can be reached from everywhere."""
    start, moves, *_ = parts
    states = len(start)
    start[gone] = 1 / states
    start /= start.sum()
    moves[:, gone] = (moves[:, gone] + 1 / states) / 2
    moves[gone] = fresh[1][gone]
    moves /= moves.sum(axis=1, keepdims=True)
    for emission, other in zip(parts[2:], fresh[2:], strict=True):
        emission[gone] = other[gone]
