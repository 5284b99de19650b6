"""Posteriors of the rows of a table: arrays with one row per row of the table, or a DataFrame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.errors import counted
from bayou.frames import pandas_frame, polars_frame
from bayou.inference.rows.batch_posteriors import BatchPosteriors
from bayou.inference.rows.imputation import most_probable_codes
from bayou.schema import Schema
from bayou.sources.output.table_kinds import TableKind, state_column_names
from bayou.text.tables import Cell, TextTable
from bayou.typing import FloatArray, Name, State

_SHOWN = 10


@dataclass(frozen=True, eq=False)
class RowIntervals:
    """The ends of the credible intervals of each row, as arrays of rows × states by target.

    ``expected``: the counts are expected counts of rows with gaps, so the true intervals are wider.
    """

    mass: float
    lower: Mapping[Name, FloatArray]
    upper: Mapping[Name, FloatArray]
    expected: bool = False


class RowPosteriors(Mapping[Any, FloatArray]):
    """P(target | findings) of each row: ``result["lung"]`` is an array of rows × states.

    ``states("lung")`` gives the most probable state of each row (None where the findings are impossible),
    ``log_evidence`` the log-probability of each row's findings, ``index`` the labels of the rows.
    ``to_frame()`` gives a DataFrame of the caller's type with its index, one column per target and state.
    If intervals were asked for, ``interval.lower["lung"]`` and ``interval.upper["lung"]`` are arrays of
    rows × states, too, and the frame has two more columns per state.

    >>> import bayou
    >>> bayou.examples.rain_and_wet_grass().posterior({"WetGrass": ["yes", None]}, "Rain")
    Posteriors of 2 rows
    row  Rain=no  Rain=yes
    0    0.3077   0.6923
    1    0.8000   0.2000
    """

    def __init__(
        self,
        schema: Schema,
        answers: BatchPosteriors,
        kind: TableKind | None = None,
        interval: RowIntervals | None = None,
    ) -> None:
        self.schema = schema
        self.interval = interval
        """How far the learned tables leave each probability uncertain, if ``interval=`` was given."""
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
        """The columns by text such as ``lung=yes``; with intervals also ``lung=yes lower``, ``… upper``."""
        names = posterior_columns(self.schema, list(self._tables), self.interval is not None)
        return dict(zip(names, interleaved(self._tables, self.interval), strict=True))

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


def posterior_columns(schema: Schema, targets: Sequence[Name], with_ends: bool) -> list[str]:
    """The names of the columns of a frame or file: one per target and state, and those of the two ends."""
    # Matched by position, because as keys of a dict the states 1 and True would be equal.
    plain = state_column_names([(name, state) for name in targets for state in schema[name].states])
    if not with_ends:
        return plain
    taken = set(plain)
    names: list[str] = []
    for name in plain:
        ends = [f"{name} lower", f"{name} upper"]
        while not taken.isdisjoint(ends):  # a state may have such a name
            ends = [f"{end}'" for end in ends]
        taken.update(ends)
        names += [name, *ends]
    return names


def interleaved(tables: Mapping[Name, FloatArray], interval: RowIntervals | None) -> list[FloatArray]:
    """The columns in the order of :func:`posterior_columns`."""
    if interval is None:
        return [column for table in tables.values() for column in table.T]
    return [
        column
        for name, table in tables.items()
        for columns in zip(table.T, interval.lower[name].T, interval.upper[name].T, strict=True)
        for column in columns
    ]
