"""The picture of P(column | class): what a naive Bayes has learned about one column."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayou import plots
from bayou.distributions import CODES, TEXTS
from bayou.errors import BadQuestion, UnknownVariable
from bayou.estimators.naive_bayes.naive_model import NaiveModel
from bayou.schema import state_labels
from bayou.typing import Name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_POINTS, _NOTHING = 401, 1e-3


def density_picture(model: NaiveModel, name: Name, ax: Axes | None) -> Axes:
    """Draw P(column | class): curves over likely numbers, or bars over states."""
    found = {density.variable.name: density for density in model.densities}
    if name not in found:
        raise UnknownVariable.named(name, list(found), "among the features")
    distribution, variable = found[name].distribution, found[name].variable
    if distribution.values_are == TEXTS:
        raise BadQuestion(f"{name!r} holds texts: P(text | class) is a product over words, not a curve.")
    classes = state_labels(model.classes.states)
    if distribution.values_are == CODES:
        codes = np.arange(variable.cardinality, dtype=np.uint32)
        shares = np.exp(distribution.log_density_by_group(codes))
        return plots.state_bars(classes, state_labels(variable.states), shares, str(name), ax)
    numbers = np.array(distribution.likely_values(_POINTS), dtype=np.float64)
    numbers = numbers[numbers >= distribution.smallest]
    densities = np.exp(distribution.log_density_by_group(numbers))
    largest = densities.max(axis=1)
    seen = np.flatnonzero(
        largest > _NOTHING * largest.max()
    )  # the ends where no class has any values say nothing
    shown = slice(max(seen[0] - 1, 0), seen[-1] + 2)
    numbers, densities = numbers[shown], densities[shown]
    return plots.density_curves(classes, numbers, densities, str(name), ax)
