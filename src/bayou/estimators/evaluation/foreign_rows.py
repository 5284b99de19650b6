"""Rows for estimators of other packages: data frames, with states as categories."""

from __future__ import annotations

from typing import Any

from bayou.estimators.table_predictions import TablePredictions
from bayou.frames import pandas_categorical, pandas_frame
from bayou.sources import CodedColumn, Column, Columns


def is_own(model: Any) -> bool:
    """Return whether this is a classifier of bayou, which learns from any rows some at a time."""
    return isinstance(model, TablePredictions)


def foreign_rows(model: Any, columns: Columns) -> Any:
    """Return rows as a data frame, for an estimator of another package."""
    purpose = f"Evaluating a {type(model).__name__}"

    def values(column: Column) -> Any:
        if isinstance(column, CodedColumn):
            return pandas_categorical(column.codes, column.labels, purpose)
        return column.values

    return pandas_frame({name: values(columns[name]) for name in columns.names}, purpose)
