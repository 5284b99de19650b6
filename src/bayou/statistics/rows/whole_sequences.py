"""Whole sequences in time order, however the rows lie: grouped by one column and ordered by another.

Sequences come in the order of their keys, cut into chunks at the same places whatever the order of the rows
and the size of the batches, so that a sum over chunks is the same to the last bit.

>>> from bayou.sources import open_source
>>> data = {"id": ["b", "a", "b"], "day": [2, 1, 1], "x": ["late", "alone", "early"]}
>>> source = open_source(data)
>>> x = source.variable("x")
>>> (found,) = source.map_sequences(lambda rows: [rows], sequence="id", time="day", variables=[x])
>>> found.labels, found.starts.tolist(), found.times.tolist(), found.batch.codes["x"].tolist()
(('a', 'b'), [0, 1, 3], [1.0, 1.0, 2.0], [0, 1, 2])
"""

from __future__ import annotations

import datetime
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bayou.errors import BadData, TooWide
from bayou.memory import amount_text, available_memory, current_limits
from bayou.schema import Variable
from bayou.statistics.batch import Batch, empty_batch
from bayou.statistics.row_buffer import LARGEST_HELD, rows_in_memory
from bayou.statistics.rows.sequence_batch import SequenceBatch, stretches
from bayou.statistics.rows.sequence_keys import OrderColumn, order_column
from bayou.statistics.source import Source
from bayou.typing import FloatArray, IntArray, Name, State

CHUNK_ROWS = 2**18
"""Sequences are handed on together up to this many rows; a longer one comes alone."""


@dataclass(frozen=True)
class SequenceOrder:
    """The columns to read, and how the rows are ordered."""

    variables: tuple[Variable, ...]
    sequence: OrderColumn | None
    time: OrderColumn | None

    @property
    def read(self) -> list[Variable]:
        """All variables that are read from the source, each once."""
        orders = [column.variable for column in (self.sequence, self.time) if column is not None]
        return list({(v.name, v.is_continuous): v for v in [*orders, *self.variables]}.values())

    def keyed(self, batch: Batch) -> KeyedRows:
        """The rows with what they are sorted by, without the columns that nobody asked for."""
        asked = {(v.name, v.is_continuous) for v in self.variables}
        codes = {name: column for name, column in batch.codes.items() if (name, False) in asked}
        numbers = {name: column for name, column in batch.numbers.items() if (name, True) in asked}
        return KeyedRows(
            replace(batch, codes=codes, numbers=numbers, places=batch.standing),
            None if self.sequence is None else self.sequence.keys(batch, "which sequence the row is in"),
            None if self.time is None else self.time.keys(batch, "when the row was"),
        )


@dataclass(frozen=True)
class KeyedRows:
    """Rows in any order, and what they are sorted by."""

    batch: Batch
    sequences: FloatArray | None
    times: FloatArray | None


def whole_sequences(
    source: Source, sequence: Name | None, time: Name | None, variables: Sequence[Variable]
) -> Iterator[SequenceBatch]:
    """Yield all sequences of a source, some at a time, each whole and in the order of its times.

    Rows of a source that is too large for memory are first written to temporary files, some sequences each.
    """
    order = sequence_order(source, sequence, time, variables)
    most = _most_bytes(source)
    rows = rows_in_memory(source, order.read, most)
    if rows is not None:
        yield from cut(order.keyed(rows), order)
        return
    if order.sequence is None or order.sequence.ranks is None or any(v.is_text for v in variables):
        raise TooWide(
            f"The rows take more than {amount_text(most)}, and they cannot be read one sequence at a time: "
            "that needs a sequence column of names or whole numbers (sequence=…) and no columns of texts. "
            "Raise the limit (with bayou.limits(memory=…)), or give fewer columns."
        )
    # Imported here because most data fit in memory.
    from bayou.statistics.rows.spilled_sequences import spilled

    for part, _, _ in spilled(source, order, most):
        yield from cut(part, order)


@dataclass(frozen=True)
class SequenceBlock:
    """Some whole sequences, or a piece of one that is too long for memory.

    ``opens`` tells whether the first sequence begins here, ``closes`` whether the last one ends here.
    """

    rows: SequenceBatch
    opens: bool = True
    closes: bool = True


def sequence_blocks(
    source: Source, sequence: Name | None, time: Name | None, variables: Sequence[Variable]
) -> Iterator[SequenceBlock]:
    """The same as :func:`whole_sequences`, but a sequence that is too long for memory comes in pieces, in the
    order of time.

    >>> from bayou.sources import open_source
    >>> source = open_source({"x": ["a", "b"]})
    >>> [block.closes for block in sequence_blocks(source, None, None, [source.variable("x")])]
    [True]
    """
    order = sequence_order(source, sequence, time, variables)
    most = _most_bytes(source)
    rows = rows_in_memory(source, order.read, most)
    unranked = order.sequence is not None and order.sequence.ranks is None
    if rows is not None or unranked or any(v.is_text for v in variables):
        yield from (SequenceBlock(one) for one in whole_sequences(source, sequence, time, variables))
        return
    from bayou.statistics.rows.spilled_sequences import spilled

    if order.sequence is None and order.time is None:
        yield from _standing_blocks(source, order)
        return
    for part, opens, closes in spilled(source, order, most, split=True):
        if opens and closes:
            yield from (SequenceBlock(one) for one in cut(part, order))
            continue
        pieces = list(cut(part, order, sys.maxsize - part.batch.rows))
        empty = without_rows(variables, time)
        yield SequenceBlock(
            pieces[0] if pieces else replace(empty, starts=np.zeros(2, np.int64)), opens, closes
        )


