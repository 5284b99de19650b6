"""What becomes of a distribution when its parents change: one more or less, another order, other states."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from bayou.distributions import Distribution, FunctionOfParents, LinearGaussian, MaxOfCauses, NodeKind, Table
from bayou.errors import BadQuestion, listed
from bayou.graphs.separation import separated
from bayou.models.editing.network_content import NetworkContent
from bayou.models.editing.parent_weights import mean_and_variance, weights_alone, weights_given_others
from bayou.models.editing.refusals import cannot_follow, require_size
from bayou.models.editing.state_change import Codes, StateChange
from bayou.schema import Variable
from bayou.typing import FloatArray, IntArray, Name

Weights = Callable[[], FloatArray]


def with_parent_added(content: NetworkContent, child: Name, parent: Variable) -> Distribution | None:
    """Return the child's distribution with one more, last parent, which changes no probability."""
    distribution = content.distribution(child)
    if isinstance(distribution, Table | FunctionOfParents) and not parent.is_continuous:
        require_size(content.variables[child], [*content.family(child).parents, parent])
    if isinstance(distribution, Table):
        values = distribution.values[..., None, :]
        return Table(np.repeat(values, max(parent.cardinality, 1), axis=-2))
    if isinstance(distribution, FunctionOfParents):
        codes = np.repeat(distribution.codes[..., None], parent.cardinality, axis=-1)
        return FunctionOfParents(codes, distribution.states)
    if isinstance(distribution, MaxOfCauses):
        link = np.tile(np.eye(len(distribution.leak))[distribution.strength[0]], (parent.cardinality, 1))
        kind = content.kinds.get(child)
        neutral = kind.neutral(parent) if isinstance(kind, NodeKind) else 0
        links, codes_ = (*distribution.links, link), (*distribution.neutral, neutral)
        return replace(distribution, links=links, neutral=codes_)
    if isinstance(distribution, LinearGaussian):
        return _line_with_parent(distribution, parent)
    if distribution is not None:
        raise cannot_follow(content, child, f"it cannot get the parent {parent.name!r} and stay as it is")
    return None


def _line_with_parent(gaussian: LinearGaussian, parent: Variable) -> LinearGaussian:
    """Return the lines repeated for the states of a new parent, or with a slope of 0."""
    if parent.is_continuous:
        slopes = np.concatenate([gaussian.coefficients, np.zeros((*gaussian.intercept.shape, 1))], axis=-1)
        return LinearGaussian(gaussian.intercept, slopes, gaussian.variance)
    count = parent.cardinality
    return LinearGaussian(
        np.repeat(gaussian.intercept[..., None], count, axis=-1),
        np.repeat(gaussian.coefficients[..., None, :], count, axis=-2),
        np.repeat(gaussian.variance[..., None], count, axis=-1),
    )


def with_parents_ordered(content: NetworkContent, child: Name, order: Sequence[Name]) -> Distribution | None:
    """Return the child's distribution with its parents in another order; no probability changes."""
    distribution, old = content.distribution(child), content.dag.parents(child)
    places = [old.index(name) for name in order]
    if distribution is None or tuple(order) == old:
        return distribution
    if isinstance(distribution, Table):
        return Table(np.ascontiguousarray(np.transpose(distribution.values, [*places, len(places)])))
    if isinstance(distribution, FunctionOfParents):
        codes = np.ascontiguousarray(np.transpose(distribution.codes, places))
        return FunctionOfParents(codes, distribution.states)
    if isinstance(distribution, MaxOfCauses):
        links = tuple(distribution.links[k] for k in places)
        return replace(distribution, links=links, neutral=tuple(distribution.neutral[k] for k in places))
    if isinstance(distribution, LinearGaussian):
        discrete = [name for name in old if not content.is_real(name)]
        numbers = [name for name in old if content.is_real(name)]
        axes = [discrete.index(name) for name in order if name in discrete]
        slopes = [numbers.index(name) for name in order if name in numbers]
        return LinearGaussian(
            np.transpose(distribution.intercept, axes),
            np.transpose(distribution.coefficients, [*axes, len(axes)])[..., slopes],
            np.transpose(distribution.variance, axes),
        )
    raise cannot_follow(content, child, "the order of its parents is that of its parameters")


