"""Rows that a model of sequences is asked about, in the codes of its variables; unseen values are missing."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import Any

import numpy as np

from bayou.errors import BadData, UnknownVariable, listed, warn_user
from bayou.schema import Variable, text_names
from bayou.sources import Columns, IfPresent, TableSource, discretised, open_source, row_tables
from bayou.sources.batches import cells_of, variable_codes
from bayou.statistics import Batch, Request, Source, Statistics
from bayou.suggestions import did_you_mean
from bayou.typing import CodeArray, FloatArray, Name, State

_SHOWN = 5
"""The number of unseen values that a warning names."""


class NewRows(Source):
    """Data with the columns of a model, of which some may be absent, and with all columns of ``others``.

    A value of the model's columns that it has never seen is missing, and one warning names it; values of the
    other columns (keys, and labels that count as known) are as in any source.
    """

    def __init__(self, data: Any, columns: Sequence[Variable], others: Sequence[Name]) -> None:
        wanted = dict.fromkeys([*others, *(variable.name for variable in columns)])
        self._columns = tuple(columns)
        self._base = open_source(data, names=IfPresent(wanted), as_text=text_names(columns))
        self._warned = False
        self.is_streamed = self._base.is_streamed
        for name in others:
            if name not in self._base.names:
                raise UnknownVariable.named(name, open_source(data).names, "in the data")
        if columns and not any(variable.name in self._base.names for variable in columns):
            raise BadData.lacks([variable.name for variable in columns], open_source(data).names)
        _tell_misspelt(
            data, [variable.name for variable in columns if variable.name not in self._base.names], wanted
        )

    @property
    def names(self) -> tuple[Name, ...]:
        """The columns."""
        return self._base.names

    def variable(self, name: Name) -> Variable:
        """The variable of a column of keys or labels."""
        return self._base.variable(name)

    def has_numbers(self, name: Name) -> bool:
        """Whether the values of a column are numbers."""
        return self._base.has_numbers(name)

    def collect(self, requests: Sequence[Request]) -> Statistics:
        """Answer requests about keys."""
        return self._base.collect(requests)

    def batches(self, variables: Sequence[Variable]) -> Iterator[Batch]:
        """All rows; values of the model's columns that are not among its states are missing."""
        own = [variable for variable in variables if variable in self._columns]
        others = [variable for variable in variables if variable not in self._columns]
        needed = [name for name in self.names if name in {variable.name for variable in variables}]
        unseen, first = Unseen(), 0
        for table in row_tables(self._base, needed or self.names[:1]):
            batch = coded_new_rows(discretised(table, self._columns), own, unseen)
            known = TableSource(table, first_row=first).batch(others)
            yield Batch(
                table.rows, {**batch.codes, **known.codes}, {**batch.numbers, **known.numbers}, first=first
            )
            first += table.rows
        if not self._warned:
            self._warned = unseen.warned(first)


def _tell_misspelt(data: Any, absent: Sequence[Name], wanted: Container[Name]) -> None:
    """Warn of a column of the model that is absent while the data have an unused one with a similar name."""
    unused = [name for name in open_source(data).names if name not in wanted] if absent else []
    for name in absent:
        hint = did_you_mean(name, unused) if unused else ""
        if hint:
            warn_user(
                f"The data have no column {name!r}: it is missing in every row.{hint} Then rename the column."
            )


class Unseen:
    """Values that a model has never seen, by column: which, and in how many rows."""

    def __init__(self) -> None:
        self._values: dict[Name, dict[State, None]] = {}
        self._texts: dict[Name, int] = {}
        self._rows: dict[Name, int] = {}

    def note(self, name: Name, values: Sequence[State], rows: int) -> None:
        """Note values that are no states of a column."""
        self._values.setdefault(name, {}).update(dict.fromkeys(values))
        self._rows[name] = self._rows.get(name, 0) + rows

    def note_texts(self, name: Name, rows: int) -> None:
        """Note texts in a column of numbers."""
        self._texts[name] = self._texts.get(name, 0) + rows

    def warned(self, rows: int) -> bool:
        """Warn of all of them, if there are any, and return whether there were some."""
        said = []
        for name in dict.fromkeys([*self._texts, *self._values]):
            if name in self._texts:
                said.append(f"{name!r} has a text among its numbers in {self._texts[name]} of {rows} rows")
                continue
            values = list(self._values[name])
            shown = listed(values[:_SHOWN]) + (", …" if len(values) > _SHOWN else "")
            said.append(f"{name!r} has {shown} in {self._rows[name]} of {rows} rows")
        if said:
            warn_user(f"Values that the model has never seen count as missing: {'; '.join(said)}.")
        return bool(said)


def coded_new_rows(table: Columns, variables: Sequence[Variable], unseen: Unseen) -> Batch:
    """All rows of a table in the codes of these variables; values never seen are noted.

    >>> from bayou.sources import read_columns
    >>> found = coded_new_rows(read_columns({"A": ["y", "n"]}), [Variable("A", ["n", "y"])], Unseen())
    >>> found.codes["A"].tolist()
    [1, 0]
    """

    def codes_of(variable: Variable) -> CodeArray:
        column = table.coded(variable.name)
        codes, rows = variable_codes(variable, column)
        if len(rows):
            seen = [column.labels[code] for code in np.unique(column.codes[rows])]
            unseen.note(variable.name, seen, len(rows))
        return codes

    def numbers_of(name: Name) -> FloatArray:
        values, texts = table.seen_numbers(name)
        if texts:
            unseen.note_texts(name, texts)
        return values

    return Batch(table.rows, *cells_of(table, variables, codes_of, numbers_of))
