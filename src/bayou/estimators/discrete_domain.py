"""Features as states: text as it is, numbers cut into ranges that tell the classes apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from bayou._native import mdl_cuts
from bayou.estimators.table_input import FeatureTable
from bayou.estimators.training import Training
from bayou.schema import Variable
from bayou.sources import Columns
from bayou.sources.columns import NumberColumn
from bayou.sources.discretising import discretised
from bayou.sources.table import TableSource
from bayou.typing import FloatArray, Name

FEW_VALUES = 10
"""Whole numbers with at most so many different values are states; more are cut into ranges."""


@dataclass(frozen=True)
class DiscreteDomain:
    """The numeric features with their cuts; the others have the states that the data show."""

    cut: Mapping[Name, Variable]

    @classmethod
    def learned(cls, training: Training) -> DiscreteDomain:
        """Cuts by the minimum description length rule, from these rows alone."""
        numeric: dict[Name, FloatArray] = {}
        for name in training.features.names:
            column = training.features.columns[name]
            if isinstance(column, NumberColumn) and not _few_whole_numbers(column):
                numeric[name] = np.ascontiguousarray(column.values)
        if not numeric:
            return cls({})
        labels = training.labels.column
        weights = None if training.weights is None else training.weights.astype(np.float64)
        found = mdl_cuts(list(numeric.values()), labels.codes.astype(np.uint32), len(labels.labels), weights)
        return cls({name: Variable(name, cuts=cuts) for name, cuts in zip(numeric, found, strict=True)})

    def coded(self, columns: Columns) -> Columns:
        """The same table with numbers as ranges."""
        return discretised(columns, self.cut.values())

    def source(self, training: Training) -> TableSource:
        """The training rows, numbers as ranges; what was numbers before must be now."""
        for name in self.cut if training.features.matrix is None else ():
            if not isinstance(training.features.columns[name], NumberColumn):
                training.features.numbers(name)  # says which value is no number
        return TableSource(self.coded(training.source.columns), training.weights)

    def rows(self, features: FeatureTable) -> Columns:
        """New rows, numbers as ranges."""
        return self.coded(features.columns)


def _few_whole_numbers(column: NumberColumn) -> bool:
    if column.kind != "int":
        return False
    seen = column.values[~np.isnan(column.values)]
    return len(np.unique(seen)) <= FEW_VALUES
