"""Columns that come in batches: the kind of a column and the codes of its labels stay the same."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from bayou.codes import in_code_type
from bayou.errors import BadData
from bayou.schema import state_key
from bayou.sources.tables.columns import CodedColumn, Column, Columns, NumberColumn
from bayou.sources.tables.objects import replaced_codes
from bayou.typing import Name, State


class ColumnContinuity:
    """What earlier batches had: numbers or labels, and which code each label has.

    ``numbers`` names columns that will have numbers although the first batches have gaps only; ``declared``
    names columns whose states are known, so that their type does not matter.

    >>> from bayou.sources import read_columns
    >>> columns = ColumnContinuity()
    >>> first = columns.continued(read_columns({"A": ["y", "n"]}), 0)
    >>> columns.continued(read_columns({"A": ["m", "n"]}), 1)["A"].labels
    ('y', 'n', 'm')
    """

    def __init__(self, numbers: Collection[Name] = (), declared: Collection[Name] = ()) -> None:
        self._numbers, self._declared = set(numbers), set(declared)
        self._kinds: dict[Name, NumberColumn] = {}
        self._labels: dict[Name, dict[tuple[str, State], State]] = {}

    def continued(self, table: Columns, batch: int) -> Columns:
        """The table in the codes of earlier batches; ``batch`` is its number, for messages."""
        columns = [self._continued(name, table[name], batch) for name in table.names]
        return Columns(table.names, columns, table.rows)

    def _continued(self, name: Name, column: Column, batch: int) -> Column:
        if isinstance(column, NumberColumn):
            known = self._labels.get(name)
            if known and name not in self._declared and not _goes_on(known.values(), column):
                value = column.values[~np.isnan(column.values)][:1].tolist()
                raise _changed(name, "text", f"the number {value[0]:g}" if value else "numbers", batch)
            if name in self._labels:
                return self._recoded(name, column.coded())
            first = self._kinds.setdefault(name, column)
            return column if first.kind == column.kind else _of_kind(column, first)
        if name in self._numbers or name in self._kinds:
            seen = [label for code, label in enumerate(column.labels) if np.any(column.codes == code)]
            if seen and name in self._kinds and self._kinds[name].kind == "int" and _are_integers(seen):
                del self._kinds[name]  # some of them are too large for numbers: they are labels from here on
                return self._recoded(name, column)
            if seen:
                raise _changed(name, "numbers", repr(seen[0]), batch)
            kind = self._kinds[name].kind if name in self._kinds else "float"
            return NumberColumn(np.full(len(column), np.nan), integral=True, kind=kind)
        return self._recoded(name, column)

    def _recoded(self, name: Name, column: CodedColumn) -> CodedColumn:
        known = self._labels.setdefault(name, {})
        if not known:
            known.update({state_key(label): label for label in column.labels})
            return column
        places = {key: place for place, key in enumerate(known)}
        before = len(known)
        for label in column.labels:
            if state_key(label) not in places:
                places[state_key(label)] = len(places)
                known[state_key(label)] = label
        labels = tuple(known.values())
        wide = in_code_type(column.codes, len(labels))
        codes = replaced_codes(wide, [places[state_key(label)] for label in column.labels])
        declared = column.declared and len(labels) == before == len(column.labels)
        return CodedColumn(codes, labels, column.ordered and declared, declared)


def _of_kind(column: NumberColumn, first: NumberColumn) -> NumberColumn:
    """The numbers as the kind that the first batch had: an integer column with gaps may come as floats."""
    return NumberColumn(column.values, column.integral, first.kind)


def _goes_on(known: Iterable[State], column: NumberColumn) -> bool:
    """Whether numbers may follow these labels: gaps, or integers after others too large for floats."""
    return bool(np.isnan(column.values).all()) or (column.kind == "int" and _are_integers(known))


def _are_integers(labels: Iterable[State]) -> bool:
    return all(type(label) is int for label in labels)


def _changed(name: Name, before: str, now: str, batch: int) -> BadData:
    return BadData(
        f"Column {name!r} had {before} in earlier batches, but batch {batch} (counting from 0) has {now}. "
        f"Give the column one type in all batches (pandas: dtype={{{name!r}: str}})."
    )
