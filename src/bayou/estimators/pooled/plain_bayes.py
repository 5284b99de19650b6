"""The plain naive Bayes that small tables lean on: learned from the same rows, saved without them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayou.estimators.classifier_state import set_learned
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.input.labelled_table import LabelledTable
from bayou.estimators.naive_bayes.naive_bayes import NaiveBayes
from bayou.estimators.naive_bayes.naive_model import NaiveModel
from bayou.estimators.pooled.saved_arrays import real, reals
from bayou.estimators.pooled.training_rows import TrainingRows
from bayou.estimators.state_codec import restored, stored
from bayou.schema import Variable
from bayou.sources import CodedColumn
from bayou.statistics import RowSample, Statistics


@dataclass(frozen=True, eq=False)
class PlainBayes:
    """A naive Bayes, and what it was estimated from: counts and values of single columns, but no rows."""

    model: NaiveModel
    kinds: Mapping[Any, Any]
    statistics: Statistics

    @classmethod
    def of(cls, rows: TrainingRows, classes: Variable) -> PlainBayes:
        """Learn from the rows of an ensemble."""
        labels = CodedColumn(rows.own, classes.states)
        whole = rows.weights.astype(np.int64)
        weights = whole if np.array_equal(whole, rows.weights) else rows.weights
        table = LabelledTable(FeatureTable(rows.columns), labels, classes.name, weights)
        plain = _unfitted(classes)
        statistics = plain._collect(table)
        model = plain._estimate(statistics, classes)
        return cls(model, plain.feature_kinds_, _without_rows(statistics))

    def state(self) -> dict[str, Any]:
        """Plain data for a file: the exponents were learned from rows, so they are written down."""
        columns = self.model.column_weights
        return {
            "kinds": stored(dict(self.kinds), "kinds"),
            "statistics": self.statistics.state(),
            "weight": float(self.model.weight),
            "column_weights": None if columns is None else columns,
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any], classes: Variable) -> PlainBayes:
        """Read :meth:`state`, and estimate the densities again."""
        plain = _unfitted(classes)
        set_learned(plain, "feature_kinds_", restored(state["kinds"]))
        statistics = _without_rows(Statistics.from_state(state["statistics"]))
        model = plain._estimate(statistics, classes)
        columns = state["column_weights"]
        if columns is not None:
            columns = reals(state, "column_weights", (len(model.densities),))
        model = replace(model, weight=real(state, "weight", 0.0, 100.0), column_weights=columns)
        return cls(model, plain.feature_kinds_, statistics)


def _unfitted(classes: Variable) -> NaiveBayes:
    plain = NaiveBayes()
    plain.target_, plain._class_variable = classes.name, classes
    return plain


def _without_rows(statistics: Statistics) -> Statistics:
    return statistics.only({request for request in statistics if not isinstance(request, RowSample)})
