"""Reading and writing bytes of files: gzip is unpacked within limits, writing is complete or not at all."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from pathlib import Path
from typing import NamedTuple, TypeAlias

from bayou.errors import BadFile
from bayou.files.first_bytes import packed_kind
from bayou.files.replacement import put_in_place, temporary_stem
from bayou.formats.unpacking import NUMBERS, UnpackingLimit

FilePath: TypeAlias = str | os.PathLike[str]

_PIECE = 1 << 22
"""Bytes that are unpacked at a time."""


class FileContent(NamedTuple):
    """The bytes of a file, unpacked if they were gzip, and the size of the file itself."""

    data: bytes
    size: int


def read_bytes(path: FilePath) -> bytes:
    """Read a whole file; it is unpacked if its content (not its name) is gzip.

    >>> read_bytes("no such folder/asia.bif")
    Traceback (most recent call last):
    bayou.errors.BadFile: no such folder/asia.bif: cannot be read: No such file or directory.
    """
    return read_file(path).data


def read_file(path: FilePath) -> FileContent:
    """Read a whole file as :func:`read_bytes` does; its own size is returned too."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise BadFile.at(path, f"cannot be read: {error.strerror or error}.") from None
    except (TypeError, ValueError) as error:
        raise BadFile.at(repr(path), f"is not a path: {error}.") from None
    return FileContent(_unpacked(data, path) if packed_kind(data) == "gzip" else data, len(data))


def path_text(path: FilePath) -> str:
    """Return a path as text; anything that is not a path is refused.

    >>> path_text(3)
    Traceback (most recent call last):
    bayou.errors.BadFile: 3: is not a path: expected str, bytes or os.PathLike object, not int.
    """
    try:
        return os.fspath(path)
    except TypeError as error:
        raise BadFile.at(repr(path), f"is not a path: {error}.") from None


def _unpacked(data: bytes, path: FilePath) -> bytes:
    limit = UnpackingLimit(path, len(data), NUMBERS, "unpack it (gunzip) and open the unpacked file")
    pieces: list[bytes] = []
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            while piece := file.read(_PIECE):
                limit.add(len(piece))
                pieces.append(piece)
        return b"".join(pieces)
    except (OSError, EOFError, zlib.error) as error:
        raise BadFile.at(path, f"is damaged, gzip cannot unpack it: {error}.") from None


def write_bytes(path: FilePath, data: bytes) -> None:
    """Write a file completely or not at all; a file whose name ends in ``.gz`` is packed.

    The bytes are written to a temporary file beside the target and synced, then the file is renamed. A
    reader finds the old file or the new one at any time, even after a crash.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_bytes(f"{folder}/note.txt.gz", b"hello")
    ...     (read_bytes(f"{folder}/note.txt.gz"), os.listdir(folder))
    (b'hello', ['note.txt.gz'])
    """
    if path_text(path).endswith(".gz"):
        data = gzip.compress(data, mtime=0)
    try:
        # A link stays a link: the file that it points to is replaced.
        target = Path(os.path.realpath(path))
        if target.is_dir():
            raise BadFile.at(path, "cannot be written: it is a directory.")
        _replace(target, data)
    except OSError as error:
        raise BadFile.at(path, f"cannot be written: {error.strerror or error}.") from None
    except ValueError as error:
        if isinstance(error, BadFile):
            raise
        raise BadFile.at(repr(path), f"is not a path: {error}.") from None


def _replace(target: Path, data: bytes) -> None:
    # A short name of its own: the target's name with an ending could be too long.
    with temporary_stem(target) as stem:
        temporary = Path(f"{stem}.tmp")
        try:
            with temporary.open("xb") as file:  # never a file, or a link, that somebody else put there
                file.write(data)
            put_in_place(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)
