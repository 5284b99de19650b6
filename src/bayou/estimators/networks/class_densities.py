"""P(row | class) by a model of one class: a network, or any object with ``fit`` and a log-density."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from bayou.errors import BadData, BadQuestion, BadStatistics
from bayou.estimators.input.feature_table import FeatureTable
from bayou.inference import log_probability
from bayou.models.network import Network
from bayou.models.rows.row_coding import code_rows
from bayou.sources import Columns, IfPresent, discretised, read_columns
from bayou.sources.tables.columns import NumberColumn
from bayou.sources.weights import Weights
from bayou.typing import FloatArray, State

_SCORES = ("log_probability", "score_samples")


class ClassDensity(Protocol):
    """The density of the rows of one class."""

    @property
    def model(self) -> Any:
        """The fitted model."""

    def log_density(self, rows: FeatureTable, warn: bool) -> FloatArray:
        """Return log P(row | class), one number per row; ``warn`` allows a warning of unseen values."""


class ObjectTable(FeatureTable):
    """Rows that are not a table: objects of any kind, which are passed to the models."""

    def __init__(self, columns: Columns, objects: Sequence[Any]) -> None:
        super().__init__(columns)
        self.objects = objects

    @classmethod
    def of(cls, given: Any) -> ObjectTable:
        """Read any sequence of objects, one per row.

        >>> ObjectTable.of(["AGT", "CC"]).rows
        2
        """
        if isinstance(given, ObjectTable):
            return given
        if isinstance(given, str | bytes | Mapping) or not hasattr(given, "__len__"):
            raise BadData(
                f"With tabular=False, X must be a list of objects, one per row; got a {type(given).__name__}."
            )
        rows = given if isinstance(given, list) else [given[k] for k in range(len(given))]
        if not rows:
            raise BadData("Found array with 0 sample(s): there is no object to learn from or to classify.")
        return cls(numbered(len(rows)), rows)

    @property
    def plain(self) -> Any:
        """The objects as models take them."""
        return list(self.objects)

    def taken(self, rows: npt.NDArray[np.intp]) -> ObjectTable:
        """Return some of the objects."""
        return ObjectTable.of([self.objects[k] for k in rows.tolist()])


def numbered(objects: int) -> Columns:
    """A table of one column, the numbers of objects."""
    places = NumberColumn(np.arange(objects, dtype=np.float64), integral=True, kind="int")
    return Columns(["object"], [places], objects)


@dataclass(frozen=True)
class GivenRows:
    """The rows of one class for a model's ``fit``: a matrix, or a list of objects; ``+`` concatenates."""

    rows: Any
    weights: Weights | None

    def __add__(self, other: GivenRows) -> GivenRows:
        if isinstance(self.rows, list):
            joined: Any = [*self.rows, *other.rows]
        else:
            joined = np.concatenate([self.rows, other.rows])
        if self.weights is None and other.weights is None:
            return GivenRows(joined, None)
        return GivenRows(joined, np.concatenate([self._all_weights(), other._all_weights()]))

    def __sub__(self, other: GivenRows) -> GivenRows:
        raise BadStatistics(
            "A model that learns from rows, not statistics, cannot forget: learn from the rows that stay."
        )

    def __mul__(self, weight: float) -> GivenRows:
        return GivenRows(self.rows, self._all_weights() * weight)

    def _all_weights(self) -> Weights:
        return np.ones(len(self.rows)) if self.weights is None else self.weights


@dataclass(frozen=True)
class NetworkDensity:
    """A fitted network; missing cells are summed out exactly."""

    model: Network
    unknown: str

    def log_density(self, rows: FeatureTable, warn: bool) -> FloatArray:
        """Return log P(row), one number per row."""
        network = self.model.frozen
        table = discretised(read_columns(rows.columns, names=IfPresent(network.schema.names)), network.schema)
        coded = code_rows(network, table, self.unknown, warn, "'error' or 'missing'")
        return log_probability(network, coded.codes, coded.numbers, coded.rows)


@dataclass(frozen=True)
class ObjectDensity:
    """A fitted object with ``log_probability`` or ``score_samples``."""

    model: Any
    label: State

    def log_density(self, rows: FeatureTable, warn: bool) -> FloatArray:
        """Return log P(row), checked to be one number per row."""
        score = getattr(self.model, next(name for name in _SCORES if hasattr(self.model, name)))
        logs = np.asarray(score(plain_rows(rows)), dtype=np.float64)
        if logs.shape != (rows.rows,):
            raise BadData(
                f"The model of class {self.label!r} returned an array of shape {logs.shape} for {rows.rows} "
                "rows; one log-density per row is expected."
            )
        return logs


def plain_rows(rows: FeatureTable) -> Any:
    """Return rows for a model that is not a network: a list of objects, or a matrix of numbers."""
    if isinstance(rows, ObjectTable):
        return rows.plain
    if rows.matrix is not None:
        return np.asarray(rows.matrix, dtype=np.float64)
    return np.column_stack([rows.numbers(name) for name in rows.names])


def check_scores(model: Any, label: State | None = None) -> None:
    """Check that a model can give log-densities; ``label`` is its class, for the error."""
    if isinstance(model, Network) or any(hasattr(model, name) for name in _SCORES):
        return
    of = "" if label is None else f" of class {label!r}"
    raise BadQuestion(
        f"The model{of} is {model!r}, which cannot give the log-density of a row: use a bayou.Network, or an "
        "object with fit and score_samples (or log_probability)."
    )


def fitted_object(template: Any, given: GivenRows, label: State) -> ObjectDensity:
    """Return a copy of the template, fitted on the rows of its class."""
    model = clone(template, safe=False)
    if not hasattr(model, "fit"):
        raise BadQuestion(f"The model of class {label!r} has no fit(). If it is fitted, set prefit=True.")
    if given.weights is None:
        model.fit(given.rows)
    elif has_fit_parameter(model, "sample_weight"):
        model.fit(given.rows, sample_weight=given.weights)
    else:
        raise BadQuestion(f"{type(model).__name__}.fit takes no sample_weight; omit the weights.")
    return ObjectDensity(model, label)
