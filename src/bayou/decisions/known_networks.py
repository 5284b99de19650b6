"""A network with a target as a known model: its cases listed while they are few, else drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from bayou.decisions.gaussian_classes import error_on_a_line
from bayou.decisions.known_models import KnownModel, frame_of, listed_cases, target_and_features
from bayou.errors import BadQuestion
from bayou.graphs import separated
from bayou.inference import Question, ask, draw, log_probability
from bayou.inference.rows.batch_posteriors import rows_posteriors
from bayou.networks import FrozenNetwork
from bayou.typing import ColumnArray, FloatArray, Name

LARGEST_LIST = 2**20
"""The most cells (cases times classes) that are listed one by one; beyond it rows are drawn."""


def known_network(network: FrozenNetwork, target: Any, features: Iterable[Name] | None) -> KnownModel:
    """The Bayes error in one of three ways: over all cases, by the crossings of Gaussians, or by drawing."""
    network.require(network.schema.names)
    goal, used = target_and_features(target, features, network.schema.names)
    if network.schema[goal].is_continuous:
        raise BadQuestion(f"{goal!r} is continuous; the Bayes error is that of telling states apart.")
    telling = _telling(network, goal, used)
    exact = _error_of_cases(network, goal, telling)
    if exact is None:
        exact = _error_of_one_number(network, goal, telling)
    listed = None
    if _cells(network, (*used, goal)) <= LARGEST_LIST:
        joint = _joint(network, (*used, goal))
        listed = listed_cases(joint, [network.schema[name] for name in used], network.schema[goal])
    return KnownModel(
        network.schema[goal].states,
        exact_error=exact,
        joint=None if listed is None else listed.joint,
        cases=None if listed is None else listed.cases,
        drawn=lambda n, seed: _drawn(network, goal, used, n, seed),
    )


def _telling(network: FrozenNetwork, target: Name, features: Sequence[Name]) -> tuple[Name, ...]:
    """The features that tell something which the others do not: the rest is d-separated from the target."""
    kept = list(features)
    for name in features:
        others = [other for other in kept if other != name]
        if separated(network.dag, target, name, others):
            kept = others
    return tuple(kept)


def _cells(network: FrozenNetwork, names: Sequence[Name]) -> float:
    """How many cells the joint table of these variables has; a real number has no end of values."""
    variables = [network.schema[name] for name in names]
    if any(variable.is_continuous for variable in variables):
        return math.inf
    return math.prod(variable.cardinality for variable in variables)


def _joint(network: FrozenNetwork, names: tuple[Name, ...]) -> FloatArray:
    table = ask(network, Question(names)).table
    assert table is not None  # all of them are discrete
    return table


def _error_of_cases(network: FrozenNetwork, target: Name, features: tuple[Name, ...]) -> float | None:
    if _cells(network, (*features, target)) > LARGEST_LIST:
        return None
    joint = _joint(network, (*features, target)).reshape(-1, network.schema[target].cardinality)
    return error_of_joint(joint)


def error_of_joint(joint: FloatArray) -> float:
    """What is left of each case when its most probable class is taken away (cases × classes).

    >>> round(error_of_joint(np.array([[0.4, 0.1], [0.2, 0.3]])), 12)
    0.3
    """
    without = joint.copy()
    without[np.arange(len(joint)), joint.argmax(axis=1)] = 0.0
    return float(without.sum())


def _error_of_one_number(network: FrozenNetwork, target: Name, features: tuple[Name, ...]) -> float | None:
    """One real feature whose only parent is the target: Gaussians on a line."""
    if len(features) != 1 or not network.schema[features[0]].is_continuous:
        return None
    (name,) = features
    if network.dag.parents(name) != (target,):
        return None
    gaussian = network.gaussian(name)
    variances = np.asarray(gaussian.variance, dtype=np.float64)
    if (variances <= 0).any():
        return None
    means = np.asarray(gaussian.intercept, dtype=np.float64)
    return error_on_a_line(means, np.sqrt(variances), _joint(network, (target,)))


def _drawn(
    network: FrozenNetwork, target: Name, features: Sequence[Name], n: int, seed: int
) -> tuple[Any, FloatArray]:
    """Rows of the features, and P(target | row)."""
    columns = draw(network, n, seed)
    found = {name: columns[name] for name in features}
    shown = frame_of({network.schema[name]: column for name, column in found.items()})
    return shown, _posterior(network, target, found, n)


def _posterior(network: FrozenNetwork, target: Name, found: dict[Name, ColumnArray], rows: int) -> FloatArray:
    if not any(network.schema[name].is_continuous for name in found):
        return rows_posteriors(network, [target], found, {}, rows).tables[target]
    # A plain product a class, where nothing is hidden: many times faster than a question a row.
    codes, numbers = _with_gaps(network, found, rows)
    logs = []
    for code in range(network.schema[target].cardinality):
        codes[target] = np.full(rows, code, dtype=np.uint32)
        logs.append(log_probability(network, codes, numbers, rows))
    weights = np.stack(logs, axis=1)
    weights = np.exp(weights - weights.max(axis=1, keepdims=True))
    result: FloatArray = weights / weights.sum(axis=1, keepdims=True)
    return result


def _with_gaps(
    network: FrozenNetwork, found: dict[Name, ColumnArray], rows: int
) -> tuple[dict[Name, Any], dict[Name, Any]]:
    """Every variable's column, missing where it is no feature: codes, and numbers."""
    codes: dict[Name, Any] = {}
    numbers: dict[Name, Any] = {}
    for variable in network.schema:
        if variable.is_continuous:
            numbers[variable.name] = found.get(variable.name, np.full(rows, np.nan))
        else:
            gaps = np.full(rows, np.iinfo(np.uint32).max, dtype=np.uint32)
            codes[variable.name] = found.get(variable.name, gaps)
    return codes, numbers
