"""Series as users hold them, as the arrays of a linear Gaussian model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bayou.errors import BadData, BadQuestion, listed
from bayou.models.sequences.input.sequence_input import SequencesGiven, is_table, sequences_given
from bayou.models.sequences.kalman.kalman_matrices import KalmanMatrices
from bayou.schema import Variable
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.temporal.kalman.linear_system import ObservedSeries
from bayou.typing import FloatArray, Name

READING = ("sequence", "time", "lengths", "gaps", "controls")
"""The arguments that say how data are sequences."""


class KalmanInput(KalmanMatrices):
    """A model that reads series."""

    def _read(self, data: Any, how: Mapping[str, Any], weights: Any = None) -> tuple[ObservedSeries, bool]:
        """The sequences, and whether they are one that was not given in a list."""
        unknown = [name for name in how if name not in READING]
        if unknown:
            raise BadQuestion(f"{listed(unknown)}: there is no such argument; use some of {listed(READING)}.")
        given = self._given(data, how, weights)
        names = (*self._columns, *self._inputs)
        rows = given.new_rows([Variable(name) for name in names])
        inputs = _cells(rows, self._inputs)
        gaps = np.argwhere(~np.isfinite(inputs))
        if len(gaps):
            raise BadData(
                f"The input {self._inputs[gaps[0][1]]!r} is missing or infinite in row "
                f"{rows.batch.number(int(gaps[0][0]))} (counting from 0): inputs must be known at every step."
            )
        values = _cells(rows, self._columns)
        wild = np.argwhere(np.isinf(values))
        if len(wild):
            raise BadData(
                f"Column {self._columns[wild[0][1]]!r} is infinite in row "
                f"{rows.batch.number(int(wild[0][0]))} (counting from 0): give a number, or NaN for a gap."
            )
        return ObservedSeries(values, inputs, rows.starts.astype(np.int64), rows.weights), given.single

    def _given(self, data: Any, how: Mapping[str, Any], weights: Any) -> SequencesGiven:
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
        if controls is None:
            return given
        if not self._inputs:
            raise BadQuestion("controls=: this model has no inputs. Give it a matrix control= or direct=.")
        if is_table(data):
            raise BadQuestion(
                f"controls= is for lists and arrays; of a table the columns {listed(self._inputs)} are read."
            )
        known = sequences_given(
            _one_series(controls, len(self._inputs)), lengths=lengths, columns=list(self._inputs)
        )
        if known.starts is None or given.starts is None or not np.array_equal(known.starts, given.starts):
            raise BadData("controls= must have the same number of steps as each sequence of the data.")
        return replace(given, table={**given.table, **known.table})


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


def _cells(rows: SequenceBatch, names: Sequence[Name]) -> FloatArray:
    if not names:
        return np.zeros((rows.rows, 0))
    columns = [np.asarray(rows.batch.numbers[name], dtype=np.float64) for name in names]
    return np.ascontiguousarray(np.stack(columns, axis=1))
