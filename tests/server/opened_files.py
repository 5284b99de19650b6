"""What the system opens below a folder, in any process and any library: told by Linux (inotify)."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

IN_ACCESS, IN_OPEN = 0x1, 0x20
HEAD = 16


@contextmanager
def opened_below(folder: Path) -> Iterator[list[str]]:
    """The names of files of the folder that are opened or read inside the block, known at its end."""
    system = ctypes.CDLL(None, use_errno=True)
    watch = system.inotify_init1(os.O_NONBLOCK)
    assert watch >= 0
    assert system.inotify_add_watch(watch, str(folder).encode(), IN_ACCESS | IN_OPEN) >= 0
    names: list[str] = []
    try:
        yield names
        names += _names(watch)
    finally:
        os.close(watch)


def _names(watch: int) -> Iterator[str]:
    while True:
        try:
            events = os.read(watch, 2**16)
        except BlockingIOError:
            return
        while events:
            size = int.from_bytes(events[12:HEAD], "little")
            yield events[HEAD : HEAD + size].rstrip(b"\0").decode()
            events = events[HEAD + size :]
