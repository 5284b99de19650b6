"""The Gaussian of a group of hidden real variables for many combinations of discrete states and many rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bayou.inference.hybrid_components import Component
from bayou.inference.local_factors import Evidence
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, IntArray, Name

_LOG_TWO_PI = float(np.log(2 * np.pi))
_BLOCK = 2**21
"""Numbers in the working arrays of one block of combinations."""


@dataclass
class Gaussians:
    """A Gaussian of the hidden variables met so far, in square-root form.

    ``roots`` (groups, combinations, hidden, hidden) times its transpose is the covariance, which is the same
    for all rows of a group; ``means`` and ``logs`` (the log density of the findings met so far) have a place
    for each row, and ``which`` is the group of each row. Keeping the root, and taking in one finding at a
    time with its own noise, holds variances apart that a covariance matrix would merge: a variance of 1e-10
    beside one of 1e10 is beyond the digits of their sum.
    """

    means: FloatArray
    roots: FloatArray
    logs: FloatArray
    which: IntArray

    def by_row(self, values: FloatArray) -> FloatArray:
        """What each group has, for each row."""
        return values if len(values) == 1 else values[self.which]

    def extend(self, k: int, centre: FloatArray, reach: FloatArray, deviation: FloatArray) -> None:
        """Hidden variable number ``k``: centre + reach · noise so far + noise of its own."""
        self.means[:, :, k] = centre
        self.roots[:, :, k, :] = reach
        self.roots[:, :, k, k] = deviation

    def observe(self, value: FloatArray, centre: FloatArray, reach: FloatArray, spread: FloatArray) -> None:
        """Condition on a value of centre + reach · noise so far + noise of its own, ``spread`` wide.

        Givens rotations turn (spread, reach) into (wider spread, 0, …, 0); turned along with it, the roots
        become those of the conditioned Gaussian and the gain appears beside them.
        """
        gain = np.zeros(self.roots.shape[:-1])
        for j in range(self.roots.shape[-1]):
            if not reach[:, :, j].any():
                continue
            longer = np.hypot(spread, reach[:, :, j])
            safe = np.where(longer > 0, longer, 1.0)
            sine = (reach[:, :, j] / safe)[:, :, None]
            cosine = np.where(longer > 0, spread / safe, 1.0)[:, :, None]
            column = self.roots[:, :, :, j].copy()
            self.roots[:, :, :, j] = cosine * column - sine * gain
            gain = cosine * gain + sine * column
            spread = longer
        self._move(value[:, None] - centre, self.by_row(gain), self.by_row(spread))

    def _move(self, gap: FloatArray, gain: FloatArray, spread: FloatArray) -> None:
        """Add the log density of a finding that lies ``gap`` from its centre; move the means towards it.

        What can not vary has no density: where it must be it counts as certain, elsewhere as impossible.
        """
        fixed = spread == 0
        safe = np.where(fixed, 1.0, spread)
        # A value so far out that its square overflows has the log density -inf, which is what it gets.
        with np.errstate(over="ignore", invalid="ignore"):
            z = gap / safe
            density = -0.5 * _LOG_TWO_PI - np.log(safe) - 0.5 * z * z
            moved = self.means + gain * z[:, :, None]
        density = np.where(fixed, np.where(gap == 0, 0.0, -np.inf), density)
        self.logs += np.where(np.isnan(density), -np.inf, density)
        # What can not be is left where it was: its weight is 0.
        self.means = np.where(np.isfinite(moved), moved, self.means)


@dataclass(frozen=True)
class Moments:
    """The targets' means (combinations, targets) and covariances (combinations, targets, targets)."""

    means: FloatArray
    covariances: FloatArray


def component_logs(network: FrozenNetwork, component: Component, evidence: Evidence, rows: int) -> FloatArray:
    """The log density of the group's findings: an axis for rows, then one for each variable of the border."""
    shape = [network.schema[name].cardinality for name in component.border]
    logs = np.empty((rows, component.combinations))
    step = block_length(len(component.hidden), rows)
    for start in range(0, component.combinations, step):
        places = np.arange(start, min(start + step, component.combinations))
        codes = np.unravel_index(places, shape) if shape else ()
        border = dict(zip(component.border, codes, strict=True))
        logs[:, places] = conditioned(network, component, border, evidence, rows, len(places)).logs
    return logs.reshape(rows, *shape)


