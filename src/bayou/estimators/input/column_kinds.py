"""What a column of features is, by its type and its values: numbers, states or free texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.schema import is_number
from bayou.sources.tables.arrays import number_column
from bayou.sources.tables.columns import Column, NumberColumn
from bayou.sources.tables.objects import is_integral
from bayou.typing import State

FEW_VALUES = 10
"""Whole numbers with at most this many different values are states; others are cut into ranges."""
_FIRST = 100
"""Rows of a matrix that show whether a column may have whole numbers only."""


def kind_of_column(column: Column) -> str:
    """Return the kind of a column, by its type and its labels; see :meth:`LabelledSource.kind`."""
    if isinstance(column, NumberColumn):
        return column.kind
    if all(isinstance(label, bool) for label in column.labels):
        return "bool"
    if all(is_number(label) for label in column.labels):
        return "int" if all(isinstance(label, int) for label in column.labels) else "float"
    return "text" if are_texts(column.labels, len(column) - column.gaps) else "states"


def are_truth_values(column: Column) -> bool:
    """Return whether a column has True or False in some cell, and nothing else besides gaps."""
    if isinstance(column, NumberColumn) or not column.labels:
        return False
    return all(isinstance(label, bool) for label in column.labels)


def kind_of_floats(values: npt.NDArray[Any]) -> str:
    """The kind of a column of a matrix; the first rows of nearly all measurements show a fraction."""
    first = values[:_FIRST].astype(np.float64)
    if not is_integral(first[~np.isnan(first)]):
        return "float"
    return number_column(values.astype(np.float64, copy=False)).kind


def are_texts(labels: Sequence[State], seen: float) -> bool:
    """Return whether labels are free texts, not states: mostly distinct, and mostly of three words or more.

    ``seen`` is the number of cells that are not missing.
    """
    texts = [label for label in labels if isinstance(label, str)]
    if len(texts) < len(labels) or len(texts) < 10 or len(texts) < seen / 2:
        return False
    return sum(len(text.split()) >= 3 for text in texts) > len(texts) / 2


def few_whole_numbers(column: NumberColumn) -> bool:
    """Whether a column has whole numbers of at most ``FEW_VALUES`` different values."""
    if column.kind != "int":
        return False
    seen = column.values[~np.isnan(column.values)]
    return len(np.unique(seen)) <= FEW_VALUES
