"""P(finding | class) as text: the counts, means or rates that it comes from."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayou.distributions import CODES, NUMBERS, Prior
from bayou.estimators.gaussian.gaussian_model import GaussianModel
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.input.one_row import OneRow
from bayou.estimators.naive_bayes.feature_densities import FeatureDensity
from bayou.estimators.networks.network_model import NetworkModel
from bayou.explain.class_working import WorkingFactor, fraction, number
from bayou.explain.smallest_change import value_text
from bayou.statistics import Counts, CountTable
from bayou.typing import FloatArray, Name

_SAME = 1e-9
"""Two probabilities that differ by at most this are taken to be equal."""


def factor(density: FeatureDensity, row: FeatureTable, code: int) -> WorkingFactor:
    """Return the factor of a row's value in class ``code``, as text and number."""
    log = float(density.log_density(row)[0, code])
    distribution = density.distribution
    if distribution.values_are == CODES:
        counts = density.counts_behind(int(density.codes(row)[0][0]), code)
        if counts is not None:
            return share(*counts, log)
    behind = distribution.parameter_text(code) or f"density {number(log)}"
    written = None
    if distribution.values_are == NUMBERS:
        written = distribution.notation(value_text(float(row.numbers(density.variable.name)[0])), code)
    text, latex = (number(log), number(log)) if written is None else written
    return WorkingFactor(text, latex, log, behind, is_fraction=False)


def share(count: float, total: float, added: float, added_total: float, log: float) -> WorkingFactor:
    """Return a smoothed share of counts as a fraction; as a number if the model's probability is another.

    That is so if the user gave the probability.
    """
    behind = f"{count:g} of {total:g}" if total else ""
    whole = total + added_total
    value = (count + added) / whole if whole > 0 else np.nan
    if not abs(value - np.exp(log)) <= _SAME:
        return WorkingFactor(number(log), number(log), log, behind)
    text, latex = fraction(count, total, added, added_total)
    return WorkingFactor(text, latex, log, behind)


def prior_factors(
    log_prior: FloatArray, counts: Counts | None, prior: Prior | None
) -> tuple[WorkingFactor, ...]:
    """Return P(class) of each class, as a share of the counted rows if it is one."""
    if counts is None or prior is None:
        return tuple(WorkingFactor(number(float(log)), number(float(log)), float(log)) for log in log_prior)
    own = counts.values.astype(np.float64)
    added = np.broadcast_to(np.asarray(prior.pseudocounts(counts.axes[0], []), dtype=np.float64), own.shape)
    parts = zip(own.tolist(), added.tolist(), log_prior.tolist(), strict=True)
    return tuple(share(n, float(own.sum()), a, float(added.sum()), log) for n, a, log in parts)


def gaussian_column(model: GaussianModel, place: int, code: int) -> str:
    """Return the mean and variance of one column in a class, as text."""
    variance = float(model.covariance(code)[place, place])
    return f"mean {float(model.means[code, place]):.4g}, variance {variance:.4g}"


def family_count_text(model: Any, row: OneRow, name: Name, code: int) -> str:
    """Return the count of the row's value given the class and its parents' values, such as '2 of 9'.

    Empty if the model is not a network, or the class is not a parent of the feature.
    """
    if not isinstance(model, NetworkModel) or name not in model.network.dag.nodes:
        return ""
    parents = model.network.dag.parents(name)
    counts = model.learned.statistics[CountTable((*parents, name))]
    if model.target not in parents:
        return ""
    place: list[int] = []
    for axis in counts.axes:
        own = row.values.get(axis.name)
        state = axis.find(
            model.network.schema[model.target].states[code] if axis.name == model.target else own
        )
        if state is None:
            return ""
        place.append(state)
    cells = counts.values[tuple(place[:-1])]
    return f"{cells[place[-1]]:g} of {cells.sum():g}"
