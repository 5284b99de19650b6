"""Rows without a class: left out of a table whose target was named, with one warning.

Where y is given beside the rows, a gap in it is an error, as in scikit-learn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bayou.errors import BadData, warn_of_unlabelled
from bayou.estimators.input.feature_table import compressed, taken_column
from bayou.schema import Variable, state_key
from bayou.sources import CodedColumn, Columns
from bayou.sources.ctrl_c import closed_after
from bayou.sources.prepared_source import PreparedSource
from bayou.statistics import CountTable, Source
from bayou.statistics.result import Key
from bayou.typing import IntArray, Name


def labelled_only(
    features: Columns, labels: CodedColumn, target: Name, weights: Any
) -> tuple[Columns, CodedColumn, Any]:
    """Return the rows that have a class, with their classes and weights; a warning tells of the others.

    >>> from bayou.errors import without_warnings
    >>> from bayou.sources import read_columns
    >>> table = read_columns({"wind": ["weak", "strong", "weak"], "play": ["yes", None, "no"]})
    >>> wind = Columns(["wind"], [table["wind"]], 3)
    >>> with without_warnings():
    ...     rows, labels, _ = labelled_only(wind, table.coded("play"), "play", None)
    >>> rows.rows, labels.values()
    (2, ['yes', 'no'])
    """
    if not labels.gaps:
        return features, labels, weights
    missing = labels.codes == labels.missing_code
    if missing.all():
        raise BadData.without_classes(target)
    warn_of_unlabelled(target, labels.gaps, int(missing.argmax()))
    kept = np.flatnonzero(~missing)
    columns = [taken_column(features[name], kept) for name in features.names]
    return (
        Columns(features.names, columns, len(kept)),
        compressed(labels.codes[kept], labels),
        kept_weights(weights, kept, len(labels)),
    )


def kept_weights(weights: Any, kept: IntArray, rows: int) -> Any:
    """Return the weights of the rows that are kept; weights of another length are left to later checks."""
    if weights is None:
        return None
    numbers = np.asarray(weights)
    return numbers[kept] if numbers.shape == (rows,) else weights


def labelled_part(
    source: Source, classes: Variable, features: Sequence[Name], missing: int
) -> tuple[Source, dict[Name, set[Key]]]:
    """Return the rows of a source that have a class, and the states of features that only other rows have.

    A warning tells of the others, ``missing`` in number. As in memory their states are left out of the
    statistics: they would be smoothed like those that occur.

    >>> from bayou.errors import without_warnings
    >>> from bayou.sources import open_source
    >>> days = open_source({"wind": ["weak", "strong", "storm"], "play": ["yes", "no", None]})
    >>> with without_warnings():
    ...     part, states = labelled_part(days, Variable("play", ["no", "yes"]), ["wind"], 1)
    >>> states
    {'wind': {('text', 'storm')}}
    """
    warn_of_rows_without_class(source, classes, missing)
    target = classes.name
    part = PreparedSource(source, only=(target, None))
    requests = [CountTable((name,)) for name in features if not source.is_continuous(name)]
    before, after = source.collect(requests), part.collect(requests)
    only_elsewhere: dict[Name, set[Key]] = {}
    for request in requests:
        axis = before[request].axes[0]
        lost = (before[request].values > 0) & (after[request].aligned([axis]).values == 0)
        if lost.any():
            only_elsewhere[axis.name] = {state_key(axis.states[place]) for place in np.flatnonzero(lost)}
    return part, only_elsewhere


def warn_of_rows_without_class(source: Source, classes: Variable, missing: int) -> None:
    """Tell how many rows are left out, and which is the first; raise if no row has a class."""
    target = classes.name
    if not classes.states:
        raise BadData.without_classes(target)
    with closed_after(source.batches([classes])) as batches:
        batch = next(batch for batch in batches if batch.gaps(target))
    warn_of_unlabelled(target, missing, batch.number(int(batch.missing(target).argmax())))
