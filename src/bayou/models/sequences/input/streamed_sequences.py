"""Sequences of files that are too large for memory: read some at a time, or stored in temporary files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from bayou.models.sequences.input.time_gaps import step_found, tell_step, with_missing_steps
from bayou.models.sequences.input.time_steps import TimeStep
from bayou.schema import Variable
from bayou.statistics import Source
from bayou.statistics.rows import sequence_batch
from bayou.statistics.rows.sequence_batch import SequenceBatch, recut
from bayou.statistics.rows.whole_sequences import SequenceBlock, sequence_blocks, whole_sequences
from bayou.temporal.stored_sequences import LongRows, StoredSequences
from bayou.typing import Name


def streamed_blocks(
    source: Source,
    sequence: Name | None,
    time: Name | None,
    variables: Sequence[Variable],
    when: Variable | None,
    step: TimeStep | None = None,
) -> Iterator[SequenceBlock]:
    """Some sequences at a time; one that is too long for memory comes in pieces.

    With ``when``, the column of times, steps that are missing are filled in; then a sequence must be whole.
    ``step`` is the time between two steps; None: it is found in all sequences first.
    """
    if when is None:
        yield from sequence_blocks(source, sequence, time, variables)
        return
    used = step
    if used is None:
        used = step_found(whole_sequences(source, sequence, time, [when]), when)
        tell_step(used, when)
    for part in whole_sequences(source, sequence, time, variables):
        yield SequenceBlock(with_missing_steps(part, when, used))


def stored_sequences(blocks: Iterable[SequenceBlock], variables: Sequence[Variable]) -> StoredSequences:
    """All sequences in temporary files."""
    stored = StoredSequences(variables)
    for block in blocks:
        stored.add(block.rows, goes_on=not block.opens)
    return stored


def streamed_parts(
    blocks: Iterable[SequenceBlock], variables: Sequence[Variable]
) -> Iterator[SequenceBatch | LongRows]:
    """Some whole sequences at a time, cut as if all were in memory; a long one as rows in temporary files."""
    number = 0
    for is_whole, group in groupby(blocks, lambda block: block.opens and block.closes):
        if is_whole:
            for part in recut(block.rows for block in group):
                yield part
                number += part.count
            continue
        stored = StoredSequences(variables)
        for block in group:
            stored.add(block.rows, goes_on=not block.opens)
            if block.closes:
                yield LongRows(stored, 0, stored.rows, sequence_batch.ROWS_OF_PART, number=number)
                number, stored = number + 1, StoredSequences(variables)
