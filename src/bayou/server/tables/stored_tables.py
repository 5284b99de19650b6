"""The tables that clients have uploaded: each content once, under its hash, bounded in number and bytes."""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import msgspec

from bayou.server.problems import Problem, told_problem
from bayou.server.tables.forms import UploadedTable
from bayou.server.tables.reading import READ_TABLE, ReadTable, ReadTableAnswer
from bayou.server.workers.pool import WorkerPool

MOST_TABLES = 20
MOST_BYTES = 2**30
_DIGITS = 32
_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(eq=False)
class StoredTable:
    """A table in the server's folder, and what was found in it."""

    name: str
    file: Path
    answer: UploadedTable
    users: int = 0
    """How many jobs learn from it now: it is not dropped before they end."""

    @contextmanager
    def used(self) -> Iterator[None]:
        """Keep the table during the ``with`` block."""
        self.users += 1
        try:
            yield
        finally:
            self.users -= 1


class StoredTables:
    """Tables by hash; those that were not used for longest are dropped when there are too many."""

    def __init__(self, most_bytes_of_one: int, most: int = MOST_TABLES, most_bytes: int = MOST_BYTES) -> None:
        self._most_of_one, self._most, self._most_bytes = most_bytes_of_one, most, most_bytes
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._known: OrderedDict[str, StoredTable] = OrderedDict()
        self._arrivals = count()

    async def receive(self, pool: WorkerPool, body: AsyncIterator[bytes]) -> StoredTable:
        """Keep the table that the parts of a body make; a worker process reads it."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="bayou-tables-")
        arrived = Path(self._folder.name, f"arrived-{next(self._arrivals)}")
        try:
            name = await _written(arrived, body)
            if name not in self._known:
                await self._read(pool, arrived, name)
            self._known.move_to_end(name)
            return self._known[name]
        finally:
            for left in arrived.parent.glob(f"{arrived.name}*"):
                left.unlink(missing_ok=True)

    async def _read(self, pool: WorkerPool, arrived: Path, name: str) -> None:
        task = msgspec.json.encode(ReadTable(name, self._most_of_one))
        status, answer = await pool.run(READ_TABLE.name, str(arrived), task)
        if status != 200:
            raise told_problem(answer)
        found = msgspec.json.decode(answer, type=ReadTableAnswer)
        place = arrived.with_name(f"{name}{found.ending}")
        arrived.with_suffix(found.ending).rename(place)
        self._known[name] = StoredTable(name, place, found.answer)
        self._drop_old(name)

    def find(self, name: str) -> StoredTable:
        """Return a table by its id."""
        found = self._known.get(name) if _ID.fullmatch(name) else None
        if found is None:
            raise Problem(
                404, "unknown-table", "The server does not have this table, or no longer: send it again."
            )
        self._known.move_to_end(name)
        return found

    def close(self) -> None:
        """Delete the files."""
        self._known.clear()
        if self._folder is not None:
            self._folder.cleanup()

    def __len__(self) -> int:
        return len(self._known)

    @property
    def bytes(self) -> int:
        """The bytes of all files."""
        return sum(table.answer.bytes for table in self._known.values())

    def _drop_old(self, newest: str) -> None:
        for name, table in list(self._known.items()):
            if len(self) <= self._most and self.bytes <= self._most_bytes:
                return
            if name != newest and not table.users:
                del self._known[name]
                table.file.unlink(missing_ok=True)


async def _written(place: Path, body: AsyncIterator[bytes]) -> str:
    """Write a body to a file as it comes; return the hash of its content."""
    digest = hashlib.sha256()
    size = 0
    with place.open("wb") as file:
        async for part in body:
            digest.update(part)
            size += len(part)
            file.write(part)
    if not size:
        raise Problem(422, "bad-data", "The body is empty: send the bytes of a table.")
    return digest.hexdigest()[:_DIGITS]
