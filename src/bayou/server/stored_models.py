"""Models in files, and what a server must know of each: whichever process has the model writes both."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from bayou.server.messages import Message
from bayou.server.models.about import about
from bayou.server.models.kinds import NETWORK, SEQUENCES, kind_of

SMALL_VARIABLES, SMALL_BYTES = 100, 8 * 2**20
_DIGITS = 32


class StoredModel(Message):
    """The facts of a model in a file, so that the server need not read it."""

    name: str
    """The hash of the file: the name of the revision."""
    kind: str
    size: int
    """The bytes of the file."""
    tables: int
    """The bytes of its tables, unpacked."""
    variables: int
    about: dict[str, Any]

    @property
    def is_small(self) -> bool:
        """Whether the server may have the model in memory, and answer small questions about it itself."""
        few = self.kind in SEQUENCES or (self.kind == NETWORK and self.variables <= SMALL_VARIABLES)
        return few and self.size + self.tables <= SMALL_BYTES


def stored(model: Any, path: str | Path) -> StoredModel:
    """Write a model to a file in bayou's own format; return what is to be known of it.

    >>> import bayou, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = stored(bayou.examples.asia(), Path(folder, "asia.bayou"))
    >>> found.kind, found.variables, found.is_small
    ('network', 8, True)
    """
    kind = kind_of(model)
    model.save(path)
    content = Path(path).read_bytes()
    return StoredModel(
        hashlib.sha256(content).hexdigest()[:_DIGITS],
        kind,
        len(content),
        _array_bytes(model.state()) if kind in (NETWORK, *SEQUENCES) else 0,
        len(getattr(model, "names", ())),
        about(model),
    )


def _array_bytes(value: Any) -> int:
    if isinstance(value, dict):
        return sum(map(_array_bytes, value.values()))
    if isinstance(value, list | tuple):
        return sum(map(_array_bytes, value))
    return int(getattr(value, "nbytes", 0))
