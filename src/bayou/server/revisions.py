"""The networks that the server has: each content once, under its hash, bounded in number and bytes."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bayou.models.network import Network
from bayou.server.problems import Problem

MOST_REVISIONS = 500
MOST_BYTES = 256 * 2**20
SMALL_VARIABLES, SMALL_BYTES = 100, 8 * 2**20
SLOW, MOST_SLOW = 0.05, 3
_DIGITS = 32
_REVISION = re.compile(r"[0-9a-f]{32}")


@dataclass(eq=False)
class Revision:
    """A network that never changes, its file for other processes, and the remarks made when it was read."""

    name: str
    network: Network
    file: Path
    size: int
    remarks: tuple[str, ...] = ()
    kept: bool = False
    """Whether it stays whatever comes: a model that the server was started with."""
    documents: dict[str, bytes] = field(default_factory=dict)
    """Answers that depend on the network alone, made once."""
    slow: int = 0

    @property
    def is_small(self) -> bool:
        """Whether questions may be answered in the server's own process, which must never be blocked."""
        few = len(self.network.names) <= SMALL_VARIABLES and self.size <= SMALL_BYTES
        return few and self.slow < MOST_SLOW

    @property
    def bytes(self) -> int:
        """About how much memory it takes, with its documents."""
        return self.size + sum(len(document) for document in self.documents.values())

    def took(self, seconds: float) -> None:
        """Remember how long a question took here; after a few slow ones, workers answer them."""
        self.slow += seconds > SLOW


def table_bytes(network: Network) -> int:
    """The bytes of the tables of a network, unpacked."""
    state = network.state()
    return _array_bytes(state)


def _array_bytes(value: Any) -> int:
    if isinstance(value, dict):
        return sum(map(_array_bytes, value.values()))
    if isinstance(value, list | tuple):
        return sum(map(_array_bytes, value))
    return int(getattr(value, "nbytes", 0))


class Revisions:
    """Revisions by hash; those that were not used for longest are dropped when there are too many."""

    def __init__(self, most: int = MOST_REVISIONS, most_bytes: int = MOST_BYTES) -> None:
        self._most, self._most_bytes = most, most_bytes
        self._folder = tempfile.TemporaryDirectory(prefix="bayou-models-")
        self._known: OrderedDict[str, Revision] = OrderedDict()

    def add(self, network: Network, remarks: tuple[str, ...] = (), kept: bool = False) -> Revision:
        """Keep a network that nobody changes from now on; return its revision, which may be known already."""
        file = Path(self._folder.name) / "new.bayou"
        network.save(file)
        content = file.read_bytes()
        name = hashlib.sha256(content).hexdigest()[:_DIGITS]
        found = self._known.get(name)
        if found is None:
            place = file.with_name(f"{name}.bayou")
            os.replace(file, place)
            size = len(content) + table_bytes(network)
            found = self._known[name] = Revision(name, network, place, size, remarks)
        found.kept |= kept
        self._known.move_to_end(name)
        self._drop_old()
        return found

    def find(self, name: str) -> Revision:
        """Return a revision by its name."""
        if not _REVISION.fullmatch(name):
            raise Problem(404, "not-found", "There is no model of this name; GET /v1/models lists them.")
        found = self._known.get(name)
        if found is None:
            raise Problem(
                404, "unknown-revision", "The server no longer has this revision: open the model again."
            )
        self._known.move_to_end(name)
        return found

    def close(self) -> None:
        """Delete the files."""
        self._known.clear()
        self._folder.cleanup()

    def __len__(self) -> int:
        return len(self._known)

    def _drop_old(self) -> None:
        total = sum(revision.bytes for revision in self._known.values())
        for name in list(self._known)[:-1]:
            if len(self._known) <= self._most and total <= self._most_bytes:
                return
            revision = self._known[name]
            if not revision.kept:
                total -= revision.bytes
                del self._known[name]
                revision.file.unlink(missing_ok=True)
