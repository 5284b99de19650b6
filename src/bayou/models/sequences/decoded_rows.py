"""The states of the rows of a table, in the order of the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.frames import pandas_frame
from bayou.models.sequences.numbered_steps import time_label
from bayou.schema import Variable, label
from bayou.sources import read_columns
from bayou.sources.tables.columns import NumberColumn
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.text.tables import PrintedTable, TextTable
from bayou.typing import FloatArray, IntArray, Name, State

if TYPE_CHECKING:
    import pandas

    from bayou.models.sequences.hidden_markov.hmm import HMM

_SHOWN = 12
"""The number of rows that are printed."""


@dataclass(frozen=True, eq=False, repr=False)
class DecodedRows(PrintedTable):
    """For each row of a table: its sequence and time, its state, and P(state | all rows of its sequence).

    ``probabilities`` has a column for each state of ``variable``.
    """

    variable: Variable
    keys: Mapping[Name, Sequence[Any]]
    codes: IntArray
    probabilities: FloatArray

    @classmethod
    def of(
        cls,
        variable: Variable,
        rows: SequenceBatch,
        codes: IntArray,
        shares: FloatArray,
        keys: Mapping[Name, Sequence[Any]],
    ) -> DecodedRows:
        """Put the answers of rows that were sorted by sequence and time back into the order of the table."""
        back = np.empty(rows.rows, dtype=np.int64)
        back[rows.batch.standing] = np.arange(rows.rows)
        return cls(variable, keys, codes[back], shares[back])

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def states(self) -> list[State]:
        """The state of each row."""
        return [self.variable.states[code] for code in self.codes.tolist()]

    @property
    def probability(self) -> FloatArray:
        """P(the state of the row | all rows of its sequence)."""
        chosen: FloatArray = self.probabilities[np.arange(len(self)), self.codes]
        return chosen

    def to_frame(self) -> pandas.DataFrame:
        """A pandas frame with the keys, the state and its probability, row by row."""
        columns = {**self.keys, self.variable.name: self.states, "probability": self.probability}
        return pandas_frame(columns, "Decoded rows as a frame")

    def to_table(self) -> TextTable:
        """The first rows as a table for printing."""
        states, shares = self.states[:_SHOWN], self.probability[:_SHOWN].tolist()
        rows = [
            [*(time_label(cells[k]) for cells in self.keys.values()), label(state), shares[k]]
            for k, state in enumerate(states)
        ]
        return TextTable([*map(label, self.keys), label(self.variable.name), "probability"], rows)

    def _remarks(self) -> list[str]:
        more = len(self) - _SHOWN
        return [f"… and {more:,} more rows"] if more > 0 else []


def key_cells(data: Any, names: Sequence[Name]) -> dict[Name, list[Any]]:
    """The cells of the columns that name sequences and times.

    >>> key_cells({"id": ["a", "b"], "x": [1, 2]}, ["id"])
    {'id': ['a', 'b']}
    """
    if not names:
        return {}
    table = read_columns(data, names=names)
    cells = {}
    for name in names:
        column = table[name]
        whole = isinstance(column, NumberColumn) and not column.integral
        cells[name] = table.numbers(name).tolist() if whole else table.coded(name).values()
    return cells


def row_beliefs(hmm: HMM, data: Any, what: str, **how: Any) -> dict[str, list[Any]]:
    """Columns with the keys of each row (or its number), and P(state) given the rows so far (``"filter"``)
    or all rows of the sequence (``"smooth"``).

    >>> import bayou
    >>> found = row_beliefs(bayou.examples.casino(), {"roll": [6, 6]}, "smooth")
    >>> [round(share, 3) for share in found["P(state=loaded)"]]
    [0.884, 0.868]
    """
    keys = [how[key] for key in ("sequence", "time") if how.get(key) is not None]
    found: dict[str, list[Any]] = {str(name): cells for name, cells in key_cells(data, keys).items()}
    rows = hmm.rows_asked(data, **how)
    if what == "filter":
        logs, _, states = hmm.model.filtered(rows)
        hmm.model.refuse_impossible(rows, logs)
    else:
        _, states = hmm.model.smoothed(rows)
    shares = hmm.chain.folded(states)
    back = np.empty(len(shares), dtype=np.int64)
    back[rows.batch.standing] = np.arange(len(shares))
    found = found or {"row": list(range(len(shares)))}
    state = hmm.chain.user_state
    for code, one in enumerate(state.states):
        found[f"P({state.name}={one})"] = shares[back, code].tolist()
    return found
