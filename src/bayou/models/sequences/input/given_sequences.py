"""A table of sequences: what is read of it, and how its rows are cut into sequences."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayou.errors import BadData
from bayou.models.sequences.input.array_likes import rows_of
from bayou.models.sequences.input.new_rows import NewRows
from bayou.models.sequences.input.plain_arrays import plain_batch
from bayou.models.sequences.input.streamed_sequences import (
    stored_sequences,
    streamed_blocks,
    streamed_parts,
)
from bayou.models.sequences.input.time_gaps import IGNORE, MISSING, with_missing_steps
from bayou.models.sequences.input.time_steps import TimeStep
from bayou.models.sequences.input.unnamed_keys import tell_unused_keys
from bayou.schema import Variable, text_names
from bayou.sources import open_source
from bayou.sources.table_stream import TableStream
from bayou.statistics import Batch, Source
from bayou.statistics.rows.remote_sequences import RemoteSequences
from bayou.statistics.rows.sequence_batch import SequenceBatch, counting
from bayou.statistics.rows.sequence_keys import with_all_states
from bayou.statistics.rows.whole_sequences import SequenceBlock, all_sequences
from bayou.temporal.stored_sequences import HeldSequences, LongRows
from bayou.typing import FloatArray, IntArray, Name


@dataclass(frozen=True)
class SequencesGiven:
    """A table of all rows, and where its sequences start; None: ``sequence`` names the column that tells.

    ``single`` is True for one sequence that was not given in a list: answers then are about it alone.
    ``step`` is the time between two steps, if it was given with ``gaps``. ``named`` tells whether the columns
    have the names of a table, ``chosen`` has those that a user chose, ``apart`` those that say something of
    whole sequences, such as their classes.
    """

    table: Any
    starts: IntArray | None = None
    sequence: Name | None = None
    time: Name | None = None
    single: bool = False
    weights: Any = None
    gaps: str = IGNORE
    step: TimeStep | None = None
    named: bool = False
    chosen: tuple[Name, ...] | None = None
    apart: tuple[Name, ...] = ()

    def source(self, names: Sequence[Name] | None, known: Collection[Variable] = ()) -> Source:
        """The table as a source of these columns (None: all)."""
        wanted = None if names is None else [*names, *self._keys]
        return open_source(self.table, names=wanted, as_text=text_names(known), variables=known)

    def of_columns(self, columns: Any) -> SequencesGiven:
        """The same with the choice of some columns of the table."""
        names = (columns,) if isinstance(columns, str) else tuple(columns)
        return replace(self, chosen=names) if self.named else self

    @property
    def table_names(self) -> Collection[Name]:
        """The columns of arrays by name; none of other tables."""
        return self.table.keys() if isinstance(self.table, Mapping) else ()

    @property
    def starts_of_arrays(self) -> IntArray:
        """Where sequences of arrays by name start, and where the last one ends."""
        return np.array([0, rows_of(self.table)]) if self.starts is None else self.starts

    @property
    def _keys(self) -> list[Name]:
        return [name for name in (self.sequence, self.time) if name is not None]

    def columns(self, source: Source) -> tuple[Name, ...]:
        """The columns that are not keys."""
        return tuple(name for name in source.names if name not in (*self._keys, *self.apart))

    def tell_unused(self, *used: Name) -> None:
        """Warn of columns of the table that are not used but look like keys that nobody named."""
        if self.named and self.chosen is None and self.starts is None:
            tell_unused_keys(self.table, (*used, *self.apart), self.sequence, self.time)

    def rows(self, source: Source, variables: Sequence[Variable]) -> HeldSequences:
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
        return stored.counting()

    def remote_rows(self, source: Source, variables: Sequence[Variable]) -> RemoteSequences | None:
        """The sequences of a Spark DataFrame, which stay there; None for other data."""
        if not isinstance(source, TableStream) or self.sequence is None or self.apart:
            return None
        if self.weights is not None or self.gaps == MISSING:
            return None  # what is known of each sequence is here
        return source.remote_sequences(self.sequence, self.time, variables)

    def _blocks(
        self, source: Source, wanted: Sequence[Variable], when: Variable | None
    ) -> Iterator[SequenceBlock]:
        return streamed_blocks(source, self.sequence, self.time, wanted, when, self.step)

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

    def new_sequences(self, columns: Sequence[Variable]) -> HeldSequences:
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
        self.tell_unused(*(one.name for one in (*columns, *labels)))
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
        return rows if when is None else with_missing_steps(rows, when, self.step)

    def _with_lengths(self, source: Source, variables: Sequence[Variable]) -> SequenceBatch:
        parts = list(source.batches(variables))
        return self._cut(Batch.joined(parts) if parts else Batch(0, {}, {}))

    def _cut(self, batch: Batch) -> SequenceBatch:
        """All rows in their order, cut into sequences of the given lengths."""
        starts = self.starts
        if starts is None or len(starts) == 0 or int(starts[-1]) != batch.rows:
            raise BadData(
                f"lengths= add up to {0 if starts is None or not len(starts) else int(starts[-1])} rows, but "
                f"the data have {batch.rows}: give the number of rows of each sequence, in their order."
            )
        return self._weighted(SequenceBatch(batch, starts))

    def _weighted(self, rows: SequenceBatch) -> SequenceBatch:
        """The rows of the sequences that count: those of weight 0 are left out."""
        if self.weights is None:
            return rows
        return counting(replace(rows, weights=self._weights(rows.count)))

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
