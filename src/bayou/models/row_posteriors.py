"""Posteriors of a whole table: a row a record, in the caller's kind of DataFrame if asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.inference.batches import RowAnswers
from bayou.models.text_table import TextTable
from bayou.schema import Schema, label
from bayou.typing import FloatArray, Name, State


class RowPosteriors(Mapping[Any, FloatArray]):
    """P(target | the row's findings): ``result["lung"]`` is an array with a row a record, a column a state.

    ``states("lung")`` gives the most probable state of each row (None where the findings are impossible),
    ``log_evidence`` the log-probability of each row's findings.
    """

    def __init__(self, schema: Schema, answers: RowAnswers) -> None:
        self.schema = schema
        self.log_evidence = answers.log_evidence
        self._tables = answers.tables

    def __getitem__(self, target: Name) -> FloatArray:
        return self._tables[self.schema[target].name]

    def __iter__(self) -> Iterator[Name]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def states(self, target: Name) -> npt.NDArray[Any]:
        """The most probable state of each row."""
        table = self[target]
        known = np.empty(len(self.schema[target].states) + 1, dtype=object)
        known[:-1] = self.schema[target].states
        impossible = np.isnan(table[:, 0])
        return known[
            np.where(impossible, len(known) - 1, np.where(np.isnan(table), -1, table).argmax(axis=1))
        ]

    def to_dict(self) -> dict[tuple[Name, State], FloatArray]:
        """A column for each target and state."""
        return {
            (name, state): table[:, code]
            for name, table in self._tables.items()
            for code, state in enumerate(self.schema[name].states)
        }

    def _table(self) -> TextTable:
        columns = self.to_dict()
        header = [f"{label(name)}={label(state)}" for name, state in columns]
        shown = [
            [float(column[row]) for column in columns.values()]
            for row in range(min(10, len(self.log_evidence)))
        ]
        return TextTable(header, shown, title=f"Posteriors of {len(self.log_evidence):,} rows")

    def __str__(self) -> str:
        return f"{self._table()}\n…" if len(self.log_evidence) > 10 else str(self._table())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self._table()._repr_html_()
