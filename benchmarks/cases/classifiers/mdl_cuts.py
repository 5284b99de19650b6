"""MDL cuts of many columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from case import Case, Work

ROWS, COLUMNS, CLASSES = 500_000, 20, 3


def _table(scale: float) -> tuple[np.ndarray, np.ndarray]:
    chance = np.random.default_rng(13)
    labels = chance.integers(0, CLASSES, int(ROWS * scale))
    values = chance.normal(size=(len(labels), COLUMNS)) + labels[:, None] * chance.random(COLUMNS) * 2
    return values, labels


def bayou_discretizer(scale: float) -> Work:
    """``MDLDiscretizer.fit``."""
    import bayou

    values, labels = _table(scale)
    model = bayou.MDLDiscretizer()  # loads scikit-learn, which is not what is measured
    return Work(
        lambda: model.fit(values, labels),
        lambda model: float(sum(np.sum(1 + cuts**2) for cuts in model.cuts_.values())),
        values.nbytes,
    )


def orange(scale: float) -> Work:
    """``EntropyMDL`` on a table that is already Orange's own."""
    from Orange.data import ContinuousVariable, DiscreteVariable, Domain, Table
    from Orange.preprocess.discretize import EntropyMDL

    values, labels = _table(scale)
    domain = Domain(
        [ContinuousVariable(f"x{j}") for j in range(COLUMNS)],
        DiscreteVariable("y", values=tuple(str(k) for k in range(CLASSES))),
    )
    table = Table.from_numpy(domain, values, labels.astype(float))

    def check(found: Any) -> float:
        points = [np.asarray(variable.compute_value.points, dtype=float) for variable in found]
        return float(sum(np.sum(1 + cuts**2) for cuts in points))

    return Work(
        lambda: [EntropyMDL()(table, variable) for variable in domain.attributes], check, values.nbytes
    )


CASE = Case(
    "mdl_cuts",
    "MDL cuts, 500,000 rows × 20 columns, 3 classes",
    {"bayou": bayou_discretizer, "Orange3": orange},
    targets={"Orange3": 10},
    note="The check is the sum of 1 + cut² over all cuts: their number and places.",
)
