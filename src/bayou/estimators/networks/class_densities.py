"""P(row | class) by a model of one class: a network, or any object that learns rows and scores them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from bayou.errors import BadData, BadQuestion
from bayou.estimators.input.table_input import FeatureTable
from bayou.inference import log_probability
from bayou.models.network import Network
from bayou.models.rows.row_coding import code_rows
from bayou.sources import Columns, IfPresent, discretised, read_columns
from bayou.sources.tables.columns import NumberColumn
from bayou.sources.weights import Weights
from bayou.typing import FloatArray, State

_SCORES = ("log_probability", "score_samples")


class ClassDensity(Protocol):
    """What Bayes' rule needs of a class: the log-density of each row."""

    @property
    def model(self) -> Any:
        """The fitted model itself."""

    def log_density(self, rows: FeatureTable, warn: bool) -> FloatArray:
        """log P(row | class), a number a row."""


@dataclass(frozen=True)
class ObjectTable(FeatureTable):
    """Rows that are no table: objects of any kind, which only the models understand."""

    objects: Sequence[Any] = ()

    @classmethod
    def of(cls, given: Any) -> ObjectTable:
        """Any sequence of objects, one a row.

        >>> ObjectTable.of(["AGT", "CC"]).rows
        2
        """
        if isinstance(given, ObjectTable):
            return given
        if isinstance(given, str | bytes | Mapping) or not hasattr(given, "__len__"):
            raise BadData(
                f"With tabular=False, X is a list of objects, one a row; it is {type(given).__name__}."
            )
        rows = given if isinstance(given, list) else [given[k] for k in range(len(given))]
        if not rows:
            raise BadData("Found array with 0 sample(s): there is no object to learn from or to classify.")
        places = NumberColumn(np.arange(len(rows), dtype=np.float64), integral=True, kind="int")
        return cls(Columns(["object"], [places], len(rows)), None, rows)

    def taken(self, rows: npt.NDArray[np.intp]) -> ObjectTable:
        """Some of the objects."""
        return ObjectTable.of([self.objects[k] for k in rows.tolist()])


@dataclass(frozen=True)
class GivenRows:
    """The rows of one class as an object gets them: a matrix, or a list of objects. They add by joining."""

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

    def _all_weights(self) -> Weights:
        return np.ones(len(self.rows)) if self.weights is None else self.weights


@dataclass(frozen=True)
class NetworkDensity:
    """A fitted network; cells that are missing are summed out exactly."""

    model: Network
    unknown: str

    def log_density(self, rows: FeatureTable, warn: bool) -> FloatArray:
        """log P(row)."""
        network = self.model.frozen
        table = discretised(read_columns(rows.columns, names=IfPresent(network.schema.names)), network.schema)
        coded = code_rows(network, table, self.unknown, warn)
        return log_probability(network, coded.codes, coded.numbers, coded.rows)


@dataclass(frozen=True)
class ObjectDensity:
    """A fitted object with ``log_probability`` or ``score_samples``."""

    model: Any
    label: State

    def log_density(self, rows: FeatureTable, warn: bool) -> FloatArray:
        """log P(row), checked: one number a row."""
        score = getattr(self.model, next(name for name in _SCORES if hasattr(self.model, name)))
        logs = np.asarray(score(plain_rows(rows)), dtype=np.float64)
        if logs.shape != (rows.rows,):
            raise BadData(
                f"The model of class {self.label!r} gave an array of shape {logs.shape} for {rows.rows} "
                "rows; one log-density a row is expected."
            )
        return logs


def plain_rows(rows: FeatureTable) -> Any:
    """Rows as an object that is no network takes them: the list itself, or a matrix of numbers."""
    if isinstance(rows, ObjectTable):
        return list(rows.objects)
    if rows.matrix is not None:
        return np.asarray(rows.matrix, dtype=np.float64)
    return np.column_stack([rows.numbers(name) for name in rows.names])


def check_scores(model: Any, label: State | None = None) -> None:
    """Refuse what can give no log-density."""
    if isinstance(model, Network) or any(hasattr(model, name) for name in _SCORES):
        return
    of = "" if label is None else f" of class {label!r}"
    raise BadQuestion(
        f"The model{of} is {model!r}, which can give no log-density of a row: use a bayou.Network, or an "
        "object with fit and score_samples (or log_probability)."
    )


def fitted_object(template: Any, given: GivenRows, label: State) -> ObjectDensity:
    """A copy of the template, fitted on the rows of its class."""
    model = clone(template, safe=False)
    if not hasattr(model, "fit"):
        raise BadQuestion(f"The model of class {label!r} has no fit. Is it fitted already? Say prefit=True.")
    if given.weights is None:
        model.fit(given.rows)
    elif has_fit_parameter(model, "sample_weight"):
        model.fit(given.rows, sample_weight=given.weights)
    else:
        raise BadQuestion(f"{type(model).__name__}.fit takes no sample_weight; leave the weights out.")
    return ObjectDensity(model, label)
