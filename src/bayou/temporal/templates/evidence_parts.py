"""What is known of many sequences, some at a time: in memory, or read again from temporary files.

The parts are the same in both cases, and what is counted in them is added from the first to the last: the
sums are the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.temporal.stored_sequences import AnySequences

E = TypeVar("E")
"""What is known of some sequences."""


@dataclass(frozen=True, eq=False)
class EvidenceParts(Generic[E]):
    """Sequences, and how some of them become evidence: from the rows, the number of the first sequence and
    that of the first row.
    """

    sequences: AnySequences
    read: Callable[[SequenceBatch, int, int], E]

    @property
    def rows(self) -> int:
        """The number of rows of all sequences."""
        return self.sequences.rows

    @cached_property
    def _in_memory(self) -> list[E]:
        return list(self._read())

    def __iter__(self) -> Iterator[E]:
        """The evidence of some sequences at a time."""
        return iter(self._in_memory) if isinstance(self.sequences, SequenceBatch) else self._read()

    def _read(self) -> Iterator[E]:
        sequence, row = 0, 0
        for part in self.sequences.parts():
            yield self.read(part, sequence, row)
            sequence, row = sequence + part.count, row + part.rows
