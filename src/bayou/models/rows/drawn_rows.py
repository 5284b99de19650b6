"""Rows drawn from a network: columns of states that print as a table and go into any DataFrame."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bayou import inference
from bayou.arguments import seed_or_random, whole_number
from bayou.errors import counted
from bayou.frames import pandas_categorical, pandas_frame, polars_frame
from bayou.memory import require_memory
from bayou.networks import FrozenNetwork
from bayou.schema import Schema, Variable, label
from bayou.text.tables import TextTable
from bayou.typing import ColumnArray, Name, State

if TYPE_CHECKING:
    from bayou.inference import Question

Draw = Callable[[FrozenNetwork, int, int], Mapping[Name, ColumnArray]]


class Rows(Mapping[Any, npt.NDArray[Any]]):
    """Drawn rows: ``rows["lung"]`` is a column, ``len(rows)`` the number of rows; ``fit`` accepts it as data.

    ``to_pandas()``, ``to_polars()`` and ``to_dicts()`` convert it. Drawing with ``seed`` again gives the same
    rows.
    """

    def __init__(self, schema: Schema, columns: Mapping[Name, ColumnArray], rows: int, seed: int) -> None:
        self.schema = schema
        self.seed = seed
        self.rows = rows
        self._coded = columns

    def __getitem__(self, name: Name) -> npt.NDArray[Any]:
        variable = self.schema[name]
        column = self._coded[variable.name]
        if variable.is_continuous:
            return column
        return _lookup(variable.states)[column]

    def __iter__(self) -> Iterator[Name]:
        return iter(self.schema.names)

    def __len__(self) -> int:
        """The number of rows, as for a data frame; ``len(rows.keys())`` is the number of columns."""
        return self.rows

    def keys(self) -> KeysView[Any]:
        """The names of the columns."""
        return dict.fromkeys(self.schema.names).keys()

    def values(self) -> ValuesView[npt.NDArray[Any]]:
        """The columns."""
        return {name: self[name] for name in self}.values()

    def items(self) -> ItemsView[Any, npt.NDArray[Any]]:
        """The names and their columns."""
        return {name: self[name] for name in self}.items()

    def to_dicts(self) -> list[dict[Name, State]]:
        """A list of dicts, one per row."""
        columns = {name: self[name].tolist() for name in self}
        return [{name: column[row] for name, column in columns.items()} for row in range(self.rows)]

    def to_pandas(self) -> Any:
        """A pandas DataFrame; text states and intervals become categorical columns, in the states' order."""
        columns: dict[Name, Any] = {}
        for variable in self.schema:
            if variable.cuts or (variable.states and all(isinstance(s, str) for s in variable.states)):
                codes = self._coded[variable.name]
                columns[variable.name] = pandas_categorical(codes, variable.states, "to_pandas")
            else:
                columns[variable.name] = self[variable.name]
        return pandas_frame(columns, "to_pandas")

    def to_polars(self) -> Any:
        """A polars DataFrame; column names and intervals become text."""
        columns = {v.name: self[v.name].tolist() for v in self.schema}
        for variable in self.schema:
            if variable.cuts:
                columns[variable.name] = [label(state) for state in columns[variable.name]]
        return polars_frame(columns, "to_polars")

    def _table(self) -> TextTable:
        shown = min(self.rows, 10)
        columns = [[_text(value) for value in self[name][:shown]] for name in self]
        body = [list(row) for row in zip(*columns, strict=True)]
        return TextTable(
            [str(name) for name in self], body, title=f"{counted(self.rows, 'row')}, seed {self.seed}"
        )

    def __str__(self) -> str:
        return f"{self._table()}\n…" if self.rows > 10 else str(self._table())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self._table()._repr_html_()


def rows_from(network: FrozenNetwork, n: int, seed: int | None, draw: Draw) -> Rows:
    """Draw ``n`` rows; without a seed a random one is chosen, and kept as ``seed`` of the result."""
    count = whole_number("n", n, expected="give the number of rows, a whole number, 0 or more")
    _check_memory(network.schema, count)
    chosen = seed_or_random(seed)
    return Rows(network.schema, draw(network, count, chosen), count, chosen)


def drawn_given(network: FrozenNetwork, question: Question) -> Draw:
    """A function that draws rows given the findings of a question."""
    rows = inference.ConditionalRows(network, question)
    return lambda network, n, seed: rows.draw(n, seed)


def _check_memory(schema: Schema, rows: int) -> None:
    """Raise before anything is allocated if the rows need more memory than is left."""
    needed = rows * sum(8 if variable.is_continuous else _code_bytes(variable) for variable in schema)
    what = f"A sample of {rows:,} rows of {len(schema)} variables"
    require_memory(needed, what, "Draw fewer rows at a time, with another seed each time.")


def _code_bytes(variable: Variable) -> int:
    return 1 if variable.cardinality <= 0xFF else 2 if variable.cardinality <= 0xFFFF else 4


def _lookup(states: tuple[Any, ...]) -> npt.NDArray[Any]:
    """Return states as an array of their common type (float, bool, int64), else of Python objects."""
    kinds = {type(state) for state in states}
    if kinds in ({float}, {bool}) or (kinds == {int} and all(-(2**63) <= state < 2**63 for state in states)):
        return np.array(states)
    objects = np.empty(len(states), dtype=object)
    objects[:] = states
    return objects


def _text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else label(value)
