"""Weights of labelled rows: a column of the data, numbers beside it, or those of a weighted source."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import has_fit_parameter

from bayou.errors import BadData, BadQuestion, UnknownVariable
from bayou.estimators.input.labelled_input import LabelledRows, read_labelled
from bayou.sources import Columns, NumberColumn, read_columns, read_source
from bayou.sources.weights import weights_from
from bayou.statistics import Source
from bayou.typing import FloatArray


def weighted_rows(data: Any, target: Any, weights: Any) -> tuple[LabelledRows, FloatArray | None]:
    """Return the labelled rows and their weights (None: all are 1); rows of weight 0 are left out.

    >>> rows, found = weighted_rows({"a": [1, 2, 3], "n": [2, 0, 1], "y": ["u", "v", "w"]}, "y", "n")
    >>> rows.labels, rows.features.names, found.tolist()
    (('u', 'w'), ('a',), [2.0, 1.0])
    """
    if isinstance(data, Source):
        data, own = read_source(data)
        if own is not None and weights is not None:
            raise BadData("The rows of this source have weights of their own: leave out weights=.")
        weights = own if weights is None else weights
    if weights is None:
        return read_labelled(data, target), None
    ignored: tuple[str, ...] = ()
    if isinstance(weights, str):
        data = data if isinstance(data, Columns) else read_columns(data)
        if weights not in data:
            raise UnknownVariable.named(weights, data.names, "in the data")
        ignored, weights = (weights,), _numbers(data, weights)
    labelled = read_labelled(data, target, ignored)
    every = weights_from(weights, labelled.rows + labelled.left_out).astype(np.float64)
    used: FloatArray = every[labelled.kept]
    if not used.any():
        raise BadData("All weights are 0: there is nothing to learn from.")
    if (used > 0).all():
        return labelled, used
    kept = np.flatnonzero(used)
    left_out = labelled.left_out + labelled.rows - len(kept)
    return replace(labelled.taken(kept), left_out=left_out), used[kept]


def require_weighable(model: Any, weights: FloatArray | None) -> None:
    """Raise if the rows have weights that a classifier cannot learn with."""
    if weights is not None and not has_fit_parameter(model, "sample_weight"):
        raise BadQuestion(
            f"{type(model).__name__} does not take weights of rows (its fit has no sample_weight): leave out "
            "weights=, or leave out this classifier."
        )


def _numbers(data: Columns, name: str) -> Any:
    column = data[name]
    return column.values if isinstance(column, NumberColumn) else data.coded(name).values()
