"""X, y and weights as users hand them over, as one source that answers requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import _check_sample_weight

from bayou.errors import BadData, UnknownVariable
from bayou.estimators.labelled_source import LabelledSource, LabelledTable
from bayou.estimators.table_input import (
    FeatureTable,
    collected,
    compressed,
    is_streamable,
    learned_names,
    open_rows,
    read_features,
)
from bayou.estimators.target import label_array, read_labels
from bayou.estimators.time_columns import with_times_measured
from bayou.sources import Columns, IfPresent, read_columns
from bayou.sources.columns import Column, NumberColumn
from bayou.sources.weights import Weights
from bayou.statistics import Source
from bayou.typing import Name


def read_training(
    estimator: Any, X: Any, y: Any, sample_weight: Any, *, reset: bool, in_memory: bool = False
) -> LabelledSource:
    """Check and read what was given; rows of weight 0 are left out, as if they were not there.

    A file or another source that has its own target is not read but asked (unless ``in_memory``).
    """
    if isinstance(y, str) and is_streamable(X) and sample_weight is None and not in_memory:
        return _labelled_source(estimator, X, y, reset)
    return read_table(estimator, X, y, sample_weight, reset=reset)


def read_table(estimator: Any, X: Any, y: Any, sample_weight: Any, *, reset: bool) -> LabelledTable:
    """The rows in memory."""
    target = "class"
    X = collected(X)
    if isinstance(y, str) and _has_columns(X):
        target = y
        X, y = _split(X, y)
    elif isinstance(getattr(y, "name", None), str):
        target = y.name
    features = read_features(estimator, X, reset=reset)
    labels = read_labels(y, features.rows, type(estimator).__name__)
    while target in features.names:
        target = f"{target}'"
    weights = None
    if sample_weight is not None:
        weights = _checked_weights(sample_weight, features)
        if not weights.all():
            kept = np.flatnonzero(weights)
            labels, weights = compressed(labels.codes[kept], labels), weights[kept]
            features = features.taken(kept)
    return LabelledTable(features, labels, target, weights)


def _labelled_source(estimator: Any, X: Any, target: str, reset: bool) -> LabelledSource:
    """A source that has its own target."""
    known = None if reset else IfPresent([*learned_names(estimator), target])
    source = open_rows(X, known)
    if target not in source.names:
        raise UnknownVariable.named(target, source.names, "in the data")
    features = [name for name in source.names if name != target and (known is None or name in known)]
    if not features:
        raise _no_features(target)
    if reset:
        estimator.feature_names_in_ = np.array(features, dtype=object)
        estimator.n_features_in_ = len(features)
    return LabelledSource(with_times_measured(source, features), target, features)


def _has_columns(X: Any) -> bool:
    known = isinstance(X, str | Mapping | list | Columns | Source)
    return known or hasattr(X, "columns") or hasattr(X, "__fspath__")


def _split(X: Any, target: str) -> tuple[Columns, npt.NDArray[Any]]:
    """A table that holds its own target."""
    table = read_columns(X)
    if target not in table:
        raise UnknownVariable.named(target, table.names, "in the data")
    values = table[target]
    names = [name for name in table.names if name != target]
    if not names:
        raise _no_features(target)
    return Columns(names, [table[name] for name in names], table.rows), label_array(_plain_values(values))


def _no_features(target: Name) -> BadData:
    return BadData(f"The table has no column beside the target {target!r}: there is nothing to learn from.")


def _plain_values(column: Column) -> list[Any]:
    coded = column.coded() if isinstance(column, NumberColumn) else column
    return coded.values()


def _checked_weights(given: Any, features: FeatureTable) -> Weights:
    """scikit-learn's checks, then whole numbers as integers: their counts are exact."""
    if isinstance(given, str):
        raise BadData(
            f"sample_weight={given!r}: weights are numbers, one a row; hand over the column, X[{given!r}]."
        )
    stand_in = np.empty((features.rows, 1))
    weights: Weights = _check_sample_weight(given, stand_in, dtype=np.float64, ensure_non_negative=True)
    if not weights.any():
        raise BadData("All sample weights are 0: there is nothing to learn from.")
    whole = weights.astype(np.int64) if weights.max() < 2**31 else weights
    return whole if np.array_equal(whole, weights) else weights