def without_parent(content: NetworkContent, child: Name, parent: Name) -> Distribution | None:
    """Return the child's distribution averaged over a parent that goes.

    A table and the lines of a Gaussian are averaged by P(parent | other parents) (a Gaussian gets the mean
    and the variance of the mixture); a real-valued parent is replaced by its mean, and its variance is added.
    The leak of a noisy node takes what the cause does on average, by P(parent).
    """
    distribution = content.distribution(child)
    if distribution is None:
        return None
    if content.is_real(parent):
        return _without_slope(content, child, parent, distribution)
    if isinstance(distribution, MaxOfCauses):
        return _into_leak(content, child, parent, distribution)
    every = (tuple(range(content.variables[parent].cardinality)),)
    averaged = _with_rows(content, child, parent, every, distribution)
    axis = _axis(content, child, parent)
    if isinstance(averaged, Table):
        return Table(averaged.values.squeeze(axis))
    if isinstance(averaged, FunctionOfParents):
        return FunctionOfParents(averaged.codes.squeeze(axis), averaged.states)
    assert isinstance(averaged, LinearGaussian)
    return LinearGaussian(
        averaged.intercept.squeeze(axis), averaged.coefficients.squeeze(axis), averaged.variance.squeeze(axis)
    )


def _without_slope(
    content: NetworkContent, child: Name, parent: Name, distribution: Distribution
) -> LinearGaussian:
    """The Gaussian without a continuous parent x: its mean gets b·E[x], its variance b²·Var[x]."""
    if not isinstance(distribution, LinearGaussian):
        raise cannot_follow(content, child, f"it cannot lose its parent {parent!r}")
    _require_independent(content, child, parent)
    numbers = [name for name in content.dag.parents(child) if content.is_real(name)]
    place = numbers.index(parent)
    mean, variance = mean_and_variance(content, child, parent)
    slope = distribution.coefficients[..., place]
    return LinearGaussian(
        distribution.intercept + slope * mean,
        np.delete(distribution.coefficients, place, axis=-1),
        distribution.variance + slope**2 * variance,
    )


def _require_independent(content: NetworkContent, child: Name, parent: Name) -> None:
    """Refuse a real-valued parent that says something about the other parents: E[x] alone would be wrong."""
    others = [name for name in content.dag.parents(child) if name != parent]
    if others and not separated(content.dag, [parent], others):
        raise BadQuestion(
            f"{child!r} cannot lose its parent {parent!r} alone: its mean depends on the other parents "
            f"({listed(others)}), and the line would be wrong for their states. net.absorb_node({parent!r}) "
            f"sums it out exactly; or drop the parameters first: net.clear_table({child!r})."
        )


def _into_leak(content: NetworkContent, child: Name, parent: Name, node: MaxOfCauses) -> MaxOfCauses:
    """The noisy node without a cause x: F(y) = P(proposal ≤ y) of the leak times Σ_x P(x) F(y | x)."""
    place = content.dag.parents(child).index(parent)
    order = list(node.strength)
    proposed = weights_alone(content, child, parent) @ node.links[place]
    below = np.cumsum(node.leak[order]) * np.cumsum(proposed[order])
    leak = np.empty_like(node.leak)
    leak[order] = np.diff(below, prepend=0.0)
    links = (*node.links[:place], *node.links[place + 1 :])
    neutral = (*node.neutral[:place], *node.neutral[place + 1 :])
    return replace(node, links=links, leak=leak / leak.sum(), neutral=neutral)


def with_parent_states(content: NetworkContent, child: Name, change: StateChange) -> Distribution | None:
    """Return the child's distribution for the new states of a parent: rows taken over, or averaged."""
    distribution, parent = content.distribution(child), change.old.name
    if distribution is None or change.keeps_order:
        return distribution
    if isinstance(distribution, Table) and len(change.rows) > change.old.cardinality:
        others = [variable for variable in content.family(child).parents if variable.name != parent]
        require_size(content.variables[child], [*others, change.new])
    if isinstance(distribution, MaxOfCauses):
        return _link_with_rows(content, child, change, distribution)
    return _with_rows(content, child, parent, change.rows, distribution)


