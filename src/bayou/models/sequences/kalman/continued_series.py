"""Random states of given series, and random continuations of them.

Forward filtering, backward sampling (Frühwirth-Schnatter 1994): the last state is drawn from its filtered
Gaussian, and each one before given the one after it. With filtered mean m and covariance P of step t,

    x(t) | x(t+1) ~ N(m + J (x(t+1) − A m − B u(t+1)),  P − J A P),    J = P Aᵀ (A P Aᵀ + Q)⁺,

so that whole paths are drawn exactly from P(path | observations). What follows is drawn from the model.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from bayou.distributions.gaussian.covariance_root import covariance_root, solved
from bayou.models.sequences.kalman.drawn_gaps import with_drawn_gaps
from bayou.models.sequences.kalman.drawn_series import drawn_series
from bayou.temporal.kalman.linear_system import LinearSystem, ObservedSeries
from bayou.typing import FloatArray


def continued_series(
    system: LinearSystem, series: ObservedSeries, ahead: list[FloatArray], draws: int, seed: int
) -> list[tuple[FloatArray, FloatArray]]:
    """For each series (states [draw, step, state], values [draw, step, column]) of the given steps, with
    their gaps drawn, and of those that follow.

    ``ahead`` has the inputs of the steps that follow, [step, input], by series.
    """
    _, _, means, covariances = system.filtered(series)
    chance, chance_of_gaps = np.random.default_rng(seed), np.random.default_rng((seed, 1))
    found = []
    for number, (first, last) in enumerate(pairwise(series.starts.tolist())):
        own = slice(first, last)
        paths = drawn_paths(system, means[own], covariances[own], series.inputs[own], draws, chance)
        values = with_drawn_gaps(system, series.values[own], series.inputs[own], paths, chance_of_gaps)
        later = ahead[number]
        if len(later):
            begin = paths[:, -1] if last > first else None
            states, following = drawn_series(system, len(later), draws, later, chance, begin)
            paths = np.concatenate([paths, states], axis=1)
            values = np.concatenate([values, following], axis=1)
        found.append((paths, values))
    return found


def drawn_paths(
    system: LinearSystem,
    means: FloatArray,
    covariances: FloatArray,
    inputs: FloatArray,
    draws: int,
    chance: np.random.Generator,
) -> FloatArray:
    """Paths of one series [draw, step, state], from its filtered means and covariances."""
    a, b, q = system.transition, system.control, system.transition_noise
    length, size = means.shape
    paths = np.empty((draws, length, size))
    if not length:
        return paths
    paths[:, -1] = means[-1] + chance.normal(size=(draws, size)) @ covariance_root(covariances[-1]).T
    for step in range(length - 2, -1, -1):
        mean, spread = means[step], covariances[step]
        forward = a @ spread @ a.T + q
        gain = solved(forward, a @ spread).T
        # (I − JA) P (I − JA)ᵀ + J Q Jᵀ is P − JAP without a difference of large numbers.
        left = np.eye(size) - gain @ a
        rest = left @ spread @ left.T + gain @ q @ gain.T
        away = paths[:, step + 1] - (a @ mean + b @ inputs[step + 1])
        noise = chance.normal(size=(draws, size)) @ covariance_root((rest + rest.T) / 2).T
        paths[:, step] = mean + away @ gain.T + noise
    return paths
