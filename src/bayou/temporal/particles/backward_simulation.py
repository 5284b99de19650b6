"""Paths of the hidden state given all observations, drawn backwards through the particles of a filter."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayou.errors import BadData
from bayou.temporal.particles.filter_settings import FilterRun, FilterTrace
from bayou.typing import FloatArray, IntArray

_MOST_PAIRS = 2**19
"""Pairs of particles whose moves are weighed at once."""


def backward_paths(run: FilterRun, trace: FilterTrace, paths: int, seed: int) -> Any:
    """Draw paths, [path, step, …], from P(all states | all observations) as the particles show it.

    The last state is a particle drawn by its weight. Given the state x' of step t + 1, that of step t is
    particle i with a probability that is proportional to its weight times P(x' | particle i) (Godsill,
    Doucet and West 2004: Monte Carlo smoothing for nonlinear time series).
    """
    random = np.random.default_rng([seed, 1])
    assert trace.kept_logs is not None
    steps = len(trace.kept)
    chosen = [_drawn(np.tile(trace.kept_logs[-1], (1, 1)), random.random((1, paths)))[0]]
    new = trace.kept[-1][chosen[0]]
    found = [new]
    for step in range(steps - 2, -1, -1):
        particles, logs = trace.kept[step], trace.kept_logs[step]
        alive = np.flatnonzero(logs > -np.inf)
        at = _ancestors(run, step + 1, particles[alive], logs[alive], new, random)
        new = particles[alive[at]]
        found.append(new)
    return np.stack(found[::-1], axis=1)


def _ancestors(
    run: FilterRun, step: int, old: Any, logs: FloatArray, new: Any, random: np.random.Generator
) -> IntArray:
    """For each new state the position of an old one that it comes from."""
    count, paths = len(old), len(new)
    at = np.empty(paths, np.int64)
    together = max(1, _MOST_PAIRS // count)
    for first in range(0, paths, together):
        part = new[first : first + together]
        moves = run.move_logs(
            step, np.tile(old, (len(part),) + (1,) * (old.ndim - 1)), np.repeat(part, count, axis=0)
        )
        joint = moves.reshape(len(part), count) + logs
        if not (joint.max(axis=1) > -np.inf).all():
            raise BadData(
                f"Step {step}: move_density says that a state of this step cannot be reached from any "
                "particle of the step before, but move has reached it. Check that both agree."
            )
        at[first : first + together] = _drawn(joint, random.random((len(part), 1)))[:, 0]
    return at


def _drawn(logs: FloatArray, uniform: FloatArray) -> IntArray:
    """For each row of logs of weights, the positions that uniform numbers [row, draw] choose."""
    cumulative = np.cumsum(np.exp(logs - logs.max(axis=1, keepdims=True)), axis=1)
    found = [
        np.searchsorted(row, numbers * row[-1], side="right")
        for row, numbers in zip(cumulative, uniform, strict=True)
    ]
    places: IntArray = np.minimum(np.array(found, np.int64), logs.shape[1] - 1)
    return places
