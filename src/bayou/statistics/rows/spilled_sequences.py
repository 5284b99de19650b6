"""Sequences of a source that is too large for memory, through temporary files with some sequences each.

There are three passes over the rows: for the keys of the sequences, their lengths, and the rows themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.codes import code_type, in_code_type
from bayou.errors import TooWide
from bayou.memory import require_memory
from bayou.statistics.batch import Batch
from bayou.statistics.rows.whole_sequences import KeyedRows, SequenceOrder, chunks
from bayou.statistics.source import Source
from bayou.typing import IntArray

Records = npt.NDArray[Any]
"""Rows as they are written: one record per row."""


def spilled(source: Source, order: SequenceOrder, most: int) -> Iterator[KeyedRows]:
    """Yield the rows of some whole sequences at a time, in the order of the sequences' keys.

    Each part takes up to about ``most`` bytes; a single sequence may be longer.
    """
    kind = _record_type(order)
    counts = _rows_by_sequence(source, order)
    part_of = _parts(counts, max(1, most // kind.itemsize))
    with TemporaryDirectory(prefix="bayou-") as folder:
        weighted = _write(source, order, kind, part_of, Path(folder))
        for part in range(int(part_of.max(initial=-1)) + 1):
            path = Path(folder) / str(part)
            if not path.exists():
                continue
            size = path.stat().st_size
            require_memory(2.0 * size, "One of the sequences", "Cut it into shorter ones.")
            records = np.fromfile(path, dtype=kind)
            path.unlink()
            yield _read(records, order, weighted)


def _rows_by_sequence(source: Source, order: SequenceOrder) -> IntArray:
    """The number of rows of each sequence, in the order of the keys."""
    assert order.sequence is not None
    counts = np.zeros(len(order.sequence.in_order), dtype=np.int64)
    for batch in source.batches([order.sequence.variable]):
        keys = order.sequence.keys(batch, "which sequence the row is in")
        counts += np.bincount(keys.astype(np.intp), minlength=len(counts))
    return counts


def _parts(counts: IntArray, most_rows: int) -> IntArray:
    """The part that each sequence is written to: whole chunks, up to ``most_rows`` rows."""
    present = np.flatnonzero(counts)
    starts = np.concatenate([[0], np.cumsum(counts[present])]).astype(np.int64)
    part_of = np.full(len(counts), -1, dtype=np.int64)
    part, rows = 0, 0
    for first, last in chunks(starts):
        size = int(starts[last] - starts[first])
        if rows and rows + size > most_rows:
            part, rows = part + 1, 0
        part_of[present[first:last]] = part
        rows += size
    return part_of


def _record_type(order: SequenceOrder) -> np.dtype[Any]:
    """The columns of a record: its place in the data, what it is sorted by, its weight, and the variables."""
    columns: list[tuple[str, Any]] = [("row", np.int64), ("sequence", np.float64), ("time", np.float64)]
    columns.append(("weight", np.float64))
    for place, variable in enumerate(order.variables):
        kind = np.float64 if variable.is_continuous else code_type(variable.cardinality)
        columns.append((f"column {place}", kind))
    return np.dtype(columns)


def no_room(error: OSError) -> TooWide:
    """The error of temporary files that could not be written."""
    return TooWide(
        f"The rows could not be written to temporary files ({error}): set TMPDIR to a folder with more room, "
        "or raise the limit (with bayou.limits(memory=…))."
    )


def _write(
    source: Source, order: SequenceOrder, kind: np.dtype[Any], part_of: IntArray, folder: Path
) -> bool:
    """Write each row to the file of its part, in the order of the data; return whether rows have weights."""
    weighted = False
    for batch in source.batches(order.read):
        rows = order.keyed(batch)
        assert rows.sequences is not None
        weighted = weighted or batch.weights is not None
        records = _records(rows, order, kind)
        parts = part_of[rows.sequences.astype(np.intp)]
        placed = np.argsort(parts, kind="stable")
        edges = np.concatenate([[0], np.flatnonzero(np.diff(parts[placed])) + 1, [len(placed)]])
        for first, last in pairwise(edges.tolist()):
            if first == last:
                continue
            try:
                with open(folder / str(parts[placed[first]]), "ab") as file:
                    records[placed[first:last]].tofile(file)
            except OSError as error:
                raise no_room(error) from None
    return weighted


def _records(rows: KeyedRows, order: SequenceOrder, kind: np.dtype[Any]) -> Records:
    batch = rows.batch
    records = np.zeros(batch.rows, dtype=kind)
    records["row"], records["sequence"] = batch.standing, rows.sequences
    records["time"] = 0.0 if rows.times is None else rows.times
    records["weight"] = 1.0 if batch.weights is None else batch.weights
    for place, variable in enumerate(order.variables):
        if variable.is_continuous:
            records[f"column {place}"] = batch.numbers[variable.name]
        else:
            records[f"column {place}"] = in_code_type(batch.codes[variable.name], variable.cardinality)
    return records


def _read(records: Records, order: SequenceOrder, weighted: bool) -> KeyedRows:
    """The rows of one file."""
    columns = {v: np.ascontiguousarray(records[f"column {k}"]) for k, v in enumerate(order.variables)}
    batch = Batch(
        len(records),
        {v.name: column for v, column in columns.items() if not v.is_continuous},
        {v.name: column for v, column in columns.items() if v.is_continuous},
        np.ascontiguousarray(records["weight"]) if weighted else None,
        places=np.ascontiguousarray(records["row"]),
    )
    times = None if order.time is None else np.ascontiguousarray(records["time"])
    return KeyedRows(batch, np.ascontiguousarray(records["sequence"]), times)
