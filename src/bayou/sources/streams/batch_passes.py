"""Passes over an iterable of batches: one that can be read only once, again and again, or from a file."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator
from itertools import count, islice
from typing import IO, Any

from bayou.errors import BadData
from bayou.sources.tables.read_frames import is_from

_MOST_LOOKED_AT = 16
"""At most this many batches are held to see the type of columns that begin with gaps."""


def is_batch_reader(data: Any) -> bool:
    """Whether data can only be batches of rows, and not one table.

    That is so of generators and other iterators, lists of data frames, a torch ``DataLoader``, and the
    readers of ``pandas.read_csv(…, chunksize=…)`` and of Arrow. Any other iterable needs ``from_batches``.

    >>> is_batch_reader([{"A": 1}]), is_batch_reader(iter([{"A": [1, 2]}]))
    (False, True)
    """
    if isinstance(data, list | tuple):
        return bool(data) and all(map(_is_frame, data))
    readers = {"pandas": "TextFileReader", "pyarrow": "RecordBatchReader", "torch": "DataLoader"}
    if any(is_from(data, package, name) for package, name in readers.items()):
        return True
    # Files, and cursors of databases, are iterators too.
    return isinstance(data, Iterator) and not any(hasattr(data, name) for name in ("read", "execute"))


def _is_frame(item: Any) -> bool:
    frames = (
        ("pandas", "DataFrame"),
        ("polars", "DataFrame"),
        ("pyarrow", "Table"),
        ("pyarrow", "RecordBatch"),
    )
    return any(is_from(item, package, name) for package, name in frames)


class BatchPasses:
    """The batches of a user, pass after pass; the first ones can be looked at before the first pass.

    ``batches`` is an iterable, or a function without arguments that returns one. An iterator can be read only
    once, unless ``keep`` stores its batches in a temporary file while they are read.
    """

    def __init__(self, batches: Any, keep: bool) -> None:
        if not callable(batches) and not hasattr(batches, "__iter__"):
            raise BadData(
                f"A {type(batches).__name__} is not an iterable of batches. Give a list or an iterator of "
                "tables, or a function that returns one."
            )
        self._given, self._keep = batches, keep
        self._running: Iterator[Any] | None = None  # the first pass
        self._last: Iterator[Any] | None = None  # what a function returned for the last pass
        self._looked_at: list[Any] = []
        self._first: Any | None = None  # kept where several passes are possible
        self._begun = False  # whether the first pass went beyond the batches that were looked at
        self._kept = _KeptBatches()
        self._failed: BaseException | None = None  # what ended the batches that are kept

    @property
    def read_once(self) -> bool:
        """Whether a second pass is impossible."""
        given = self._given
        return not self._keep and not callable(given) and iter(given) is given

    def peek(self, number: int) -> Any | None:
        """One of the first batches, without a pass over all; None if there is none, or it is too far away."""
        if number >= _MOST_LOOKED_AT:
            return None
        if self._begun:
            if number == 0 and self._first is not None:
                return self._first
            return next(islice(iter(self), number, None), None)
        if self._running is None:
            self._running = self._fresh()
        while len(self._looked_at) <= number:
            batch = next(self._running, None)
            if batch is None:
                return None
            self._looked_at.append(batch)
        return self._looked_at[number]

    def __iter__(self) -> Iterator[Any]:
        """One pass over all batches."""
        if self._keep:
            return self._kept_pass()
        if not self._begun:
            return self._first_pass()
        if self.read_once:
            raise BadData(
                "The batches can be read only once, and were read already; what is asked for needs another "
                "pass. Give a function that begins again, bayou.from_batches(lambda: …), or keep the batches "
                "in a temporary file as they are read: bayou.from_batches(batches, keep=True)."
            )
        return self._fresh()

    def _fresh(self) -> Iterator[Any]:
        given = self._given() if callable(self._given) else self._given
        if not hasattr(given, "__iter__"):
            raise BadData(
                f"The function of from_batches returned a {type(given).__name__}; expected an iterable of "
                "tables, such as a generator."
            )
        running: Iterator[Any] = iter(given)
        if running is given and running is self._last:
            raise BadData(
                "The function of from_batches returned the same iterator again, which was read already. Let "
                "it make a fresh one: from_batches(lambda: read_days()), not from_batches(lambda: days)."
            )
        self._last = running
        return running

    def _first_pass(self) -> Iterator[Any]:
        self.peek(0)
        yield from self._looked_at[:1]  # a pass that stops here can begin again
        running, held = self._running, self._looked_at[1:]
        if self._begun:
            raise BadData("Two passes over the same batches run at the same time.")
        self._begun, self._running = True, None
        self._first = None if self.read_once or not self._looked_at else self._looked_at[0]
        assert running is not None
        self._looked_at = []
        yield from held
        yield from running

    def _kept_pass(self) -> Iterator[Any]:
        """The batches that are kept, then new ones: a pass that stops early loses none."""
        place = 0
        for number in count():
            if number < self._kept.number:
                batch, place = self._kept.read(place)
            else:
                found = self._next()
                if found is None:
                    return
                (batch,) = found
                place = self._kept.store(batch)
            yield batch

    def _next(self) -> tuple[Any] | None:
        """The next batch of the user; None at the end."""
        if not self._begun:
            self._first = self.peek(0)
            self._begun = True
        if self._looked_at:
            return (self._looked_at.pop(0),)
        if self._failed is not None:
            raise BadData(
                f"An earlier pass over the batches ended with an error ({self._failed}), so the rest of them "
                "is missing. Give a function that begins again: bayou.from_batches(lambda: …)."
            )
        assert self._running is not None
        try:
            return (next(self._running),)
        except StopIteration:
            return None
        except BaseException as error:
            self._failed = error
            raise


class _KeptBatches:
    """Batches in a temporary file without a name, which only this process reads and writes."""

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None
        self.number = 0

    def store(self, batch: Any) -> int:
        """Add a batch; return the place after it."""
        import pickle
        import tempfile

        from bayou.statistics.rows.spilled_sequences import no_room

        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile(prefix="bayou-")  # noqa: SIM115  # closed with this object
                weakref.finalize(self, self._file.close)
            self._file.seek(0, os.SEEK_END)
            pickle.dump(batch, self._file, protocol=pickle.HIGHEST_PROTOCOL)
            self.number += 1
            return self._file.tell()
        except OSError as error:
            raise no_room(error) from None
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            raise BadData(
                f"keep=True stores the batches in a temporary file, but a {type(batch).__name__} cannot be "
                f"stored ({error}). Give a function that returns a fresh iterator instead."
            ) from None

    def read(self, place: int) -> tuple[Any, int]:
        """The batch at a place, and the place after it."""
        import pickle

        assert self._file is not None
        self._file.seek(place)
        return pickle.load(self._file), self._file.tell()
