"""Rows drawn from a network: columns of states that print as a table and go into any DataFrame."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.errors import BadQuestion, MissingPackage
from bayou.models.text_table import TextTable
from bayou.networks import FrozenNetwork
from bayou.schema import Schema, label
from bayou.typing import ColumnArray, Name, State

Draw = Callable[[FrozenNetwork, int, int], Mapping[Name, ColumnArray]]


class Rows(Mapping[Any, npt.NDArray[Any]]):
    """A table in memory: ``rows["lung"]`` is a column; ``fit`` takes it as it is.

    ``to_pandas()``, ``to_polars()`` and ``to_dicts()`` convert it; ``seed`` draws the same rows again.
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
        """The number of columns, as for any mapping; ``rows.rows`` is the number of rows."""
        return len(self.schema)

    def to_dicts(self) -> list[dict[Name, State]]:
        """A list of rows, each a dict."""
        columns = {name: self[name].tolist() for name in self}
        return [{name: column[row] for name, column in columns.items()} for row in range(self.rows)]

    def to_pandas(self) -> Any:
        """A pandas DataFrame; text states become a categorical column, in their order."""
        try:
            import pandas
        except ImportError:
            raise MissingPackage.needed("pandas", "to_pandas") from None
        columns: dict[Any, Any] = {}
        for variable in self.schema:
            if variable.states and all(isinstance(state, str) for state in variable.states):
                states = pandas.CategoricalDtype([str(state) for state in variable.states])
                codes = self._coded[variable.name].astype(np.int32)
                columns[variable.name] = pandas.Categorical.from_codes(codes, dtype=states)
            else:
                columns[variable.name] = self[variable.name]
        return pandas.DataFrame(columns)

    def to_polars(self) -> Any:
        """A polars DataFrame (its column names are text)."""
        try:
            import polars
        except ImportError:
            raise MissingPackage.needed("polars", "to_polars") from None
        return polars.DataFrame({str(name): self[name].tolist() for name in self}, strict=False)

    def _table(self) -> TextTable:
        shown = min(self.rows, 10)
        columns = [[_text(value) for value in self[name][:shown]] for name in self]
        body = [list(row) for row in zip(*columns, strict=True)]
        return TextTable([str(name) for name in self], body, title=f"{self.rows:,} rows, seed {self.seed}")

    def __str__(self) -> str:
        return f"{self._table()}\n…" if self.rows > 10 else str(self._table())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self._table()._repr_html_()


def rows_from(network: FrozenNetwork, n: int, seed: int | None, draw: Draw) -> Rows:
    """Draw ``n`` rows; without a seed a fresh one is chosen, and kept on the result."""
    count = _whole("number of rows", n)
    chosen = secrets.randbits(32) if seed is None else _whole("seed", seed) % 2**64
    return Rows(network.schema, draw(network, count, chosen), count, chosen)


def _whole(what: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        raise BadQuestion(f"The {what} must be a whole number, 0 or more, not {value!r}.")
    return int(value)


def _lookup(states: tuple[Any, ...]) -> npt.NDArray[Any]:
    """States as an array of their own type where they share one, else of Python objects."""
    kinds = {type(state) for state in states}
    if kinds in ({float}, {bool}) or (kinds == {int} and all(-(2**63) <= state < 2**63 for state in states)):
        return np.array(states)
    objects = np.empty(len(states), dtype=object)
    objects[:] = states
    return objects


def _text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else label(value)
