"""One network per class: all have the same variables and states, each has its own counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from bayou.errors import BadQuestion
from bayou.estimators.input.labelled_source import LabelledSource
from bayou.estimators.widest_variance import widest_variance
from bayou.fitting.fitted_parameters import FittedParameters
from bayou.learning import PriorChoice, collect, domains, estimate
from bayou.models.network import Network
from bayou.networks import Structure
from bayou.schema import Variable
from bayou.statistics import (
    GroupMoments,
    MissingCounts,
    Moments,
    Request,
    Result,
    Source,
    Statistics,
    ValueHistogram,
)
from bayou.statistics.labels import union
from bayou.typing import FloatArray, Name, State

Key = tuple[str, State]
"""A class by its state key: 1, "1" and True are three classes."""


def independent_network(whole: Source) -> Network:
    """Return a network without arcs over the columns that have values: one per class is naive Bayes."""
    request = MissingCounts(whole.names)
    found = whole.collect([request])[request]
    names = [name for name, gaps in zip(whole.names, found.gaps, strict=True) if gaps < found.rows]
    return Network(dict.fromkeys(names, ()))


def structure_for(template: Network, whole: Source) -> Structure:
    """Return the template's structure with columns of real numbers declared continuous.

    So they stay continuous, whatever later rows look like.
    """
    declared = dict(template.structure.declared)
    for name in template.names:
        if name not in declared and name in whole.names and whole.variable(name).is_continuous:
            declared[name] = Variable(name)
    return replace(template.structure, declared=declared)


def class_statistics(
    structure: Structure,
    rows: LabelledSource,
    state: State,
    whole: Source,
    before: Mapping[Name, Variable],
) -> Statistics:
    """Return the statistics of one class's rows for its network; states are those of the rows of all classes.

    A column without values in these rows has the states that it had ``before``.
    """
    found = {name: _variable(name, whole, before) for name in structure.undeclared if name in whole.names}
    variables = [*structure.declared.values(), *found.values()]
    return collect(structure, rows.of_class(state, structure.dag.nodes, structure.declared, variables), found)


def _variable(name: Name, whole: Source, before: Mapping[Name, Variable]) -> Variable:
    """The variable of a counted column; if it holds real numbers in these rows, they are its states."""
    if name in before and not whole.has_values(name):
        return before[name]
    found = whole.variable(name)
    if not found.is_continuous:
        return found
    request = ValueHistogram(name)
    values = np.unique(whole.collect([request])[request].values).tolist()
    integral = all(value.is_integer() for value in values)
    return Variable(name, [int(value) for value in values] if integral else values)


def class_networks(
    structures: Mapping[Key, Structure],
    statistics: Mapping[Key, Statistics],
    prior: object,
    var_smoothing: float,
) -> dict[Key, Network]:
    """Return the fitted network of each class; a state that occurs in one class is a state in all of them."""
    variables: dict[Name, Variable] = {}
    for key, counted in statistics.items():
        for name, variable in domains(structures[key], counted).items():
            variables[name] = union(variables[name], variable) if name in variables else variable
    widest = widest_variance(result for counted in statistics.values() for result in counted.values())
    floor = var_smoothing * widest or var_smoothing
    every = _of_all_classes(statistics)
    networks = {}
    for key, own in statistics.items():
        counted = _helped(own, every)
        declared = {name: variables[name] for name in structures[key].dag.nodes}
        structure = replace(structures[key], declared=declared)
        priors = PriorChoice.from_user(prior, (*structure.dag.nodes, *structure.sharing))
        frozen = estimate(structure, _widened(counted, floor), priors)
        networks[key] = Network.from_parts(frozen, FittedParameters(frozen, counted, priors), declared)
    require_comparable(list(networks.values()))
    return networks


def _of_all_classes(statistics: Mapping[Key, Statistics]) -> dict[Request, GroupMoments]:
    """The moments of numbers within all classes that model them alike, added up."""
    every: dict[Request, GroupMoments] = {}
    for counted in statistics.values():
        for request, result in counted.items():
            if isinstance(request, Moments) and isinstance(result, GroupMoments):
                every[request] = every[request] + result if request in every else result
    return every


def _helped(statistics: Statistics, every: Mapping[Request, GroupMoments]) -> Statistics:
    """The statistics of a class, with the moments of all classes where its rows are too few.

    Numbers of which it has no value are distributed as in all classes. With fewer rows than a covariance
    needs it has its own mean, and the covariance of all rows: a class of one row would else be a point.
    """
    results: dict[Request, Result] = dict(statistics)
    for request, result in statistics.items():
        if not isinstance(result, GroupMoments) or request not in every:
            continue
        pooled, rows = every[request], float(result.n.sum())
        if not rows:
            results[request] = pooled
        elif rows <= result.scatter.shape[-1] and pooled.n.sum() > rows:
            whole = _covariance(pooled)
            results[request] = replace(result, scatter=result.scatter + result.n[..., None, None] * whole)
    return Statistics(results, statistics.rows)


def _covariance(moments: GroupMoments) -> FloatArray:
    """The covariance of all rows, whatever their group."""
    n = moments.n.ravel()
    mean = moments.mean.reshape(len(n), -1)
    away = mean - n @ mean / n.sum()
    scatter = moments.scatter.reshape(len(n), *moments.scatter.shape[-2:]).sum(axis=0)
    result: FloatArray = (scatter + np.einsum("g,gi,gj->ij", n, away, away)) / n.sum()
    return result


def _widened(statistics: Statistics, floor: float) -> Statistics:
    """Add ``floor`` to the variance of every Gaussian, so that a column may be constant in a class."""
    results: dict[Request, Result] = dict(statistics)
    for request, result in statistics.items():
        if isinstance(request, Moments) and isinstance(result, GroupMoments):
            scatter = result.scatter.copy()
            scatter[..., -1, -1] += floor * result.n
            results[request] = replace(result, scatter=scatter)
    return Statistics(results, statistics.rows)


def require_comparable(networks: Sequence[Network]) -> None:
    """Check that networks have the same variables and states, so that their probabilities can be compared."""
    for other in networks[1:]:
        first = networks[0]
        if set(first.names) != set(other.names):
            lone = next(
                name
                for name in (*first.names, *other.names)
                if (name in first.names) != (name in other.names)
            )
            raise BadQuestion(
                f"The networks of the classes have different variables ({lone!r} is not in all of them), so "
                "their probabilities cannot be compared."
            )
        for name in first.names:
            one, two = first.variables[name], other.variables[name]
            if one.is_continuous != two.is_continuous or set(one.states) != set(two.states):
                raise BadQuestion(
                    f"{name!r} has different states in the networks of two classes, so their probabilities "
                    "cannot be compared. Declare the same states= in both before they are fitted."
                )
