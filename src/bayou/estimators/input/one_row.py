"""Reading a single row in any form, and tables of variations of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou.errors import BadData, warn_user
from bayou.estimators.input.column_matching import compared_columns
from bayou.estimators.input.declared_texts import declared_states
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.input.table_input import array_column_names
from bayou.estimators.input.time_columns import with_times_as_numbers
from bayou.schema import Variable, is_missing, plain, text_names
from bayou.sources import read_columns
from bayou.sources.tables.columns import Columns, NumberColumn
from bayou.typing import Name, State


@dataclass(frozen=True)
class OneRow:
    """The value of every feature in the columns' order, None where it is missing."""

    values: Mapping[Name, State]
    declared: Sequence[Variable] = ()
    """The features whose states the classifier declares."""

    @property
    def findings(self) -> list[Name]:
        """The features that have a value."""
        return [name for name, value in self.values.items() if value is not None]

    def table(self) -> FeatureTable:
        """The row as a table."""
        return self.varied([{}])

    def varied(self, changes: Sequence[Mapping[Name, State]]) -> FeatureTable:
        """Return a table with one copy of the row per entry of ``changes``, which replaces some values."""
        columns = {
            name: [changed.get(name, value) for changed in changes] for name, value in self.values.items()
        }
        texts = text_names(self.declared)
        kept = [variable.name for variable in self.declared]
        return FeatureTable(with_times_as_numbers(read_columns(columns, as_text=texts), kept))


def read_row(estimator: Any, row: Any) -> OneRow:
    """Read a mapping, a Series, a table of one row, or values in the columns' order."""
    names = array_column_names(estimator, estimator.n_features_in_)
    given = _by_name(row, names)
    if any(name not in names and name != estimator.target_ for name in given):
        difference = compared_columns(names, list(given), [estimator.target_])
        if difference.extra:
            warn_user(difference.extra_note)
    values = {name: plain(given.get(name)) for name in names}
    seen = {name: None if is_missing(value) else value for name, value in values.items()}
    return OneRow(seen, declared_states(estimator))


def _by_name(row: Any, names: Sequence[Name]) -> dict[Name, Any]:
    """The values of a row in any form by feature name."""
    if isinstance(row, Mapping):
        return {name: _only(name, value) for name, value in row.items()}
    if hasattr(row, "columns") or hasattr(row, "__dataframe__"):
        table = read_columns(row)
        if table.rows != 1:
            raise BadData(f"One row is explained at a time; this table has {table.rows}.")
        return {name: _value(table, name) for name in table.names}
    if hasattr(row, "to_dict") and hasattr(row, "index"):  # a Series; its index names the features
        return dict(row.to_dict())
    cells = _cells(row)
    if len(cells) != len(names):
        raise BadData(f"The row has {len(cells)} values; the classifier learned from {len(names)} features.")
    return dict(zip(names, cells, strict=True))


def _cells(row: Any) -> list[Any]:
    if isinstance(row, str | bytes) or not hasattr(row, "__len__"):
        raise BadData(
            f"{row!r} is not a row: give a mapping, a Series, a table of one row, or a list of values."
        )
    if isinstance(row, np.ndarray):
        if row.ndim == 2 and len(row) == 1:
            row = row[0]
        if row.ndim != 1:
            raise BadData(f"One row is explained at a time; this array has the shape {row.shape}.")
        return list(row.tolist())
    cells = list(row)
    return list(cells[0]) if len(cells) == 1 and isinstance(cells[0], list | tuple) else cells


def _only(name: Name, value: Any) -> Any:
    """The cell of a mapping of columns with one row, or the value itself."""
    if not isinstance(value, list | np.ndarray):
        return value
    if len(value) != 1:
        raise BadData(f"One row is explained at a time; column {name!r} has {len(value)} values.")
    return value[0]


def _value(table: Columns, name: Name) -> State:
    column = table[name]
    if not isinstance(column, NumberColumn):
        return column.values()[0]
    value = float(column.values[0])
    return int(value) if column.kind == "int" and not np.isnan(value) else value