def _with_rows(
    content: NetworkContent, child: Name, parent: Name, rows: Sequence[Codes], distribution: Distribution
) -> Distribution:
    """The distribution with a row of a parent per entry of ``rows``: that of one code, or an average."""
    axis = _axis(content, child, parent)
    count = sum(not content.is_real(name) for name in content.dag.parents(child))

    @cache
    def weights() -> FloatArray:
        return weights_given_others(content, child, parent)

    if isinstance(distribution, Table):
        return Table(_mixed(distribution.values, axis, count, rows, weights))
    if isinstance(distribution, FunctionOfParents):
        return FunctionOfParents(_agreed(content, child, distribution, axis, rows), distribution.states)
    if isinstance(distribution, LinearGaussian):
        return _mixed_lines(content, child, distribution, axis, rows, weights)
    raise cannot_follow(content, child, f"it cannot follow the states of its parent {parent!r}")


def _axis(content: NetworkContent, child: Name, parent: Name) -> int:
    """The place of a parent among the child's parents with states."""
    return [name for name in content.dag.parents(child) if not content.is_real(name)].index(parent)


def _mixed(values: FloatArray, axis: int, count: int, rows: Sequence[Codes], weights: Weights) -> FloatArray:
    """The slices of an axis, one per entry of ``rows``; those with several codes are weighted averages.

    The first ``count`` axes are those of the parents with states.
    """
    slices = []
    for codes in rows:
        if len(codes) == 1:
            slices.append(np.take(values, codes[0], axis=axis))
            continue
        share = _shares(weights(), codes)
        share = share.reshape(*share.shape, *[1] * (values.ndim - count))
        chosen = np.moveaxis(np.take(values, codes, axis=axis), axis, count - 1)
        slices.append((share * chosen).sum(axis=count - 1))
    return np.stack(slices, axis=axis)


def _shares(weights: FloatArray, codes: Codes) -> FloatArray:
    """The weights of some codes, which sum to 1; even ones where all are 0."""
    chosen = weights[..., list(codes)]
    total = chosen.sum(axis=-1, keepdims=True)
    shares: FloatArray = np.where(total > 0, chosen / np.where(total > 0, total, 1.0), 1 / len(codes))
    return shares


def _agreed(
    content: NetworkContent, child: Name, function: FunctionOfParents, axis: int, rows: Sequence[Codes]
) -> IntArray:
    """The function's codes for new rows; several old rows must have the same values."""
    slices = []
    for codes in rows:
        chosen = np.take(function.codes, codes, axis=axis)
        first = np.take(chosen, 0, axis=axis)
        if np.any(chosen != np.expand_dims(first, axis)):
            raise cannot_follow(content, child, "its values differ, so their average is not a function")
        slices.append(first)
    return np.stack(slices, axis=axis)


def _mixed_lines(
    content: NetworkContent,
    child: Name,
    gaussian: LinearGaussian,
    axis: int,
    rows: Sequence[Codes],
    weights: Weights,
) -> LinearGaussian:
    """The lines for new rows; several old ones become one with the mean and the variance of their mixture."""
    count = gaussian.intercept.ndim
    parts = []
    for codes in rows:
        if np.any(np.ptp(np.take(gaussian.coefficients, codes, axis=axis), axis=axis)):
            raise cannot_follow(content, child, "its slopes differ, so their mixture is not a line")
        centre = _mixed(gaussian.intercept, axis, count, [codes], weights)
        gaps = (gaussian.intercept - centre) ** 2 if len(codes) > 1 else 0.0
        spread = _mixed(gaussian.variance + gaps, axis, count, [codes], weights)
        parts.append((centre, np.take(gaussian.coefficients, codes[:1], axis=axis), spread))
    return LinearGaussian(*(np.concatenate(part, axis=axis) for part in zip(*parts, strict=True)))


def _link_with_rows(
    content: NetworkContent, child: Name, change: StateChange, node: MaxOfCauses
) -> MaxOfCauses:
    """The noisy node with new rows of one link; several are averaged by the probabilities of the parent."""
    place = content.dag.parents(child).index(change.old.name)
    old, neutral = node.links[place], node.neutral[place]
    link = _mixed(old, 0, 1, change.rows, lambda: weights_alone(content, child, change.old.name))
    found = change.place(neutral)
    if neutral >= 0 and (found is None or change.rows[found] != (neutral,)):
        what = f"{change.old.states[neutral]!r} is the state of {change.old.name!r} without effect on it"
        raise cannot_follow(content, child, what)
    links = (*node.links[:place], link, *node.links[place + 1 :])
    marks = (*node.neutral[:place], -1 if found is None else found, *node.neutral[place + 1 :])
    return replace(node, links=links, neutral=marks)
