"""The models that the server has: each content once, under its hash, bounded in number and bytes."""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bayou.loading import load
from bayou.server.models.kinds import with_article
from bayou.server.problems import Problem
from bayou.server.stored_models import StoredModel, stored

MOST_REVISIONS = 500
MOST_BYTES = 256 * 2**20
MODEL_BYTES, VARIABLE_BYTES = 64 * 2**10, 8 * 2**10
"""About what a model in memory takes besides its tables, and what each variable with its part of plans."""
SLOW, MOST_SLOW = 0.05, 3
FILE = "model.bayou"
_REVISION = re.compile(r"[0-9a-f]{32}")


@dataclass(eq=False)
class Revision:
    """A model that never changes, its file for other processes, and the remarks made when it was read.

    Small models are kept in memory, too, because small questions about them are answered at once.
    """

    facts: StoredModel
    model: Any
    """The model, or None if it is only in its file."""
    file: Path
    remarks: tuple[str, ...] = ()
    kept: bool = False
    """Whether it stays whatever comes: a model that the server was started with."""
    documents: dict[str, bytes] = field(default_factory=dict)
    """Answers that depend on the network alone, made once."""
    slow: int = 0

    @property
    def name(self) -> str:
        """The hash of its content."""
        return self.facts.name

    @property
    def kind(self) -> str:
        """The kind of the model."""
        return self.facts.kind

    @property
    def about(self) -> dict[str, Any]:
        """What a list of models tells of it: its size, what it predicts."""
        return self.facts.about

    def require_kind(self, kind: str) -> None:
        """Raise the problem 422 if this is another kind of model."""
        if self.kind != kind:
            raise Problem(
                422, "wrong-kind", f"This is {with_article(self.kind)}; {with_article(kind)} is needed."
            )

    @property
    def is_small(self) -> bool:
        """Whether questions may be answered in the server's own process, which must never be blocked."""
        return self.model is not None and self.slow < MOST_SLOW

    @property
    def bytes(self) -> int:
        """About how much memory it takes, with its documents and its file, whose folder may be in memory."""
        known = self.facts.size + sum(len(document) for document in self.documents.values())
        if self.model is None:
            return known
        return known + self.facts.tables + MODEL_BYTES + VARIABLE_BYTES * self.facts.variables

    def took(self, seconds: float) -> None:
        """Remember the processor time of a question here; after a few slow ones, workers answer them.

        Not the time on the clock: on a busy machine every question is slow now and then.
        """
        self.slow += seconds > SLOW


class Revisions:
    """Revisions by hash; those that were not used for longest are dropped when there are too many."""

    def __init__(self, most: int = MOST_REVISIONS, most_bytes: int = MOST_BYTES) -> None:
        self._most, self._most_bytes = most, most_bytes
        self._folder = tempfile.TemporaryDirectory(prefix="bayou-models-")
        self._known: OrderedDict[str, Revision] = OrderedDict()

    def add(self, model: Any, remarks: tuple[str, ...] = ()) -> Revision:
        """Keep a model that nobody changes from now on, before the server answers: this may take a while."""
        with self._place() as folder:
            path = Path(folder, FILE)
            return self._taken(path, stored(model, path), remarks, model)

    async def add_soon(self, model: Any, remarks: tuple[str, ...] = ()) -> Revision:
        """The same while the server answers: for small models; others are made by workers, see ``take``."""
        with self._place() as folder:
            path = Path(folder, FILE)
            facts = await asyncio.to_thread(stored, model, path)
            return self._taken(path, facts, remarks, model)

    async def take(self, path: Path, facts: StoredModel, remarks: tuple[str, ...] = ()) -> Revision:
        """Keep the model that a worker has stored in this file; it is read here only if it is small."""
        is_needed = facts.is_small and facts.name not in self._known
        model = await asyncio.to_thread(load, path) if is_needed else None
        return self._taken(path, facts, remarks, model)

    def _taken(self, path: Path, facts: StoredModel, remarks: tuple[str, ...], model: Any) -> Revision:
        """The revision of a file, which is moved; or the one that has this content already."""
        found = self._known.get(facts.name)
        if found is None:
            place = Path(self._folder.name, f"{facts.name}.bayou")
            os.replace(path, place)
            found = Revision(facts, model if facts.is_small else None, place, remarks)
            self._known[facts.name] = found
        self._known.move_to_end(facts.name)
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

    def _place(self) -> tempfile.TemporaryDirectory[str]:
        return tempfile.TemporaryDirectory(prefix="new-", dir=self._folder.name)

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
