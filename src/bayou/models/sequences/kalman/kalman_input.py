"""Series as users hold them, as the arrays of a linear Gaussian model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bayou.errors import BadData, BadQuestion, counted, listed
from bayou.models.sequences.input.array_likes import is_table
from bayou.models.sequences.input.given_sequences import SequencesGiven
from bayou.models.sequences.input.sequence_input import sequences_given
from bayou.models.sequences.input.unnamed_keys import names_of_times
from bayou.models.sequences.kalman.kalman_matrices import KalmanMatrices
from bayou.schema import Variable
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.temporal.kalman.linear_system import ObservedSeries
from bayou.temporal.kalman.stored_series import AnySeries, StoredSeries, observed_series
from bayou.temporal.stored_sequences import LongRows, StoredSequences
from bayou.typing import FloatArray, Name

DEFAULT_COLUMN = "y"
"""The name of a column that has none."""
_UNNAMED: tuple[tuple[Name, ...], ...] = ((DEFAULT_COLUMN,), ("x",), ("x", "y"), ("x", "y", "z"))
"""The names of columns of models of which nobody said what they are of."""
READING = ("sequence", "time", "lengths", "gaps", "controls")
"""The arguments that say how data are sequences."""


class KalmanInput(KalmanMatrices):
    """A model that reads series."""

    def _read(self, data: Any, how: Mapping[str, Any]) -> tuple[ObservedSeries, bool]:
        """The sequences, and whether they are one that was not given in a list."""
        given, _, series = self._read_placed(data, how)
        return series, given.single

    def _read_placed(
        self, data: Any, how: Mapping[str, Any]
    ) -> tuple[SequencesGiven, SequenceBatch, ObservedSeries]:
        """The sequences as they were given, their rows in order, and the numbers of these."""
        given, columns = self._given(data, how, None)
        rows = given.new_rows(self._variables(columns))
        return given, rows, observed_series(rows, columns, self._inputs)

    def read_rows(self, data: Any, **how: Any) -> SequenceBatch:
        """The rows of series in the order of their names and times; takes the arguments of ``filter``."""
        given, columns = self._given(data, how, None)
        return given.new_rows(self._variables(columns))

    def _read_to_learn(
        self, data: Any, how: Mapping[str, Any], weights: Any = None
    ) -> tuple[AnySeries, tuple[Name, ...]]:
        """The sequences; those of a file that is too large for memory in temporary files; and the names of
        their columns, which become those of the model.
        """
        given, columns = self._given(data, how, weights)
        rows = given.new_sequences(self._variables(columns))
        names = self._columns if set(columns) & set(self._states) else columns
        if isinstance(rows, StoredSequences):
            return StoredSeries(rows, columns, self._inputs), names
        return observed_series(rows, columns, self._inputs), names

    def _read_parts(
        self, data: Any, how: Mapping[str, Any]
    ) -> tuple[Iterator[ObservedSeries | LongRows], bool, tuple[Name, ...]]:
        """Some sequences at a time; one that is too long for memory as rows in temporary files. Then whether
        they are one that was not given in a list, and the names of their columns.
        """
        given, columns = self._given(data, how, None)
        parts = given.new_parts(self._variables(columns))
        return (
            (
                observed_series(part, columns, self._inputs) if isinstance(part, SequenceBatch) else part
                for part in parts
            ),
            given.single,
            columns,
        )

    def _variables(self, columns: Sequence[Name]) -> list[Variable]:
        return [Variable(name) for name in (*columns, *self._inputs)]

    def _given(
        self, data: Any, how: Mapping[str, Any], weights: Any
    ) -> tuple[SequencesGiven, tuple[Name, ...]]:
        """The sequences, and the columns that are read of them."""
        unknown = [name for name in how if name not in READING]
        if unknown:
            raise BadQuestion(f"{listed(unknown)}: there is no such argument; use some of {listed(READING)}.")
        sequence, time, lengths, gaps, controls = (how.get(name) for name in READING)
        given = sequences_given(
            _one_series(data, len(self._columns)),
            sequence=sequence,
            time=time,
            lengths=lengths,
            columns=list(self._columns),
            weights=weights,
            gaps=gaps,
        )
        columns = self._columns_in(given) if given.named else self._columns
        if controls is None:
            return given, columns
        if not self._inputs:
            raise BadQuestion("controls=: this model has no inputs. Give it a matrix control= or direct=.")
        if is_table(data):
            raise BadQuestion(
                f"controls= is for lists and arrays; of a table the columns {listed(self._inputs)} are read."
            )
        known = sequences_given(
            _one_series(controls, len(self._inputs)), lengths=lengths, columns=list(self._inputs)
        )
        if not np.array_equal(known.starts_of_arrays, given.starts_of_arrays):
            raise BadData("controls= must have the same number of steps as each sequence of the data.")
        return replace(given, table={**given.table, **known.table}), columns

    def _columns_in(self, given: SequencesGiven) -> tuple[Name, ...]:
        """The columns that are read of a table. A model of one column without a name of its own (``y``, or
        ``x`` of a thing that moves) reads the only column of numbers.
        """
        if self._columns not in _UNNAMED:
            return self._columns
        source = given.source(None)
        names = given.columns(source)
        if any(name in names for name in self._columns):
            return self._columns
        numbers = [name for name in names if name not in self._inputs and source.has_numbers(name)]
        if len(numbers) == len(self._columns) == 1:
            return (numbers[0],)
        found = f"the columns of numbers {listed(numbers)}" if numbers else "no column of numbers"
        times = names_of_times(source, numbers) if given.time is None else []
        count = len(self._columns)
        chosen = ([*(one for one in numbers if one not in times), "sales", "price", "cost"])[:count]
        what = f"columns={chosen!r}"
        if self._columns == (DEFAULT_COLUMN,):
            what = f"column={chosen[0]!r} ({what} in KalmanModel itself)"
        raise BadData(
            f"This model is of {counted(count, 'column')}, {listed(self._columns)}, which the data lack; "
            f"they have {found}. Say which it is of when you make the model: {what}."
            + (f" If {times[0]!r} is the time, give time={times[0]!r}." if times else "")
        )


def inputs_ahead(
    names: tuple[Name, ...],
    future: Any,
    steps: int,
    sequences: int = 1,
    single: bool = True,
    argument: str = "future",
) -> list[FloatArray]:
    """The inputs of some steps, [step, input], for each sequence; ``argument`` is what users call them."""
    if not names:
        if future is not None:
            raise BadQuestion(f"{argument}=: this model has no inputs. Leave it out.")
        return [np.zeros((steps, 0))] * sequences
    if future is None:
        raise BadQuestion(
            f"This model needs the inputs {listed(names)} of these steps: give {argument}=, an array with a "
            "row for each step."
        )
    parts: Sequence[Any] = [future] if single else future
    found = []
    for part in parts:
        columns = [part[name] for name in names] if isinstance(part, Mapping) else None
        cells = np.array(part if columns is None else np.transpose(columns), dtype=np.float64)
        cells = cells.reshape(-1, len(names)) if cells.ndim < 2 else cells
        if cells.shape != (steps, len(names)) or not np.isfinite(cells).all():
            raise BadData(f"{argument}= needs {len(names)} finite numbers for each of {steps} steps.")
        found.append(cells)
    if len(found) != sequences:
        raise BadData(f"{argument}= needs inputs for each of {sequences} sequences, not for {len(found)}.")
    return found


def _one_series(data: Any, width: int) -> Any:
    """A list of rows, each a list of several numbers, as an array; everything else as it is.

    >>> _one_series([[1, 2], None, [3, None]], 2).tolist()
    [[1.0, 2.0], [nan, nan], [3.0, nan]]
    """
    if width < 2 or not isinstance(data, list | tuple) or not all(map(_is_row, data)):
        return data
    rows = [[None] * width if row is None else list(row) for row in data]
    wrong = [k for k, row in enumerate(rows) if len(row) != width]
    if wrong:
        raise BadData(f"Step {wrong[0]} has {len(rows[wrong[0]])} numbers, expected {width}.")
    try:
        return np.array(rows, dtype=np.float64).reshape(len(rows), width)
    except (TypeError, ValueError):
        raise BadData("Some rows have values that are not numbers.") from None


def _is_row(item: Any) -> bool:
    if isinstance(item, np.ndarray):
        return item.ndim == 1
    nested = (list, tuple, np.ndarray, Mapping)
    own = isinstance(item, list | tuple) and not any(isinstance(cell, nested) for cell in item)
    return own or item is None
