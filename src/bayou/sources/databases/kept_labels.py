"""Codes that keep their meaning from table to table: labels are only added at the end."""

from __future__ import annotations

import numpy as np

from bayou.codes import code_type, missing_code
from bayou.schema import state_key
from bayou.sources.tables.columns import CodedColumn, Column, Columns
from bayou.typing import CodeArray, Name, State


class KeptLabels:
    """The labels of all tables so far, by column.

    >>> from bayou.sources import read_columns
    >>> kept = KeptLabels()
    >>> [kept.recoded(read_columns({"a": values})).coded("a").labels for values in (["x"], ["y", "x"])]
    [('x',), ('x', 'y')]
    """

    def __init__(self) -> None:
        self._places: dict[Name, dict[tuple[str, State], int]] = {}
        self._labels: dict[Name, tuple[State, ...]] = {}

    def recoded(self, table: Columns) -> Columns:
        """The next table, in the codes of those before."""
        columns = [self._column(name, table[name]) for name in table.names]
        return Columns(table.names, columns, table.rows)

    def _column(self, name: Name, column: Column) -> Column:
        if not isinstance(column, CodedColumn) or column.labels is self._labels.get(name):
            return column
        known = self._places.setdefault(name, {})
        labels = list(self._labels.get(name, ()))
        meaning = []
        for label in column.labels:
            place = known.setdefault(state_key(label), len(known))
            if place == len(labels):
                labels.append(label)
            meaning.append(place)
        self._labels[name] = tuple(labels)
        kind = code_type(len(labels))
        places = np.array([*meaning, missing_code(kind)], dtype=kind)
        codes: CodeArray = np.take(places, np.minimum(column.codes, len(meaning)).astype(np.intp))
        return CodedColumn(codes, self._labels[name], column.ordered, column.declared)
