"""A network with a target as a known model: its cases are enumerated if they are few, else sampled."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from bayou.codes import missing_code
from bayou.decisions.gaussian_classes import error_on_a_line
from bayou.decisions.known_models import KnownModel, frame_of, listed_cases, target_and_features
from bayou.errors import BadQuestion
from bayou.graphs import separated
from bayou.inference import Question, ask, draw, log_probability
from bayou.inference.rows.batch_posteriors import rows_posteriors
from bayou.networks import FrozenNetwork
from bayou.typing import ColumnArray, FloatArray, Name

LARGEST_LIST = 2**20
"""The largest number of cells (cases times classes) that is enumerated; beyond it rows are sampled."""


def known_network(network: FrozenNetwork, target: Any, features: Iterable[Name] | None) -> KnownModel:
    """Prepare the Bayes error by one of three ways: all cases, crossings of Gaussians, or sampling."""
    network.require(network.schema.names)
    goal, used = target_and_features(target, features, network.schema.names)
    if network.schema[goal].is_continuous:
        raise BadQuestion(f"{goal!r} is continuous; the Bayes error is defined for a discrete target.")
    informative = _informative(network, goal, used)
    exact = _error_of_cases(network, goal, informative)
    if exact is None:
        exact = _error_of_one_number(network, goal, informative)
    listed = None
    if _cells(network, (*used, goal)) <= LARGEST_LIST:
        joint = _joint(network, (*used, goal))
        listed = listed_cases(joint, [network.schema[name] for name in used], network.schema[goal])
    return KnownModel(
        network.schema[goal].states,
        exact_error=exact,
        joint=None if listed is None else listed.joint,
        cases=None if listed is None else listed.cases,
        draw=lambda n, seed: _draw(network, goal, used, n, seed),
    )


def _informative(network: FrozenNetwork, target: Name, features: Sequence[Name]) -> tuple[Name, ...]:
    """The features without those that the others d-separate from the target."""
    kept = list(features)
    for name in features:
        others = [other for other in kept if other != name]
        if separated(network.dag, target, name, others):
            kept = others
    return tuple(kept)


def _cells(network: FrozenNetwork, names: Sequence[Name]) -> float:
    """The number of cells of the joint table of these variables; infinite if one is continuous."""
    variables = [network.schema[name] for name in names]
    if any(variable.is_continuous for variable in variables):
        return math.inf
    return math.prod(variable.cardinality for variable in variables)


def _joint(network: FrozenNetwork, names: tuple[Name, ...]) -> FloatArray:
    table = ask(network, Question(names)).table
    assert table is not None  # all variables are discrete
    return table


def _error_of_cases(network: FrozenNetwork, target: Name, features: tuple[Name, ...]) -> float | None:
    if _cells(network, (*features, target)) > LARGEST_LIST:
        return None
    joint = _joint(network, (*features, target)).reshape(-1, network.schema[target].cardinality)
    return error_of_joint(joint)


def error_of_joint(joint: FloatArray) -> float:
    """Return the Bayes error of a joint table (cases × classes): all mass but that of each case's best class.

    >>> round(error_of_joint(np.array([[0.4, 0.1], [0.2, 0.3]])), 12)
    0.3
    """
    without = joint.copy()
    without[np.arange(len(joint)), joint.argmax(axis=1)] = 0.0
    return float(without.sum())


def _error_of_one_number(network: FrozenNetwork, target: Name, features: tuple[Name, ...]) -> float | None:
    """The exact error for one continuous feature whose only parent is the target; else None."""
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


def _draw(
    network: FrozenNetwork, target: Name, features: Sequence[Name], n: int, seed: int
) -> tuple[Any, FloatArray]:
    """Sample n rows of the features; return them and P(target | row)."""
    columns = draw(network, n, seed)
    observed = {name: columns[name] for name in features}
    frame = frame_of({network.schema[name]: column for name, column in observed.items()})
    return frame, _posterior(network, target, observed, n)


def _posterior(
    network: FrozenNetwork, target: Name, observed: dict[Name, ColumnArray], rows: int
) -> FloatArray:
    if not any(network.schema[name].is_continuous for name in observed):
        return rows_posteriors(network, [target], observed, {}, rows).tables[target]
    # log P(row, class) once per class: where no variable is hidden, much faster than one query per row.
    codes, numbers = _with_gaps(network, observed, rows)
    logs = []
    for code in range(network.schema[target].cardinality):
        codes[target] = np.full(rows, code, dtype=np.uint32)
        logs.append(log_probability(network, codes, numbers, rows))
    weights = np.stack(logs, axis=1)
    weights = np.exp(weights - weights.max(axis=1, keepdims=True))
    result: FloatArray = weights / weights.sum(axis=1, keepdims=True)
    return result


def _with_gaps(
    network: FrozenNetwork, observed: dict[Name, ColumnArray], rows: int
) -> tuple[dict[Name, Any], dict[Name, Any]]:
    """The columns of all variables (codes, and numbers); all cells are missing if it is not observed."""
    codes: dict[Name, Any] = {}
    numbers: dict[Name, Any] = {}
    for variable in network.schema:
        if variable.is_continuous:
            numbers[variable.name] = observed.get(variable.name, np.full(rows, np.nan))
        else:
            gaps = np.full(rows, missing_code(np.uint32), dtype=np.uint32)
            codes[variable.name] = observed.get(variable.name, gaps)
    return codes, numbers
