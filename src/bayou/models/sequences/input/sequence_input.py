"""Sequences as users hold them: lists, arrays with lengths, or a table with a column of sequences and one of
times.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayou.errors import BadData, BadQuestion, UnknownVariable, counted, listed
from bayou.models.sequences.input.new_rows import NewRows
from bayou.models.sequences.input.plain_arrays import plain_batch
from bayou.models.sequences.input.streamed_sequences import (
    stored_sequences,
    streamed_blocks,
    streamed_parts,
)
from bayou.models.sequences.input.time_gaps import GAPS, IGNORE, MISSING, with_missing_steps
from bayou.schema import Variable, text_names
from bayou.sources import open_source
from bayou.statistics import Batch, Source
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.statistics.rows.sequence_keys import with_all_states
from bayou.statistics.rows.whole_sequences import SequenceBlock, all_sequences
from bayou.temporal.stored_sequences import AnySequences, LongRows
from bayou.typing import FloatArray, IntArray, Name

ONE_COLUMN = "x"
"""The name of the column of sequences that have none."""


@dataclass(frozen=True)
class SequencesGiven:
    """A table of all rows, and where its sequences start; None: ``sequence`` names the column that tells.

    ``single`` is True for one sequence that was not given in a list: answers then are about it alone.
    """

    table: Any
    starts: IntArray | None = None
    sequence: Name | None = None
    time: Name | None = None
    single: bool = False
    weights: Any = None
    gaps: str = IGNORE

    def source(self, names: Sequence[Name] | None, known: Collection[Variable] = ()) -> Source:
        """The table as a source of these columns (None: all)."""
        wanted = None if names is None else [*names, *self._keys]
        return open_source(self.table, names=wanted, as_text=text_names(known), variables=known)

    @property
    def table_names(self) -> Collection[Name]:
        """The columns of arrays by name; none of other tables."""
        return self.table.keys() if isinstance(self.table, Mapping) else ()

    @property
    def _keys(self) -> list[Name]:
        return [name for name in (self.sequence, self.time) if name is not None]

    def columns(self, source: Source) -> tuple[Name, ...]:
        """The columns that are not keys."""
        return tuple(name for name in source.names if name not in self._keys)

    def rows(self, source: Source, variables: Sequence[Variable]) -> AnySequences:
        """The rows in the codes of these variables, sequence by sequence in the order of time.

        Those of a source that is too large for memory are written to temporary files once, in this order.
        """
        if self.starts is not None:
            return self._with_lengths(source, variables)
        when, wanted = self._read_with_time(source, variables)
        if not source.is_streamed or any(variable.is_text for variable in wanted):
            return self._weighted(
                self._stepped(all_sequences(source, self.sequence, self.time, wanted), when)
            )
        stored = stored_sequences(self._blocks(source, wanted, when), wanted)
        stored.weights = self._weights(stored.count)
        return stored

    def _blocks(
        self, source: Source, wanted: Sequence[Variable], when: Variable | None
    ) -> Iterator[SequenceBlock]:
        return streamed_blocks(source, self.sequence, self.time, wanted, when)

    def new_rows(self, columns: Sequence[Variable], labels: Sequence[Variable] = ()) -> SequenceBatch:
        """The rows of sequences that a model is asked about: a value that it has never seen is missing.

        A label that is no state is an error.
        """
        plain = None if labels else self.plain_rows(columns)
        if plain is not None:
            return plain
        return self._all_new(self._new_source(columns, labels), [*columns, *labels])

    def _all_new(self, source: Source, variables: Sequence[Variable]) -> SequenceBatch:
        if self.starts is not None:
            return self._with_lengths(source, variables)
        when, wanted = self._read_with_time(source, variables)
        rows = self._stepped(all_sequences(source, self.sequence, self.time, wanted), when)
        if self.single and not rows.count:  # a table without a row is one sequence without a step
            return replace(rows, starts=np.zeros(2, dtype=np.int64), labels=(None,))
        return rows

    def new_sequences(self, columns: Sequence[Variable]) -> AnySequences:
        """The same, in temporary files if the data are too large for memory."""
        if self.starts is not None:
            return self.new_rows(columns)
        return self.rows(self._new_source(columns, ()), columns)

    def plain_rows(self, variables: Sequence[Variable]) -> SequenceBatch | None:
        """The rows of arrays that need no reading (see :func:`plain_batch`); None if these do."""
        batch = None if self.starts is None else plain_batch(self.table, variables)
        return None if batch is None else self._cut(batch)

    def new_parts(
        self, columns: Sequence[Variable], labels: Sequence[Variable] = ()
    ) -> Iterator[SequenceBatch | LongRows]:
        """The same sequences, some at a time where the data are too large for memory; at least one part.

        A sequence that is too long for memory comes as rows in temporary files.
        """
        if self.starts is not None:
            yield self.new_rows(columns, labels)
            return
        source = self._new_source(columns, labels)
        if not source.is_streamed:
            yield self._all_new(source, [*columns, *labels])
            return
        when, wanted = self._read_with_time(source, [*columns, *labels])
        yield from streamed_parts(self._blocks(source, wanted, when), wanted)

    def _new_source(self, columns: Sequence[Variable], labels: Sequence[Variable]) -> Source:
        keys = [] if self.starts is not None else self._keys
        return NewRows(self.table, columns, [*keys, *(one.name for one in labels)])

    def _read_with_time(
        self, source: Source, variables: Sequence[Variable]
    ) -> tuple[Variable | None, list[Variable]]:
        """The variable of the time column if jumps are measured, and all variables to be read."""
        if self.gaps != MISSING or self.time is None:
            return None, list(variables)
        when = with_all_states(source, self.time) or Variable(self.time)
        return when, [*variables, *([when] if when not in variables else [])]

    def _stepped(self, rows: SequenceBatch, when: Variable | None) -> SequenceBatch:
        return rows if when is None else with_missing_steps(rows, when)

    def _with_lengths(self, source: Source, variables: Sequence[Variable]) -> SequenceBatch:
        parts = list(source.batches(variables))
        return self._cut(Batch.joined(parts) if parts else Batch(0, {}, {}))

    def _cut(self, batch: Batch) -> SequenceBatch:
        """All rows in their order, cut into sequences of the given lengths."""
        starts = self.starts
        if starts is None or len(starts) == 0 or int(starts[-1]) != batch.rows:
            raise BadData(
                f"lengths= add up to {0 if starts is None or not len(starts) else int(starts[-1])} rows, but "
                f"the data have {batch.rows}."
            )
        return self._weighted(SequenceBatch(batch, starts))

    def _weighted(self, rows: SequenceBatch) -> SequenceBatch:
        return rows if self.weights is None else replace(rows, weights=self._weights(rows.count))

    def _weights(self, sequences: int) -> FloatArray | None:
        if self.weights is None:
            return None
        weights = np.ascontiguousarray(np.asarray(self.weights, dtype=np.float64))
        if weights.shape != (sequences,):
            raise BadData(f"weights= needs one number for each of {sequences} sequences, not {weights.size}.")
        if not np.all(np.isfinite(weights)) or (weights < 0).any():
            raise BadData("weights= must be finite numbers, 0 or more.")
        if sequences and not weights.any():
            raise BadData("weights= are all 0, so there is nothing to learn from.")
        return weights


def sequences_given(
    data: Any,
    *,
    sequence: Name | None = None,
    time: Name | None = None,
    lengths: Any = None,
    columns: Sequence[Name] | None = None,
    states: Any = None,
    name: Name = "state",
    weights: Any = None,
    gaps: str | None = None,
) -> SequencesGiven:
    """Read sequences in any of the forms that users have.

    A table (frame, mapping of columns, path, source) is one sequence, or as many as the column ``sequence``
    has values; an array or list of cells is one sequence, with ``lengths`` several; a list of sequences is
    several. ``states`` has the known states (None where unknown) in the same form, for data without a column
    of them. ``gaps`` says what a jump in time means: nothing, or steps without observations.
    """
    data = _unframed(data)
    meaning = _gaps_given(gaps, time, lengths)
    if is_table(data):
        if lengths is not None and sequence is not None:
            raise BadData(
                "Give either lengths= or sequence=, not both: each says which rows belong together."
            )
        starts = None if lengths is None else starts_of(lengths)
        table = data if states is None else _with_states(data, name, states)
        single = sequence is None and lengths is None
        return SequencesGiven(table, starts, sequence, time, single, weights, meaning)
    if sequence is not None or time is not None:
        raise BadData(
            "sequence= and time= name columns of a table; lists and arrays have none. Leave them out."
        )
    if lengths is None and _is_list_of_sequences(data):
        return _list_given(data, columns, states, name, weights)
    table = _named(data, columns)
    starts = np.array([0, _rows_of(table)]) if lengths is None else starts_of(lengths)
    if states is not None:
        table = {**table, name: list(states)}
    return SequencesGiven(table, starts, single=lengths is None, weights=weights)


def sequence_names(data: Any, sequence: Name) -> tuple[Any, ...]:
    """The values of the column that names sequences, in the order in which they are answered.

    >>> sequence_names({"id": [10, 9, 10], "x": [1, 2, 3]}, "id")
    (9, 10)
    """
    labels: list[Any] = open_source(data, names=[sequence]).map_sequences(
        lambda rows: list(rows.labels), sequence=sequence, variables=[]
    )
    return tuple(labels)


def _unframed(data: Any) -> Any:
    """A column of a frame as an array, also in a list of them; everything else as it is."""
    if isinstance(data, list | tuple) and any(_is_series(item) for item in data):
        return [_unframed(item) for item in data]
    return data.to_numpy() if _is_series(data) else data


def _is_series(data: Any) -> bool:
    return hasattr(data, "to_numpy") and not is_table(data)


def _gaps_given(gaps: str | None, time: Name | None, lengths: Any) -> str:
    if gaps is None or gaps == IGNORE:
        return IGNORE
    if gaps not in GAPS:
        raise BadQuestion.choice("gaps", gaps, GAPS)
    if time is None or lengths is not None:
        raise BadQuestion(
            'gaps="missing" is about jumps in the column time= of a table with sequences in sequence=: give '
            "time=, and no lengths=."
        )
    return gaps


def is_table(data: Any) -> bool:
    """Whether data have named columns."""
    return (
        isinstance(data, str | os.PathLike | Source | Mapping)
        or hasattr(data, "columns")
        or hasattr(data, "schema")
    )


def starts_of(lengths: Any) -> IntArray:
    """Where sequences of these lengths start, and where the last one ends.

    >>> starts_of([2, 3]).tolist()
    [0, 2, 5]
    """
    sizes = np.asarray(lengths)
    if sizes.ndim != 1 or sizes.dtype.kind not in "iu" or (sizes < 0).any():
        raise BadData(
            "lengths= needs a list of whole numbers, 0 or more: the number of rows of each sequence."
        )
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _is_list_of_sequences(data: Any) -> bool:
    if isinstance(data, np.ndarray):
        return data.ndim == 3 or (data.dtype == object and len(data) > 0 and _is_sequence(data[0]))
    if not isinstance(data, Sequence) or isinstance(data, str):
        raise BadData(f"Sequences come as a list, an array or a table, not as a {type(data).__name__}.")
    if len(data) == 0:
        raise BadData("There is no sequence: give at least one, such as [1, 6, 6], or several in a list.")
    # Items of one type are all sequences, or none of them is.
    mixed = {_is_sequence(item) for item in {type(item): item for item in data}.values()}
    if len(mixed) > 1:
        raise BadData(
            "Some items of the list are sequences and others are single values: give one or the other."
        )
    return mixed.pop()


def _is_sequence(item: Any) -> bool:
    return not isinstance(item, str | bytes) and (isinstance(item, Sequence | np.ndarray) or is_table(item))


def _list_given(
    data: Sequence[Any], columns: Sequence[Name] | None, states: Any, name: Name, weights: Any
) -> SequencesGiven:
    tables = [_columns_of(item) if is_table(item) else _named(item, columns) for item in data]
    names = list(tables[0])
    for k, table in enumerate(tables):
        if list(table) != names:
            raise BadData(f"Sequence {k} has the columns {listed(table)}, the first one has {listed(names)}.")
    joined: dict[Name, Any] = {one: _joined([table[one] for table in tables]) for one in names}
    starts = starts_of([_rows_of(table) for table in tables])
    if states is not None:
        joined[name] = _states_of_rows(states, np.diff(starts).tolist())
    return SequencesGiven(joined, starts, weights=weights)


def _states_of_rows(states: Any, lengths: Sequence[int]) -> list[Any]:
    """The states of all rows; None stands for a sequence of which no state is known."""
    parts = list(states)
    if len(parts) != len(lengths):
        raise BadData(
            f"states= has the states of {counted(len(parts), 'sequence')}, but there are {len(lengths)}: "
            "give a list for each, or None where no state is known."
        )
    found: list[Any] = []
    for k, (part, length) in enumerate(zip(parts, lengths, strict=True)):
        own = [None] * length if part is None else list(part) if _is_sequence(part) else [part]
        if len(own) != length:
            raise BadData(
                f"states= has {counted(len(own), 'state')} for sequence {k} (counting from 0), which has "
                f"{counted(length, 'row')}: give one for each row, None where it is unknown."
            )
        found += own
    return found


def _named(data: Any, columns: Sequence[Name] | None) -> dict[Name, Any]:
    """An array or list of cells (or rows of cells) as a mapping of columns."""
    array = data if isinstance(data, np.ndarray) else None
    if array is None and len(data) and _is_sequence(data[0]):
        widths = [len(row) if _is_sequence(row) else 1 for row in data]
        wrong = [k for k, width in enumerate(widths) if width != widths[0]]
        if wrong:
            raise BadData(
                f"Step {wrong[0]} of a sequence has {widths[wrong[0]]} values, but the first one has "
                f"{widths[0]}: give a value for every column, None where it is missing."
            )
        array = np.asarray(data)
    if array is None or array.ndim == 1:
        cells = data if array is None else array
        return {column_names(columns, 1)[0]: cells}
    if array.ndim != 2:
        raise BadData(f"An array of sequences has one row for each step, not {array.ndim} dimensions.")
    names = column_names(columns, array.shape[1])
    return {one: array[:, k] for k, one in enumerate(names)}


def column_names(columns: Sequence[Name] | None, count: int) -> list[Name]:
    """The names of so many columns: those given, else ``x``, or ``x0, x1, …``."""
    if columns is None:
        return [ONE_COLUMN] if count == 1 else [f"{ONE_COLUMN}{k}" for k in range(count)]
    names: list[Name] = [columns] if isinstance(columns, str) else list(columns)
    if len(names) != count:
        raise UnknownVariable(
            f"The sequences have {counted(count, 'column')}, but there {'is' if len(names) == 1 else 'are'} "
            f"{counted(len(names), 'name')} (of the model, or in columns=): {listed(names)}."
        )
    return names


def _columns_of(table: Any) -> dict[Name, Any]:
    """A table as a mapping from names to lists of cells."""
    if isinstance(table, Mapping):
        return dict(table)
    return {one: list(table[one]) for one in table.columns}


def _rows_of(table: Mapping[Name, Any]) -> int:
    return len(next(iter(table.values())))


def _joined(parts: Sequence[Any]) -> Any:
    if all(isinstance(part, np.ndarray) for part in parts):
        return np.concatenate(parts)
    return [cell for part in parts for cell in part]


def _with_states(data: Any, name: Name, states: Any) -> Any:
    if isinstance(data, str | os.PathLike | Source):
        raise BadData(f"states= is for data in memory: let the file have a column {name!r}.")
    return {**_columns_of(data), name: list(states)}
