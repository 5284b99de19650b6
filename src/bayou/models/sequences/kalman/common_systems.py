"""The matrices of common models of series: a level, a trend, autoregression, a moving thing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from bayou.arguments import real_number, whole_number
from bayou.errors import BadQuestion
from bayou.typing import Name

_WIDE = 1e6
"""The variance of a first state about which nothing is known."""


def _variance(name: str, value: float) -> float:
    return real_number(name, value, 0, expected="give a variance, 0 or more")


def _start_variance(given: float | None, *variances: float) -> float:
    """The variance of the first state; if it is not given, a wide one in the units of the noise."""
    return _WIDE * max(1.0, *variances) if given is None else _variance("start_variance", given)


def local_level(
    level_noise: float, noise: float, start: float, start_variance: float | None
) -> dict[str, Any]:
    """A level that wanders, observed with noise."""
    return {
        "transition": [[1.0]],
        "observation": [[1.0]],
        "transition_noise": [[_variance("level_noise", level_noise)]],
        "observation_noise": [[_variance("noise", noise)]],
        "start_mean": [start],
        "start_covariance": [[_start_variance(start_variance, level_noise, noise)]],
        "states": ["level"],
        "fixed": ("transition", "observation"),
    }


def local_trend(
    level_noise: float, slope_noise: float, noise: float, start: float, start_variance: float | None
) -> dict[str, Any]:
    """A level with a slope, both of which wander."""
    return {
        "transition": [[1.0, 1.0], [0.0, 1.0]],
        "observation": [[1.0, 0.0]],
        "transition_noise": np.diag(
            [_variance("level_noise", level_noise), _variance("slope_noise", slope_noise)]
        ),
        "observation_noise": [[_variance("noise", noise)]],
        "start_mean": [start, 0.0],
        "start_covariance": np.eye(2) * _start_variance(start_variance, level_noise, slope_noise, noise),
        "states": ["level", "slope"],
        "fixed": ("transition", "observation"),
        "shapes": {"transition_noise": "diagonal"},
    }


def autoregression(
    coefficients: Sequence[float], noise: float, observation_noise: float, mean: float | None
) -> dict[str, Any]:
    """y(t) − mean = Σ coefficient · (y(t − k) − mean) + noise; the state has the last values, and a mean that
    is unknown (None) or not 0.

    The states that only remember have no noise, so that nothing about them is learned.
    """
    weights = np.asarray(coefficients, dtype=np.float64)
    if weights.ndim != 1 or not len(weights) or not np.isfinite(weights).all():
        raise BadQuestion(
            f"coefficients={coefficients!r}: give a list with one finite number for each lag, "
            "such as [0.5, 0.2]."
        )
    lags, spread = len(weights), _variance("noise", noise)
    level = 0.0 if mean is None else real_number("mean", mean, expected="give a finite number, or None")
    own = 0 if mean is not None and level == 0 else 1  # whether the mean is a state
    transition = np.zeros((lags + own, lags + own))
    transition[0, :lags] = weights
    transition[np.arange(1, lags), np.arange(lags - 1)] = 1.0
    fixed = np.ones(transition.shape, dtype=bool)
    fixed[0, :lags] = False
    noises, start = np.zeros(lags + own), np.zeros((lags + own, lags + own))
    noises[0] = spread
    start[:lags, :lags] = _stationary(transition[:lags, :lags], np.diag(noises[:lags]))
    if own:
        transition[lags, lags] = 1.0
        start[lags, lags] = _WIDE if mean is None else 0.0
    return {
        "transition": transition,
        "observation": [[1.0, *[0.0] * (lags - 1), *[1.0] * own]],
        "transition_noise": np.diag(noises),
        "observation_noise": [[_variance("observation_noise", observation_noise)]],
        "start_mean": [*[0.0] * lags, *[level] * own],
        "start_covariance": start,
        "states": ["deviation", *(f"deviation {k} ago" for k in range(1, lags)), "mean"][: lags + own],
        "fixed": {
            "transition": fixed,
            "observation": True,
            "start_mean": [*[True] * lags, *[mean is not None] * own],
            "start_covariance": True,
            **({"observation_noise": True} if observation_noise == 0 else {}),
        },
        "shapes": {"transition_noise": "diagonal"},
    }


def _stationary(transition: Any, noise: Any) -> Any:
    """The covariance that a step does not change; where there is none, a wide one."""
    size = len(transition)
    if np.abs(np.linalg.eigvals(transition)).max() >= 1 - 1e-9:
        return np.eye(size) * _WIDE * max(float(noise[0, 0]), 1.0)
    # Σ Aᵏ Q Aᵏᵀ, twice as many terms at a time: below the bound above 2⁴⁰ are enough.
    found, power = noise, transition
    for _ in range(40):
        more = power @ found @ power.T
        found, power = found + more, power @ power
        if np.abs(more).max() <= 1e-17 * np.abs(found).max():
            break
    return (found + found.T) / 2


def constant_velocity(
    dimensions: int,
    step: float,
    acceleration: float,
    noise: float,
    start_variance: float | None,
    columns: Iterable[Name] | None = None,
) -> dict[str, Any]:
    """A thing that moves straight on, pushed by chance at every moment (Bar-Shalom, Li and Kirubarajan 2001,
    Estimation with Applications to Tracking and Navigation, section 6.2): the position is observed.
    """
    given = None if columns is None else [columns] if isinstance(columns, str) else list(columns)
    count = whole_number("dimensions", dimensions, 1) if given is None else len(given)
    dt = real_number("step", step, 0, above=True, expected="give the time between two steps, above 0")
    pushes = _variance("acceleration", acceleration) * np.array([[dt**3 / 3, dt**2 / 2], [dt**2 / 2, dt]])
    plain = ["x", "y", "z"][:count] if count <= 3 else [f"x{k}" for k in range(count)]
    axes: Sequence[Name] = plain if given is None else given
    own = np.eye(count)
    return {
        "transition": np.kron(own, [[1.0, dt], [0.0, 1.0]]),
        "observation": np.kron(own, [[1.0, 0.0]]),
        "transition_noise": np.kron(own, pushes),
        "observation_noise": own * _variance("noise", noise),
        "start_mean": np.zeros(2 * count),
        "start_covariance": np.eye(2 * count) * _start_variance(start_variance, acceleration, noise),
        "states": [f"{kind} of {axis}" for axis in axes for kind in ("position", "speed")],
        "columns": axes,
        "fixed": ("transition", "observation"),
        "shapes": {"transition_noise": "scaled", "observation_noise": "diagonal"},
    }
