"""Files written beside their target and then renamed, so that a reader finds the old file or the new one.

Temporary files have names of their own, ``.bayou-`` and 16 digits. While a process writes them it holds a
lock on the one that ends in ``.lock``; files whose lock is free were left by a process that was killed, and
the next one that writes to the folder deletes them.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_OURS = re.compile(r"(\.bayou-[0-9a-f]{16})\..+")
_LOCK = ".lock"
# Files of others that only have such a name are not followed, nor waited for.
_CAREFUL = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


@contextmanager
def temporary_stem(target: Path) -> Iterator[str]:
    """Yield a path without ending, for temporary files beside the target; the caller makes and deletes them.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, temporary_stem(Path(folder, "net.bif")) as stem:
    ...     bool(_OURS.fullmatch(os.path.basename(f"{stem}.tmp")))
    True
    """
    sweep(target.parent)
    stem, lock = "", -1
    try:  # from before the lock exists, so that an interrupt at any moment leaves no file
        while lock < 0:
            stem = str(target.with_name(f".bayou-{os.urandom(8).hex()}"))
            lock = _claimed(stem)
        yield stem
    finally:
        # Windows deletes no open file, other systems release the lock only when the file is closed: the name
        # goes first where that is possible.
        with contextlib.suppress(OSError):
            os.unlink(f"{stem}{_LOCK}")
        if lock >= 0:
            os.close(lock)
        with contextlib.suppress(OSError):
            os.unlink(f"{stem}{_LOCK}")


def put_in_place(temporary: Path, target: Path) -> None:
    """Replace the target atomically: sync, keep the old file's permissions, rename, sync the folder."""
    with temporary.open("rb+") as file:
        os.fsync(file.fileno())
    if target.exists():
        os.chmod(temporary, target.stat().st_mode & 0o7777)
    os.replace(temporary, target)
    # Makes the rename durable, on systems that can sync a folder.
    with contextlib.suppress(OSError):
        descriptor = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def sweep(folder: Path) -> None:
    """Delete the temporary files in a folder whose process no longer exists."""
    with contextlib.suppress(OSError):
        left: dict[str, list[str]] = {}
        for name in os.listdir(folder):
            if ours := _OURS.fullmatch(name):
                left.setdefault(ours[1], []).append(name)
        for stem, names in left.items():
            with contextlib.suppress(OSError), _lock_of_nobody(os.path.join(folder, stem)):
                for name in names:
                    _delete(os.path.join(folder, name))


def _claimed(stem: str) -> int:
    """The descriptor of a new lock file, which is locked; -1 if another process swept it before that."""
    lock = os.open(f"{stem}{_LOCK}", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
    with contextlib.suppress(OSError):  # a file system without locks
        _lock(lock, wait=True)
    if os.fstat(lock).st_nlink:
        return lock
    os.close(lock)
    return -1


@contextmanager
def _lock_of_nobody(stem: str) -> Iterator[None]:
    """Hold the lock of a killed process; OSError if a living one holds it."""
    try:
        lock = os.open(f"{stem}{_LOCK}", os.O_RDWR | _CAREFUL)
    except FileNotFoundError:  # the process was killed before or after it held the lock
        yield
        return
    try:
        _lock(lock, wait=False)
        yield
    finally:
        os.close(lock)


def _lock(descriptor: int, wait: bool) -> None:
    """Lock an open file, until it is closed or the process ends; OSError if that is not possible."""
    if os.name == "nt":  # nobody deletes a file that is open
        return
    import fcntl

    fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


def _delete(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            os.unlink(path)
