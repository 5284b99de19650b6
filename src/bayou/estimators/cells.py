"""What stands behind P(finding | class): counts, means or rates, as people write them."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from bayou.distributions import Prior
from bayou.estimators.densities import (
    Density,
    GaussianDensity,
    KernelShape,
    PoissonDensity,
    TableDensity,
)
from bayou.estimators.gaussian_model import GaussianModel
from bayou.estimators.network_model import NetworkModel
from bayou.estimators.one_row import OneRow
from bayou.estimators.table_input import FeatureTable
from bayou.explain.class_working import Factor, fraction, number
from bayou.explain.flips import value_text
from bayou.statistics import Counts, CountTable
from bayou.typing import FloatArray, Name

_SAME = 1e-9


@singledispatch
def factor(density: Density, row: FeatureTable, code: int) -> Factor:
    """The factor that a row's value contributes to class ``code``; others may register their densities."""
    log = float(density.log_density(row)[0, code])
    return Factor(number(log), number(log), log, f"density {number(log)}", is_fraction=False)


@factor.register
def _(density: TableDensity, row: FeatureTable, code: int) -> Factor:
    log = float(density.log_density(row)[0, code])
    place = int(density.codes(row)[0][0])
    states = density.variable.cardinality
    counts, added = density.counts[code], density.pseudocounts[code]
    if place < states:
        return share(float(counts[place]), float(counts.sum()), float(added[place]), float(added.sum()), log)
    extra = float(added.mean()) if states else 0.0
    return share(0.0, float(counts.sum()), extra, float(added.sum()) + extra, log)


@factor.register
def _(density: GaussianDensity, row: FeatureTable, code: int) -> Factor:
    log = float(density.log_density(row)[0, code])
    mean, variance = float(density.mean[code]), float(density.variance[code])
    value = value_text(float(row.numbers(density.variable.name)[0]))
    inside = f"{value}; {mean:.4g}, {variance:.4g}"
    behind = f"mean {mean:.4g}, variance {variance:.4g}"
    return Factor(f"N({inside})", rf"\mathcal{{N}}({inside})", log, behind, is_fraction=False)


@factor.register
def _(density: PoissonDensity, row: FeatureTable, code: int) -> Factor:
    log = float(density.log_density(row)[0, code])
    rate = float(density.rate[code])
    inside = f"{value_text(float(row.numbers(density.variable.name)[0]))}; {rate:.4g}"
    text, latex = f"Poisson({inside})", rf"\operatorname{{Poisson}}({inside})"
    return Factor(text, latex, log, f"rate {rate:.4g}", is_fraction=False)


@factor.register
def _(density: KernelShape, row: FeatureTable, code: int) -> Factor:
    log = float(density.log_density(row)[0, code])
    inside = value_text(float(row.numbers(density.variable.name)[0]))
    values, width = len(density.density.points[code]), float(density.density.bandwidths[code])
    behind = f"{values} bump{'s' if values != 1 else ''} of width {width:.4g}"
    text, latex = f"kernel({inside})", rf"\operatorname{{kernel}}({inside})"
    return Factor(text, latex, log, behind, is_fraction=False)


def share(count: float, total: float, added: float, added_total: float, log: float) -> Factor:
    """A smoothed share of counts; the plain number where the model's own is another (a stated prior)."""
    behind = f"{count:g} of {total:g}" if total else ""
    whole = total + added_total
    value = (count + added) / whole if whole > 0 else np.nan
    if not abs(value - np.exp(log)) <= _SAME:
        return Factor(number(log), number(log), log, behind)
    text, latex = fraction(count, total, added, added_total)
    return Factor(text, latex, log, behind)


def prior_factors(log_prior: FloatArray, counts: Counts | None, prior: Prior | None) -> tuple[Factor, ...]:
    """P(class) for each class, as a share of the counted rows where it is one."""
    if counts is None or prior is None:
        return tuple(Factor(number(float(log)), number(float(log)), float(log)) for log in log_prior)
    own = counts.values.astype(np.float64)
    added = np.broadcast_to(np.asarray(prior.pseudocounts(counts.axes[0], []), dtype=np.float64), own.shape)
    parts = zip(own.tolist(), added.tolist(), log_prior.tolist(), strict=True)
    return tuple(share(n, float(own.sum()), a, float(added.sum()), log) for n, a, log in parts)


def gaussian_column(model: GaussianModel, place: int, code: int) -> str:
    """In a Gaussian of all columns: mean and variance of one of them in a class."""
    variance = float(model.covariance(code)[place, place])
    return f"mean {float(model.means[code, place]):.4g}, variance {variance:.4g}"


def family_counts(model: Any, row: OneRow, name: Name, code: int) -> str:
    """In a network: how many rows of the class, with the parents' values, show the row's value ('2 of 9')."""
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
