"""Sequences of a source that is too large for memory, through temporary files with some sequences each.

There are three passes over the rows: for the keys of the sequences, their lengths, and the rows themselves.
A sequence that is too long for memory may be cut by time into several files; a fourth pass finds the times.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
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
from bayou.typing import FloatArray, IntArray

_SAMPLED_TIMES = 2**18
"""About so many times are looked at to cut long sequences."""
Records = npt.NDArray[Any]
"""Rows as they are written: one record per row."""


@dataclass(frozen=True)
class _Places:
    """The file that each row is written to: that of its sequence, and of its time if this has several.

    ``part_of`` has the (first) part of each sequence, ``cuts`` the times between the parts of long ones.
    """

    part_of: IntArray
    cuts: dict[int, FloatArray]

    def of(self, rows: KeyedRows) -> IntArray:
        """The part of each row."""
        assert rows.sequences is not None
        keys = rows.sequences.astype(np.intp)
        parts = self.part_of[keys]
        for key, cuts in self.cuts.items():
            own = keys == key
            parts[own] += np.searchsorted(cuts, _times(rows)[own], side="right")
        return parts

    @property
    def count(self) -> int:
        """The number of parts."""
        pieces = np.array([len(self.cuts.get(key, ())) for key in range(len(self.part_of))], dtype=np.int64)
        return int((self.part_of + pieces).max(initial=-1)) + 1

    def ends(self, part: int) -> tuple[bool, bool]:
        """Whether the first sequence of a part begins there, and whether its last one ends there."""
        for key, cuts in self.cuts.items():
            piece = part - int(self.part_of[key])
            if 0 <= piece <= len(cuts):
                return piece == 0, piece == len(cuts)
        return True, True


def spilled(
    source: Source, order: SequenceOrder, most: int, *, split: bool = False
) -> Iterator[tuple[KeyedRows, bool, bool]]:
    """Yield the rows of some whole sequences at a time, in the order of the sequences' keys.

    Each part takes up to about ``most`` bytes; a single sequence may be longer or, with ``split``, come in
    several parts. The two truth values say whether the first sequence of a part begins, and whether the last
    one ends there.
    """
    kind = _record_type(order)
    most_rows = max(1, most // kind.itemsize)
    counts = _rows_by_sequence(source, order)
    cuts = _time_cuts(source, order, counts, most_rows) if split else {}
    places = _Places(_parts(counts, most_rows, cuts), cuts)
    with TemporaryDirectory(prefix="bayou-") as folder:
        weighted = _write(source, order, kind, places, Path(folder))
        for part in range(places.count):
            path = Path(folder) / str(part)
            if not path.exists():
                path.touch()  # a piece of a sequence without any row: the others still follow each other
            size = path.stat().st_size
            require_memory(2.0 * size, "One of the sequences", "Cut it into shorter ones.")
            records = np.fromfile(path, dtype=kind)
            path.unlink()
            yield _read(records, order, weighted), *places.ends(part)


def _keyed(order: SequenceOrder, batch: Batch) -> KeyedRows:
    """The rows with what they are sorted by; without a sequence column all belong to sequence 0."""
    rows = order.keyed(batch)
    return rows if rows.sequences is not None else replace(rows, sequences=np.zeros(batch.rows))


def _times(rows: KeyedRows) -> FloatArray:
    """The time of each row; without a time column its place in the data."""
    return np.asarray(rows.batch.standing, dtype=np.float64) if rows.times is None else rows.times


def _rows_by_sequence(source: Source, order: SequenceOrder) -> IntArray:
    """The number of rows of each sequence, in the order of the keys."""
    if order.sequence is None:
        return np.array([sum(batch.rows for batch in source.batches(order.read[:1]))], dtype=np.int64)
    counts = np.zeros(len(order.sequence.in_order), dtype=np.int64)
    for batch in source.batches([order.sequence.variable]):
        keys = order.sequence.keys(batch, "which sequence the row is in")
        counts += np.bincount(keys.astype(np.intp), minlength=len(counts))
    return counts


def _time_cuts(
    source: Source, order: SequenceOrder, counts: IntArray, most_rows: int
) -> dict[int, FloatArray]:
    """For each sequence of more than ``most_rows`` rows the times at which it is cut: quantiles of some of
    its times, so that each piece has fewer.
    """
    long = np.flatnonzero(counts > most_rows)
    if not len(long):
        return {}
    share = min(1.0, _SAMPLED_TIMES / int(counts[long].sum()))
    chance = np.random.default_rng(0)  # rows of several sequences may take turns: every n-th would miss some
    keys: list[FloatArray] = []
    times: list[FloatArray] = []
    columns = [one.variable for one in (order.sequence, order.time) if one is not None] or order.read[:1]
    for batch in source.batches(columns):
        rows = _keyed(replace(order, variables=()), batch)
        assert rows.sequences is not None
        chosen = np.flatnonzero(chance.random(batch.rows) < share)
        keys.append(rows.sequences[chosen])
        times.append(_times(rows)[chosen])
    of, when = np.concatenate(keys), np.concatenate(times)
    cuts = {}
    for key in long.tolist():
        pieces = int(np.ceil(1.5 * counts[key] / most_rows))
        own = np.sort(when[of == key])
        if len(own):
            cuts[key] = np.unique(own[(np.arange(1, pieces) * len(own)) // pieces])
    return cuts


def _apart(
    stretches: Iterable[tuple[int, int]], present: IntArray, cuts: dict[int, FloatArray]
) -> Iterator[tuple[int, int]]:
    """The same stretches of sequences, with those that are cut as stretches of their own."""
    for first, last in stretches:
        begin = first
        for place in range(first, last) if cuts else ():
            if int(present[place]) in cuts:
                if begin < place:
                    yield begin, place
                yield place, place + 1
                begin = place + 1
        if begin < last:
            yield begin, last


def _parts(counts: IntArray, most_rows: int, cuts: dict[int, FloatArray]) -> IntArray:
    """The part that each sequence is written to: whole chunks, up to ``most_rows`` rows; one that is cut has
    parts of its own, of which this is the first.
    """
    present = np.flatnonzero(counts)
    starts = np.concatenate([[0], np.cumsum(counts[present])]).astype(np.int64)
    part_of = np.full(len(counts), -1, dtype=np.int64)
    part, rows = 0, 0
    for first, last in _apart(chunks(starts), present, cuts):
        size = int(starts[last] - starts[first])
        pieces = len(cuts[int(present[first])]) + 1 if int(present[first]) in cuts else 0
        if rows and (rows + size > most_rows or pieces):
            part, rows = part + 1, 0
        part_of[present[first:last]] = part
        part, rows = (part + pieces, 0) if pieces else (part, rows + size)
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


def _write(source: Source, order: SequenceOrder, kind: np.dtype[Any], places: _Places, folder: Path) -> bool:
    """Write each row to the file of its part, in the order of the data; return whether rows have weights."""
    weighted = False
    for batch in source.batches(order.read):
        rows = _keyed(order, batch)
        weighted = weighted or batch.weights is not None
        records = _records(rows, order, kind)
        parts = places.of(rows)
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
