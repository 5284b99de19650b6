"""What runs in the Python of Spark's workers; it travels as code, so that bayou may be absent there.

Nothing of bayou is imported at the top. Results travel as rows of :data:`PIECES`: a result is pickled and cut
into pieces far below the limits of Spark's messages (an Arrow batch, a message of Spark Connect).
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from typing import Any

PIECES = "kind string, part int, piece int, pieces int, data binary"
"""The columns of results: of which kind, of which partition, and one piece of the pickled result."""
PACKED = "data binary"
"""The column of rows that travel to the driver as they are."""
PIECE_BYTES = 1 << 22
ANSWER, LARGE, ERROR, ABSENT = "answer", "large", "error", "absent"
"""A result; that one has several pieces; a partition and bayou's error; the other version of bayou there."""

Piece = tuple[str, int, int, int, Any]
"""A row of :data:`PIECES`."""


def partition_function(task: bytes, version: str, piece_bytes: int = PIECE_BYTES) -> Callable[..., Any]:
    """A function for ``mapInArrow`` that applies a pickled task to the batches of a partition."""

    def work(batches: Iterator[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        context: Any = TaskContext.get()
        part = context.partitionId()
        kind, result = called(task, part, batches, version)
        if kind != ANSWER or result is not None:
            yield from cut(kind, part, result, piece_bytes)

    return work


def version_function(version: str) -> Callable[..., Any]:
    """A function for ``mapInArrow`` that tells which bayou a worker has: 'same', or another version."""

    def work(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        found = other_version(version)
        for _ in batches:
            yield pyarrow.RecordBatch.from_pydict({"found": ["same" if found is None else found]})

    return work


def merging_function(fan_in: int, version: str, piece_bytes: int = PIECE_BYTES) -> Callable[..., Any]:
    """A function for ``mapInArrow`` that adds the results of ``fan_in`` neighbouring partitions, in order.

    It gets the pieces of whole groups of partitions, sorted by partition and piece.
    """

    def work(batches: Iterator[Any]) -> Iterator[Any]:
        absent = other_version(version)
        if absent is not None:
            yield from cut(ABSENT, 0, absent, piece_bytes)
            return
        group, total = -1, None
        for kind, part, result in assembled(pieces_of(batches)):
            if kind != ANSWER:
                yield from cut(kind, part // fan_in, result, piece_bytes)
            elif part // fan_in == group:
                total = total + result
            else:
                if total is not None:
                    yield from cut(ANSWER, group, total, piece_bytes)
                group, total = part // fan_in, result
        if total is not None:
            yield from cut(ANSWER, group, total, piece_bytes)

    return work


def other_version(version: str) -> str | None:
    """The version of bayou on this worker if it is not this one, empty without bayou; None if it is."""
    try:
        import bayou
    except ImportError:
        return ""
    return None if bayou.__version__ == version else str(bayou.__version__)


def called(task: bytes, part: int, batches: Iterator[Any], version: str) -> tuple[str, Any]:
    """Apply a task to a partition; return the kind of what came out, and that."""
    absent = other_version(version)
    if absent is not None:
        return ABSENT, absent
    from bayou.errors import BayouError
    from bayou.sources.spark.partition_tasks import run_task

    try:
        return ANSWER, run_task(task, batches)
    except BayouError as error:
        return ERROR, (part, error)


def cut(kind: str, part: int, result: Any, piece_bytes: int = PIECE_BYTES) -> Iterator[Any]:
    """A result as Arrow batches of one piece each."""
    data = memoryview(pickle.dumps(result, protocol=5))
    pieces = -(-len(data) // piece_bytes)
    if pieces > 1:  # which a reader of results of one piece must know
        yield row_of((LARGE, part, 0, 1, b""))
    for piece in range(pieces):
        here = data[piece * piece_bytes : (piece + 1) * piece_bytes]
        yield row_of((kind, part, piece, pieces, here))


def row_of(piece: Piece) -> Any:
    """A piece as an Arrow batch."""
    import pyarrow

    types = [pyarrow.string(), pyarrow.int32(), pyarrow.int32(), pyarrow.int32(), pyarrow.binary()]
    arrays = [pyarrow.array([cell], kind) for cell, kind in zip(piece, types, strict=True)]
    return pyarrow.RecordBatch.from_arrays(arrays, names=["kind", "part", "piece", "pieces", "data"])


def pieces_of(batches: Iterable[Any]) -> Iterator[Piece]:
    """The rows of Arrow batches; the data are not copied."""
    for batch in batches:
        kinds, parts, places, pieces = (batch.column(k).to_pylist() for k in range(4))
        for row, cell in enumerate(batch.column(4)):
            yield kinds[row], parts[row], places[row], pieces[row], cell.as_buffer()


def assembled(pieces: Iterable[Piece]) -> Iterator[tuple[str, int, Any]]:
    """The results (kind, partition, result) that these pieces make, sorted by partition and place."""
    held: list[Any] = []
    for kind, part, _, count, data in pieces:
        if kind == LARGE:
            yield kind, part, None
            continue
        held.append(data)
        if len(held) == count:
            whole = b"".join(held) if count > 1 else held[0]
            held = []
            yield kind, part, pickle.loads(whole)


def packing_function(piece_bytes: int = PIECE_BYTES) -> Callable[..., Any]:
    """A function for ``mapInArrow`` that packs rows, as Arrow streams of bounded size, into binary cells."""

    def work(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        for batch in batches:
            parts = max(1, -(-batch.nbytes // piece_bytes))
            step = max(1, -(-batch.num_rows // parts))
            for first in range(0, batch.num_rows, step):
                sink = pyarrow.BufferOutputStream()
                with pyarrow.ipc.new_stream(sink, batch.schema) as writer:
                    writer.write_batch(batch.slice(first, step))
                packed = pyarrow.array([memoryview(sink.getvalue())], pyarrow.binary())
                yield pyarrow.RecordBatch.from_arrays([packed], names=["data"])

    return work
