"""How an ensemble of many small models reads a column, and in how many training rows it is missing."""

from __future__ import annotations

from typing import Any

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


def gaps_of(statistics: Any, name: Name) -> float | None:
    """The weight of the training rows without a number in a column; None where not all rows are kept."""
    request = sample_request(statistics) if isinstance(statistics, Statistics) else None
    if request is None:
        return None
    sample = statistics[request]
    if name not in sample.values:
        return None
    held = sample.held(name)
    if overflows(sample) or not isinstance(held, np.ndarray):
        return None
    return float(sample.weights[np.isnan(held)].sum())
