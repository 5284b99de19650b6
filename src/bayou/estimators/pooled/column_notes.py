"""How an ensemble of many small models reads a column, and in how many training rows it is missing."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from bayou.errors import counted
from bayou.estimators.pooled.column_readings import read_as
from bayou.estimators.pooled.frozen.ensemble_statistics import overflows, sample_request
from bayou.estimators.pooled.training_rows import NUMBERS, TEXTS
from bayou.schema import Variable
from bayou.statistics import Statistics
from bayou.typing import Name


def reading_of(kind: str, variable: Variable | None) -> str:
    """How a column of a kind is read, in words.

    >>> reading_of("float", None), reading_of("str", Variable("city", ["u", "v"]))
    ('numbers', '2 states')
    """
    read = read_as(kind)
    if read == NUMBERS:
        return "numbers"
    return (
        "words" if read == TEXTS else "states" if variable is None else counted(variable.cardinality, "state")
    )


def gaps_of(statistics: Statistics, names: Iterable[Name]) -> dict[Name, float]:
    """The weight of the training rows without a number in each column; none where not all rows are kept."""
    request = sample_request(statistics)
    if request is None or overflows(statistics[request]):
        return {}
    sample = statistics[request]
    held = {name: sample.held(name) for name in names if name in sample.values}
    return {
        name: float(sample.weights[np.isnan(column)].sum())
        for name, column in held.items()
        if isinstance(column, np.ndarray)
    }