def _standing_blocks(source: Source, order: SequenceOrder) -> Iterator[SequenceBlock]:
    """All rows as one sequence, in the order in which they stand."""
    held: SequenceBatch | None = None
    opens = True
    for batch in source.batches(order.read):
        if held is not None:
            yield SequenceBlock(held, opens, closes=False)
            opens = False
        held = SequenceBatch(order.keyed(batch).batch, np.array([0, batch.rows]), None, (None,))
    if held is not None:
        yield SequenceBlock(held, opens, closes=True)


def all_sequences(
    source: Source, sequence: Name | None, time: Name | None, variables: Sequence[Variable]
) -> SequenceBatch:
    """All sequences of a source at once, in the same order: for data that are in memory."""
    order = sequence_order(source, sequence, time, variables)
    rows = rows_in_memory(source, order.read, sys.maxsize)
    assert rows is not None
    found = list(cut(order.keyed(rows), order, sys.maxsize - rows.rows))
    return found[0] if found else without_rows(variables, time)


def sequence_order(
    source: Source, sequence: Name | None, time: Name | None, variables: Sequence[Variable]
) -> SequenceOrder:
    return SequenceOrder(
        tuple(variables),
        None if sequence is None else order_column(source, sequence, variables, numbers=False),
        None if time is None else order_column(source, time, variables, numbers=True),
    )


def _most_bytes(source: Source) -> int:
    """How many bytes of rows are kept in memory; those of a table are there already."""
    if not source.is_streamed:
        return sys.maxsize
    return min(LARGEST_HELD, int(min(current_limits().memory, available_memory()) / 4))


def cut(rows: KeyedRows, order: SequenceOrder, most: int | None = None) -> Iterator[SequenceBatch]:
    """Sort rows by sequence and time, and yield some whole sequences at a time: up to ``most`` rows."""
    placed = _sorted_places(rows)
    keys = None if rows.sequences is None else rows.sequences[placed]
    starts = _starts(keys, len(placed))
    _refuse_same_time(rows, placed, starts, order)
    for first, last in chunks(starts, most):
        chosen = placed[starts[first] : starts[last]]
        labels: tuple[State, ...] = (None,)
        if keys is not None and order.sequence is not None:
            labels = tuple(order.sequence.label(key) for key in keys[starts[first:last]].tolist())
        times = None if rows.times is None or order.time is None else order.time.times(rows.times[chosen])
        yield SequenceBatch(
            rows.batch.taken(chosen), starts[first : last + 1] - starts[first], None, labels, times
        )


def _sorted_places(rows: KeyedRows) -> IntArray:
    """The places of the rows in order; rows that nothing orders stay in the order of the data."""
    keys = [key for key in (rows.times, rows.sequences) if key is not None]
    if not keys:
        return np.arange(rows.batch.rows)
    return np.lexsort(keys)


def _starts(keys: FloatArray | None, rows: int) -> IntArray:
    """Where each sequence starts, and the end."""
    changes = np.empty(0, dtype=np.int64) if keys is None else np.flatnonzero(np.diff(keys)) + 1
    return np.concatenate([[0], changes, [rows]]).astype(np.int64) if rows else np.zeros(1, dtype=np.int64)


def chunks(starts: IntArray, most: int | None = None) -> Iterator[tuple[int, int]]:
    """Cut sequences into stretches of at most so many rows (None: CHUNK_ROWS); a longer one comes alone."""
    return stretches(starts, CHUNK_ROWS if most is None else most)


def _refuse_same_time(rows: KeyedRows, placed: IntArray, starts: IntArray, order: SequenceOrder) -> None:
    """Raise BadData, naming both rows, if two rows of a sequence have the same time."""
    if rows.times is None or order.time is None:
        return
    same = np.diff(rows.times[placed]) == 0
    same[starts[1:-1] - 1] = False
    if not same.any():
        return
    place = int(same.argmax())
    one, other = (rows.batch.number(int(row)) for row in placed[place : place + 2])
    when = f"{order.time.variable.name!r} = {_shown(order.time.label(float(rows.times[placed[place]])))}"
    where = ""
    if rows.sequences is not None and order.sequence is not None:
        key = order.sequence.label(float(rows.sequences[placed[place]]))
        where = f" of the sequence {order.sequence.variable.name!r} = {_shown(key)}"
    raise BadData(
        f"Rows {one} and {other} (counting from 0){where} have the same time, {when}: a sequence has one row "
        "at a time. Remove one of them, or name the column that tells sequences apart (sequence=…)."
    )


def _shown(key: State) -> str:
    """A key as messages show it: dates are written as people write them."""
    return str(key) if isinstance(key, datetime.date | datetime.timedelta) else repr(key)


def without_rows(variables: Sequence[Variable], time: Name | None) -> SequenceBatch:
    """No sequences at all."""
    starts = np.zeros(1, dtype=np.int64)
    return SequenceBatch(empty_batch(variables), starts, None, (), None if time is None else np.empty(0))
