"""The Gaussian of a group of hidden numbers, for many combinations of states and many rows at once.

The hidden numbers met so far are x = m + R ε with independent standard normal ε: mean m, covariance R Rᵀ. The
variables of the group are met parents first. Each is, for given states of its discrete parents,

    y = a + b · x + c · (observed parents) + σ η  =  centre + l · ε + σ η,      l = Rᵀ b  (its *loadings*).

A hidden y joins: its centre goes into m, the row (l, σ) into R, which stays triangular. An observed y
conditions: with s² = σ² + l · l the log density grows by log N(y; centre, s²), and

    m ← m + (R l / s) · (y − centre) / s,        R Rᵀ ← R Rᵀ − (R l)(R l)ᵀ / s².

The second line is not computed as written. Givens rotations take the row (σ, l) to (s, 0); applied to the
columns of (0, R) they give (R l / s, new R), without a difference of large numbers. σ = 0 needs no inverse.

Kaminski, Bryson and Schmidt (1971), Discrete square root filtering: a survey of current techniques, IEEE
Trans. Automatic Control 16.

:mod:`bayou.inference.expectation.gap_regression` conditions Gaussians too, by least squares with 1/σ as
weights. Both exist on purpose. That module cannot handle σ = 0, which networks with parameters given by the
user may have. This one treats one pattern of gaps at a time: for EM on rows with hundreds of patterns (3,000
rows of 8 numbers, a fifth of the cells missing) it took 200 times as long.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bayou.inference.exact.local_factors import Evidence
from bayou.inference.mixed.components import Component
from bayou.networks import FrozenNetwork
from bayou.special_functions import LOG_TWO_PI
from bayou.typing import FloatArray, IntArray, Name

_BLOCK = 2**21
"""The most numbers in the working arrays of one block of combinations, about."""


@dataclass
class Gaussians:
    """Gaussians of the hidden variables processed so far, in square-root form.

    ``roots`` (groups, combinations, hidden, hidden) times its transpose is the covariance, which is the same
    for all rows of a group; ``which`` is the group of each row. ``means`` (rows, combinations, hidden) and
    ``logs`` (rows, combinations: the log density of the findings so far) differ from row to row. Storing the
    root, and conditioning on one finding at a time, keeps small variances exact that a covariance matrix
    would round away: a variance of 1e-10 beside one of 1e10 is beyond the digits of their sum.
    """

    means: FloatArray
    roots: FloatArray
    logs: FloatArray
    which: IntArray

    def by_row(self, values: FloatArray) -> FloatArray:
        """Values per group (first axis) as values per row; a single group is left to broadcast."""
        return values if len(values) == 1 else values[self.which]

    def extend(self, k: int, centre: FloatArray, loadings: FloatArray, deviation: FloatArray) -> None:
        """Add hidden variable number ``k``: centre + loadings · ε + deviation · its own noise."""
        self.means[:, :, k] = centre
        self.roots[:, :, k, :] = loadings
        self.roots[:, :, k, k] = deviation

    def observe(
        self, value: FloatArray, centre: FloatArray, loadings: FloatArray, spread: FloatArray
    ) -> None:
        """Condition on the value of centre + loadings · ε + spread · its own noise.

        Givens rotations take (spread, loadings) to (s, 0, …, 0). Applied to the columns of (0, roots), they
        give the gain R l / s and the roots of the conditioned Gaussian.
        """
        gain = np.zeros(self.roots.shape[:-1])
        for j in range(self.roots.shape[-1]):
            if not loadings[:, :, j].any():
                continue
            longer = np.hypot(spread, loadings[:, :, j])
            safe = np.where(longer > 0, longer, 1.0)
            sine = (loadings[:, :, j] / safe)[:, :, None]
            cosine = np.where(longer > 0, spread / safe, 1.0)[:, :, None]
            column = self.roots[:, :, :, j].copy()
            self.roots[:, :, :, j] = cosine * column - sine * gain
            gain = cosine * gain + sine * column
            spread = longer
        self._move(value[:, None] - centre, self.by_row(gain), self.by_row(spread))

    def _move(self, gap: FloatArray, gain: FloatArray, spread: FloatArray) -> None:
        """Add the log density of a finding at distance ``gap`` from its centre, and shift the means.

        A variable with spread 0 has no density: its only possible value has log density 0, any other value
        -inf.
        """
        fixed = spread == 0
        safe = np.where(fixed, 1.0, spread)
        # A value so far out that its square overflows correctly gets the log density -inf.
        with np.errstate(over="ignore", invalid="ignore"):
            z = gap / safe
            density = -0.5 * LOG_TWO_PI - np.log(safe) - 0.5 * z * z
            moved = self.means + gain * z[:, :, None]
        density = np.where(fixed, np.where(gap == 0, 0.0, -np.inf), density)
        self.logs += np.where(np.isnan(density), -np.inf, density)
        # Impossible combinations keep their means: their weight is 0.
        self.means = np.where(np.isfinite(moved), moved, self.means)


@dataclass(frozen=True)
class ComponentMoments:
    """The targets' means (combinations, targets) and covariances (combinations, targets, targets)."""

    means: FloatArray
    covariances: FloatArray


def component_logs(network: FrozenNetwork, component: Component, evidence: Evidence, rows: int) -> FloatArray:
    """Return the log density of the group's findings, of shape (rows, states of each border variable …)."""
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
) -> ComponentMoments:
    """Return the posterior moments of some hidden variables of a group, for one row of evidence.

    ``border`` has the codes of the border variables, one per combination.
    """
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
    return ComponentMoments(means, covariances)


def block_length(hidden: int, rows: int) -> int:
    """The number of combinations processed at once, so that the working arrays stay small."""
    return max(1, _BLOCK // (rows * (hidden**2 + 4 * hidden + 8)))


def conditioned(
    network: FrozenNetwork,
    component: Component,
    border: Mapping[Name, IntArray],
    evidence: Evidence,
    rows: int,
    combinations: int,
) -> Gaussians:
    """Return the group's Gaussians, given all its findings; members are processed parents first."""
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
        loadings = np.zeros((count, combinations, size))
        with np.errstate(over="ignore", invalid="ignore"):
            for position, parent in enumerate(network.continuous_parents(name)):
                slope = slopes[:, :, position]
                if parent.name in place:
                    k = place[parent.name]
                    centre = centre + state.by_row(slope) * state.means[:, :, k]
                    loadings += slope[:, :, None] * state.roots[:, :, k, :]
                else:
                    centre = centre + state.by_row(slope) * np.asarray(evidence[parent.name])[:, None]
        if name in place:
            state.extend(place[name], centre, loadings, deviation)
        else:
            state.observe(np.asarray(evidence[name], dtype=np.float64), centre, loadings, deviation)
    return state


def _groups(
    network: FrozenNetwork, component: Component, evidence: Evidence, rows: int
) -> tuple[dict[Name, IntArray], IntArray, int]:
    """The distinct combinations of observed discrete parents' states, that of each row, their number."""
    parents = {p.name: None for name in component.members for p in network.discrete_parents(name)}
    seen = [name for name in parents if name in evidence]
    if not seen:
        return {}, np.zeros(rows, dtype=np.int64), 1
    columns = [np.broadcast_to(np.asarray(evidence[name], dtype=np.int64), (rows,)) for name in seen]
    distinct, which = np.unique(np.stack(columns, axis=-1), axis=0, return_inverse=True)
    return dict(zip(seen, distinct.T, strict=True)), which.reshape(-1), len(distinct)
