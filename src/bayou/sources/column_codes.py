"""One column of a large source as codes, read some rows at a time: few states take a byte a row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bayou.codes import code_type, in_code_type, is_missing_code, missing_code
from bayou.errors import TooWide
from bayou.schema import state_key
from bayou.sources.row_tables import row_tables
from bayou.sources.tables.columns import CodedColumn
from bayou.statistics import Source
from bayou.typing import CodeArray, Name, State

_MOST_LABELS = 1 << 20


def column_codes(source: Source, name: Name) -> CodedColumn:
    """Return a column of a source, whose labels are in the order in which they were seen.

    >>> from bayou.sources.streams.batch_source import from_batches
    >>> batches = from_batches([{"a": ["no", None]}, {"a": ["yes", "no"]}])
    >>> column = column_codes(batches, "a")
    >>> column.codes.tolist(), column.labels
    ([0, 255, 1, 0], ('no', 'yes'))
    """
    seen = _SeenLabels(name)
    parts = []
    for table in row_tables(source, [name]):
        column = table.coded(name)
        parts.append(seen.recoded(column))
    codes = np.concatenate([in_code_type(part, len(seen.labels)) for part in parts])
    return replace(column, codes=codes, labels=tuple(seen.labels))


class _SeenLabels:
    """The labels of all tables so far, and the codes that those of the last table have among them."""

    def __init__(self, name: Name) -> None:
        self.labels: list[State] = []
        self._name = name
        self._places: dict[object, int] = {}
        self._last: tuple[State, ...] = ()
        self._new_codes: list[int] = []

    def recoded(self, column: CodedColumn) -> CodeArray:
        """The codes of a table's column, by the labels of all tables."""
        if column.labels[: len(self._last)] != self._last:
            self._last, self._new_codes = (), []
        for label in column.labels[len(self._last) :]:
            place = self._places.setdefault(state_key(label), len(self._places))
            if place == len(self.labels):
                self.labels.append(label)
            self._new_codes.append(place)
        self._last = column.labels
        if len(self.labels) > _MOST_LABELS:
            raise TooWide(
                f"{self._name!r} has more than {_MOST_LABELS:,} different values: they are no classes. Name "
                "the column that holds the classes."
            )
        kind = code_type(len(self.labels))
        by_code: CodeArray = np.array([*self._new_codes, missing_code(kind)], dtype=kind)
        missing = is_missing_code(column.codes)
        return by_code[np.where(missing, len(self._new_codes), column.codes)]
