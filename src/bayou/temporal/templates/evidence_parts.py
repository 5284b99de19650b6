"""What is known of many sequences, some at a time: in memory, or read again from temporary files.

The parts are the same in both cases, and what is counted in them is added from the first to the last: the
sums are the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.temporal.stored_sequences import AnySequences
from bayou.temporal.templates.slice_evidence import SliceEvidence


@dataclass(frozen=True, eq=False)
class EvidenceParts:
    """Sequences, and how some of them become evidence."""

    sequences: AnySequences
    read: Callable[[SequenceBatch], SliceEvidence]

    @property
    def rows(self) -> int:
        """The number of rows of all sequences."""
        return self.sequences.rows

    @cached_property
    def _in_memory(self) -> list[SliceEvidence]:
        return list(self._read())

    def __iter__(self) -> Iterator[SliceEvidence]:
        """The evidence of some sequences at a time."""
        return iter(self._in_memory) if isinstance(self.sequences, SequenceBatch) else self._read()

    def _read(self) -> Iterator[SliceEvidence]:
        sequence, row = 0, 0
        for part in self.sequences.parts():
            yield replace(self.read(part), first_sequence=sequence, first_row=row)
            sequence, row = sequence + part.count, row + part.rows
