"""What a network says about every row of a table: kept by a worker while its pages are looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from bayou.errors import BadQuestion, without_warnings
from bayou.models.network import Network
from bayou.networks import FrozenNetwork
from bayou.schema import Variable
from bayou.server.tables.table_file import TableFile
from bayou.sources import Columns
from bayou.sources.files.file_kinds import weights_of_file
from bayou.sources.files.file_source import weights_of_column
from bayou.sources.tables.columns import NumberColumn
from bayou.sources.tables.read_columns import read_columns
from bayou.typing import FloatArray, IntArray, Name

_KEPT: WeakKeyDictionary[FrozenNetwork, tuple[str, Variable, TestedRows]] = WeakKeyDictionary()
"""The last test of each network, while its rows are looked at."""


@dataclass(frozen=True, eq=False)
class TestedRows:
    """The rows of a table: log P(row), P(target | the row without the target), and the true state.

    ``truth`` has the place of the true state, -1 where the row does not tell it. ``weights`` are those of the
    file, if it has any.
    """

    __test__ = False  # no test of pytest

    columns: Columns
    target: Variable
    proba: FloatArray
    log_probability: FloatArray
    truth: IntArray
    weights: FloatArray | None

    @property
    def predicted(self) -> IntArray:
        """The place of the most probable state of each row; -1 where the row is impossible."""
        return np.where(self.possible, np.nan_to_num(self.proba).argmax(axis=1), -1)

    @property
    def possible(self) -> Any:
        """Which rows can occur at all, the target left aside."""
        return np.isfinite(self.proba).all(axis=1)

    @property
    def scored(self) -> IntArray:
        """The numbers of the rows that have a true state and can occur."""
        return np.flatnonzero((self.truth >= 0) & self.possible)

    @property
    def of_truth(self) -> FloatArray:
        """P(true state | the rest of the row); NaN where there is none."""
        known: FloatArray = self.proba[np.arange(len(self.truth)), np.maximum(self.truth, 0)].copy()
        known[self.truth < 0] = np.nan
        return known


def tested_rows(net: Network, table: TableFile, target: Name) -> TestedRows:
    """What the network says about the rows of a table; values that are no states are gaps."""
    variable = net.variables[target]
    if variable.is_continuous:
        raise BadQuestion(f"{target!r} has no states: choose a variable with states as the target.")
    kept = _KEPT.get(net.frozen)
    if kept is None or kept[:2] != (table.path, variable):
        kept = _KEPT[net.frozen] = (table.path, variable, _tested(net, table, variable))
    return kept[2]


def _tested(net: Network, table: TableFile, target: Variable) -> TestedRows:
    columns, path = table.columns, table.path
    if not set(columns.names) & set(net.names):
        raise BadQuestion("No column of the table is a variable of this network: its names are others.")
    with without_warnings():
        proba = np.asarray(net.posterior(columns, target.name)[target.name])
        logs = np.asarray(net.log_probability(columns))
    own = weights_of_file(path)
    weights = None if own is None else weights_of_column(read_columns(path, names=[own]), own)
    counted = None if weights is None else np.asarray(weights, dtype=np.float64)
    return TestedRows(columns, target, proba, logs, state_places(columns, target), counted)


def state_places(columns: Columns, variable: Variable) -> IntArray:
    """The place of each row's state of a variable; -1 for gaps and values that are no states.

    >>> table = read_columns({"x": ["a", None, "odd"]})
    >>> state_places(table, Variable("x", ["b", "a"])).tolist()
    [1, -1, -1]
    """
    if variable.name not in columns:
        return np.full(columns.rows, -1)
    column = columns[variable.name]
    coded = column.coded() if isinstance(column, NumberColumn) else column
    found = [variable.find(label) for label in coded.labels]
    places = np.array([*(-1 if place is None else place for place in found), -1], dtype=np.intp)
    return places[np.minimum(coded.codes, len(found)).astype(np.intp)]
