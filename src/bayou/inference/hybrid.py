"""Exact answers with unobserved continuous variables: a Gaussian for each combination of discrete states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bayou.errors import TooWide
from bayou.inference.question import Question
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, IntArray, Name

LARGEST_MIXTURE = 2**18
_LOG_TWO_PI = float(np.log(2 * np.pi))


@dataclass(frozen=True)
class Mixture:
    """A weighted sum of Gaussians: the exact posterior of a continuous variable."""

    weights: FloatArray
    means: FloatArray
    variances: FloatArray

    @property
    def mean(self) -> float:
        """The mean of the mixture."""
        return float(self.weights @ self.means)

    @property
    def variance(self) -> float:
        """The variance of the mixture: within the components and between them."""
        return float(self.weights @ (self.variances + (self.means - self.mean) ** 2))


@dataclass(frozen=True)
class HybridAnswer:
    """For every combination of discrete states (a row of ``codes``): its log weight and its Gaussian."""

    discrete: tuple[Name, ...]
    codes: IntArray
    log_weights: FloatArray
    continuous: tuple[Name, ...]
    means: FloatArray
    covariances: FloatArray


def solve_hybrid(network: FrozenNetwork, names: Sequence[Name], question: Question) -> HybridAnswer:
    """Enumerate the discrete states of ``names``; condition the Gaussian of the rest on the evidence."""
    given = {**question.evidence, **question.do}
    discrete = [name for name in names if not network.schema[name].is_continuous]
    codes = _combinations(network, discrete, given)
    column = {name: codes[:, k] for k, name in enumerate(discrete)}
    for name, value in question.do.items():
        if not network.schema[name].is_continuous:
            column[name] = np.full(len(codes), int(value), dtype=np.int64)
    logs = np.zeros(len(codes))
    with np.errstate(divide="ignore"):
        for name in discrete:
            index = tuple(column[parent.name] for parent in network.parents(name))
            logs += np.log(network.table(name)[(*index, column[name])])
        for name, weights in question.likelihood.items():
            logs += np.log(weights[column[name]])
    continuous = [name for name in network.dag.topological_order if name in names and name not in discrete]
    hidden, state = _conditioned(network, continuous, column, question, logs)
    covariances = state.roots @ np.swapaxes(state.roots, -1, -2)
    return HybridAnswer(tuple(discrete), codes, state.logs, hidden, state.means, covariances)


def _combinations(network: FrozenNetwork, discrete: Sequence[Name], given: object) -> IntArray:
    assert isinstance(given, dict)
    choices = [
        [int(given[name])] if name in given else range(network.schema[name].cardinality) for name in discrete
    ]
    count = 1
    for choice in choices:
        count *= len(choice)
    if count > LARGEST_MIXTURE:
        raise TooWide(
            f"This query mixes {count:,} Gaussians, one for each combination of discrete states (at most "
            f"{LARGEST_MIXTURE:,}). Observe more of the discrete variables."
        )
    grid = np.meshgrid(*[np.asarray(choice, dtype=np.int64) for choice in choices], indexing="ij")
    return np.stack([axis.ravel() for axis in grid], axis=-1) if grid else np.zeros((1, 0), dtype=np.int64)


@dataclass
class _Gaussians:
    """A Gaussian of the hidden variables met so far for every discrete combination, in square-root form.

    ``roots`` (count, hidden, hidden) times its transpose is the covariance. Keeping the root, and taking in
    one finding at a time with its own noise, holds variances apart that a covariance matrix would merge:
    a variance of 1e-10 beside one of 1e10 is beyond the digits of their sum.
    """

    means: FloatArray
    roots: FloatArray
    logs: FloatArray

    def extend(self, k: int, centre: FloatArray, reach: FloatArray, deviation: FloatArray) -> None:
        """Hidden variable number ``k``: centre + reach · noise so far + noise of its own."""
        self.means[:, k] = centre
        self.roots[:, k, :] = reach
        self.roots[:, k, k] = deviation

    def observe(self, value: float, centre: FloatArray, reach: FloatArray, deviation: FloatArray) -> None:
        """Condition on a value of centre + reach · noise so far + noise of its own.

        Givens rotations turn (deviation, reach) into (spread, 0, …, 0); turned along with it, the roots
        become those of the conditioned Gaussian and the gain appears beside them.
        """
        spread, gain = deviation, np.zeros_like(self.means)
        for j in range(self.roots.shape[-1]):
            longer = np.hypot(spread, reach[:, j])
            cosine, sine = (spread / longer)[:, None], (reach[:, j] / longer)[:, None]
            column = self.roots[:, :, j].copy()
            self.roots[:, :, j] = cosine * column - sine * gain
            gain = cosine * gain + sine * column
            spread = longer
        # A value so far out that its square overflows has the log density -inf, which is what it gets.
        with np.errstate(over="ignore", invalid="ignore"):
            z = (value - centre) / spread
            density = -0.5 * _LOG_TWO_PI - np.log(spread) - 0.5 * z * z
            moved = self.means + gain * z[:, None]
        self.logs += np.where(np.isnan(density), -np.inf, density)
        # What can not be is left where it was: its weight is 0.
        self.means = np.where(np.isfinite(moved), moved, self.means)


def _conditioned(
    network: FrozenNetwork,
    continuous: Sequence[Name],
    column: Mapping[Name, IntArray],
    question: Question,
    logs: FloatArray,
) -> tuple[tuple[Name, ...], _Gaussians]:
    """Walk the continuous variables, parents first: hidden ones join the Gaussian, findings condition it."""
    hidden = [name for name in continuous if name not in question.evidence]
    place = {name: k for k, name in enumerate(hidden)}
    count, size = len(logs), len(hidden)
    state = _Gaussians(np.zeros((count, size)), np.zeros((count, size, size)), logs.copy())
    given = {**question.evidence, **question.do}
    for name in continuous:
        distribution = network.gaussian(name)
        index = tuple(column[parent.name] for parent in network.discrete_parents(name))
        width = distribution.coefficients.shape[-1]
        slopes = np.broadcast_to(distribution.coefficients[index], (count, width))
        centre = np.broadcast_to(distribution.intercept[index], (count,)).copy()
        deviation = np.sqrt(np.broadcast_to(distribution.variance[index], (count,)))
        reach = np.zeros((count, size))
        with np.errstate(over="ignore", invalid="ignore"):
            for position, parent in enumerate(network.continuous_parents(name)):
                slope = slopes[:, position]
                if parent.name in given:
                    centre += slope * float(given[parent.name])
                    continue
                k = place[parent.name]
                centre += slope * state.means[:, k]
                reach += slope[:, None] * state.roots[:, k, :]
        if name in question.evidence:
            state.observe(float(question.evidence[name]), centre, reach, deviation)
        else:
            state.extend(place[name], centre, reach, deviation)
    return tuple(hidden), state


def mixture_of(answer: HybridAnswer, name: Name) -> Mixture:
    """The posterior of one continuous variable; components that never occur are left out."""
    k = answer.continuous.index(name)
    weights = np.exp(answer.log_weights - answer.log_weights.max())
    weights /= weights.sum()
    alive = weights > 0
    return Mixture(weights[alive], answer.means[alive, k], answer.covariances[alive, k, k])


def table_of(network: FrozenNetwork, answer: HybridAnswer, targets: Sequence[Name]) -> FloatArray:
    """The joint posterior of discrete targets."""
    weights = np.exp(answer.log_weights - answer.log_weights.max())
    shape = [network.schema[name].cardinality for name in targets]
    result: FloatArray = np.zeros(shape)
    index = tuple(answer.codes[:, answer.discrete.index(name)] for name in targets)
    np.add.at(result, index, weights)
    result /= weights.sum()
    return result
