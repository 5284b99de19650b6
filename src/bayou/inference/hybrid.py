"""Exact answers with unobserved continuous variables: a Gaussian for each combination of discrete states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bayou.errors import TooWide
from bayou.inference.local_factors import local_probability
from bayou.inference.question import Question
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, IntArray, Name

LARGEST_MIXTURE = 2**18


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
            logs += np.log(local_probability(network, name, column))
        for name, weights in question.likelihood.items():
            logs += np.log(weights[column[name]])
    continuous = [name for name in network.dag.topological_order if name in names and name not in discrete]
    means, covariances = _joint_gaussian(network, continuous, column, question, len(codes))
    logs, hidden, means, covariances = _condition(continuous, means, covariances, question.evidence, logs)
    return HybridAnswer(tuple(discrete), codes, logs, hidden, means, covariances)


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


def _joint_gaussian(
    network: FrozenNetwork,
    continuous: Sequence[Name],
    column: dict[Name, IntArray],
    question: Question,
    count: int,
) -> tuple[FloatArray, FloatArray]:
    """Means and covariances of the continuous variables, parents first, for every discrete combination."""
    size = len(continuous)
    means, covariances = np.zeros((count, size)), np.zeros((count, size, size))
    place = {name: k for k, name in enumerate(continuous)}
    for k, name in enumerate(continuous):
        distribution = network.gaussian(name)
        index = tuple(column[parent.name] for parent in network.discrete_parents(name))
        slopes = np.broadcast_to(
            distribution.coefficients[index], (count, distribution.coefficients.shape[-1])
        )
        means[:, k] = distribution.intercept[index]
        variance = np.broadcast_to(distribution.variance[index], (count,)).copy()
        reach = np.zeros((count, size))
        for position, parent in enumerate(network.continuous_parents(name)):
            if parent.name in question.do:
                means[:, k] += slopes[:, position] * float(question.do[parent.name])
                continue
            j = place[parent.name]
            means[:, k] += slopes[:, position] * means[:, j]
            reach += slopes[:, position, None] * covariances[:, j, :]
        for position, parent in enumerate(network.continuous_parents(name)):
            if parent.name not in question.do:
                variance += slopes[:, position] * reach[:, place[parent.name]]
        covariances[:, k, :] = reach
        covariances[:, :, k] = reach
        covariances[:, k, k] = variance
    return means, covariances


def _condition(
    continuous: Sequence[Name],
    means: FloatArray,
    covariances: FloatArray,
    evidence: object,
    logs: FloatArray,
) -> tuple[FloatArray, tuple[Name, ...], FloatArray, FloatArray]:
    """Condition every Gaussian on the observed values; their log densities go into the weights."""
    assert isinstance(evidence, dict)
    seen = [k for k, name in enumerate(continuous) if name in evidence]
    hidden = [k for k, name in enumerate(continuous) if name not in evidence]
    names = tuple(continuous[k] for k in hidden)
    if not seen:
        return logs, names, means[:, hidden], covariances[:, hidden][:, :, hidden]
    gap = np.array([float(evidence[continuous[k]]) for k in seen]) - means[:, seen]
    inner = covariances[:, seen][:, :, seen]
    cross = covariances[:, hidden][:, :, seen]
    weight = np.linalg.solve(inner, gap[..., None])[..., 0]
    _, log_determinant = np.linalg.slogdet(inner)
    density = -0.5 * (len(seen) * np.log(2 * np.pi) + log_determinant + (gap * weight).sum(axis=-1))
    gain = np.swapaxes(np.linalg.solve(inner, np.swapaxes(cross, -1, -2)), -1, -2)
    moved = means[:, hidden] + np.einsum("chs,cs->ch", cross, weight)
    shrunk = covariances[:, hidden][:, :, hidden] - gain @ np.swapaxes(cross, -1, -2)
    return logs + density, names, moved, shrunk


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