def component_moments(
    network: FrozenNetwork,
    component: Component,
    targets: Sequence[Name],
    border: Mapping[Name, IntArray],
    evidence: Evidence,
    combinations: int,
) -> Moments:
    """The posterior of some hidden variables of a group for these combinations of states of its border."""
    at = [component.hidden.index(name) for name in targets]
    means = np.empty((combinations, len(at)))
    covariances = np.empty((combinations, len(at), len(at)))
    step = block_length(len(component.hidden), 1)
    for start in range(0, combinations, step):
        part = slice(start, min(start + step, combinations))
        codes = {name: border[name][part] for name in component.border}
        state = conditioned(network, component, codes, evidence, 1, part.stop - part.start)
        means[part] = state.means[0][:, at]
        roots = state.roots[0][:, at, :]
        covariances[part] = roots @ np.swapaxes(roots, -1, -2)
    return Moments(means, covariances)


def block_length(hidden: int, rows: int) -> int:
    """How many combinations go side by side."""
    return max(1, _BLOCK // (rows * (hidden**2 + 4 * hidden + 8)))


def conditioned(
    network: FrozenNetwork,
    component: Component,
    border: Mapping[Name, IntArray],
    evidence: Evidence,
    rows: int,
    combinations: int,
) -> Gaussians:
    """Walk the group, parents first: hidden variables join the Gaussian, findings condition it."""
    groups, which, count = _groups(network, component, evidence, rows)
    size = len(component.hidden)
    place = {name: k for k, name in enumerate(component.hidden)}
    state = Gaussians(
        np.zeros((rows, combinations, size)),
        np.zeros((count, combinations, size, size)),
        np.zeros((rows, combinations)),
        which,
    )
    codes = {**{n: c[None, :] for n, c in border.items()}, **{n: c[:, None] for n, c in groups.items()}}
    for name in component.members:
        distribution = network.gaussian(name)
        index = tuple(codes[parent.name] for parent in network.discrete_parents(name))
        slopes = distribution.coefficients[index]
        slopes = np.broadcast_to(slopes, (count, combinations, slopes.shape[-1]))
        centre = state.by_row(np.broadcast_to(distribution.intercept[index], (count, combinations)))
        deviation = np.sqrt(np.broadcast_to(distribution.variance[index], (count, combinations)))
        reach = np.zeros((count, combinations, size))
        with np.errstate(over="ignore", invalid="ignore"):
            for position, parent in enumerate(network.continuous_parents(name)):
                slope = slopes[:, :, position]
                if parent.name in place:
                    k = place[parent.name]
                    centre = centre + state.by_row(slope) * state.means[:, :, k]
                    reach += slope[:, :, None] * state.roots[:, :, k, :]
                else:
                    centre = centre + state.by_row(slope) * np.asarray(evidence[parent.name])[:, None]
        if name in place:
            state.extend(place[name], centre, reach, deviation)
        else:
            state.observe(np.asarray(evidence[name], dtype=np.float64), centre, reach, deviation)
    return state


def _groups(
    network: FrozenNetwork, component: Component, evidence: Evidence, rows: int
) -> tuple[dict[Name, IntArray], IntArray, int]:
    """The distinct states of the observed discrete parents, and which of them each row has."""
    parents = {p.name: None for name in component.members for p in network.discrete_parents(name)}
    seen = [name for name in parents if name in evidence]
    if not seen:
        return {}, np.zeros(rows, dtype=np.int64), 1
    columns = [np.broadcast_to(np.asarray(evidence[name], dtype=np.int64), (rows,)) for name in seen]
    distinct, which = np.unique(np.stack(columns, axis=-1), axis=0, return_inverse=True)
    return dict(zip(seen, distinct.T, strict=True)), which.reshape(-1), len(distinct)
