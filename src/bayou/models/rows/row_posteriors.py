"""Posteriors of the rows of a table: arrays with one row per row of the table, or a DataFrame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.errors import counted
from bayou.frames import pandas_frame, polars_frame
from bayou.inference.rows.batch_posteriors import RowAnswers
from bayou.inference.rows.imputation import most_probable_codes
from bayou.schema import Schema
from bayou.sources.output.table_kinds import TableKind, column_names
from bayou.text_table import Cell, TextTable
from bayou.typing import FloatArray, Name, State

_SHOWN = 10


class RowPosteriors(Mapping[Any, FloatArray]):
    """P(target | findings) of each row: ``result["lung"]`` is an array of rows × states.

    ``states("lung")`` gives the most probable state of each row (None where the findings are impossible),
    ``log_evidence`` the log-probability of each row's findings, ``index`` the labels of the rows.
    ``to_frame()`` gives a DataFrame of the caller's type with its index, one column per target and state.

    >>> import bayou
    >>> bayou.examples.rain_and_wet_grass().posterior({"WetGrass": ["yes", None]}, "Rain")
    Posteriors of 2 rows
    row  Rain=no  Rain=yes
    0    0.3077   0.6923
    1    0.8000   0.2000
    """

    def __init__(self, schema: Schema, answers: RowAnswers, kind: TableKind | None = None) -> None:
        self.schema = schema
        self.log_evidence = answers.log_evidence
        self._tables = answers.tables
        self._kind = kind or TableKind("none")

    def __getitem__(self, target: Name) -> FloatArray:
        return self._tables[self.schema[target].name]

    def __iter__(self) -> Iterator[Name]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.log_evidence)

    @property
    def index(self) -> Any:
        """The pandas index of the caller's table; for other tables the row numbers."""
        return range(self.rows) if self._kind.index is None else self._kind.index

    def states(self, target: Name) -> npt.NDArray[Any]:
        """The most probable state of each row, the first of equals; None if the findings are impossible."""
        table = self[target]
        by_code = np.empty(len(self.schema[target].states) + 1, dtype=object)  # the last entry is None
        by_code[:-1] = self.schema[target].states
        return by_code[np.where(np.isnan(table[:, 0]), len(by_code) - 1, most_probable_codes(table))]

    def to_dict(self) -> dict[tuple[Name, State], FloatArray]:
        """The columns by (target, state)."""
        return {
            (name, state): table[:, code]
            for name, table in self._tables.items()
            for code, state in enumerate(self.schema[name].states)
        }

    def columns(self) -> dict[str, FloatArray]:
        """The columns by text such as ``lung=yes``."""
        # Matched by position, because as keys of a dict the states 1 and True would be equal.
        pairs = [(name, state) for name in self._tables for state in self.schema[name].states]
        arrays = [column for table in self._tables.values() for column in table.T]
        return dict(zip(column_names(pairs), arrays, strict=True))

    def to_frame(self) -> Any:
        """A DataFrame of the caller's type with its index (pandas if the table was not a DataFrame).

        >>> import bayou, polars
        >>> net = bayou.examples.rain_and_wet_grass()
        >>> net.posterior(polars.DataFrame({"WetGrass": ["yes"]}), "Rain").to_frame().columns
        ['Rain=no', 'Rain=yes']
        """
        return self._kind.frame(self.columns())

    def to_pandas(self) -> Any:
        """A pandas DataFrame, with the caller's index if the table had one."""
        return pandas_frame(self.columns(), "to_pandas", self._kind.index)

    def to_polars(self) -> Any:
        """A polars DataFrame."""
        return polars_frame({name: column.tolist() for name, column in self.columns().items()}, "to_polars")

    def _table(self) -> TextTable:
        columns = self.columns()
        shown: list[list[Cell]] = [
            [str(self.index[row]), *(float(column[row]) for column in columns.values())]
            for row in range(min(_SHOWN, self.rows))
        ]
        return TextTable(["row", *columns], shown, title=f"Posteriors of {counted(self.rows, 'row')}")

    def __str__(self) -> str:
        return f"{self._table()}\n…" if self.rows > _SHOWN else str(self._table())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self._table()._repr_html_()
