"""bayou's own file: one zip with ``model.json`` and ``.npy`` arrays. Never pickle, never executed.

A name that ends in ``.json`` makes a text with the same content (``readable``).
"""

from __future__ import annotations

import io
import json
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.errors import BadFile, BayouError
from bayou.files.first_bytes import packed_kind
from bayou.formats import readable
from bayou.formats.file_content import FileContent, FilePath, path_text, read_file, write_bytes
from bayou.formats.unpacking import DOCUMENT, NUMBERS, Allowance, UnpackingLimit
from bayou.version import __version__

VERSION = 1
"""The version of the file's layout; files of all older versions can be loaded."""
_KEY = "$array"
_MAGIC = b"\x93NUMPY\x01\x00"
_HEADER = re.compile(
    rb"\{'descr': '(<f8|<i8|<u1|<u2|<u4|\|u1|\|b1)', 'fortran_order': False, "
    rb"'shape': \(((?:\d{1,18}, ?)*(?:\d{1,18})?)\), \} *\n"
)
"""The header of a .npy array as numpy writes it; it is matched, not evaluated."""


def write_bundle(path: FilePath, kind: str, state: Mapping[str, Any], written_by: str = __version__) -> None:
    """Write a state: nested dicts and lists of JSON values and numeric arrays."""
    document: dict[str, Any] = {"format": "bayou", "version": VERSION, "kind": kind, "written_by": written_by}
    if path_text(path).lower().endswith(readable.ENDINGS):
        write_bytes(path, readable.readable_text({**document, "state": state}).encode("utf-8"))
        return
    arrays: list[npt.NDArray[Any]] = []
    document["state"] = _without_arrays(state, arrays)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1)
        _add(archive, "model.json", text.encode("utf-8", "surrogatepass"))
        for number, array in enumerate(arrays):
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.asarray(array, order="C"), allow_pickle=False)
            _add(archive, f"arrays/{number}.npy", buffer.getvalue())
    write_bytes(path, packed.getvalue())


def read_bundle(path: FilePath) -> tuple[str, dict[str, Any]]:
    """Return the kind and the state of a model file."""
    return parse_bundle(read_file(path), path)


def parse_bundle(content: FileContent, path: FilePath) -> tuple[str, dict[str, Any]]:
    """Return the kind and the state in the content of a model file; ``path`` is for messages."""
    if readable.looks_readable(content.data):
        document = readable.read_document(content, path)
        _check(document, path)
        return document["kind"], document["state"]
    try:
        with zipfile.ZipFile(io.BytesIO(content.data)) as archive:
            members = _Members(archive, content.size, path)
            document = json.loads(members.take("model.json", DOCUMENT).decode("utf-8", "surrogatepass"))
            _check(document, path)
            return document["kind"], _with_arrays(document["state"], members, path)
    except zipfile.BadZipFile as error:
        raise BadFile.at(path, f"is not a model file of bayou, or is damaged: {error}.") from None
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadFile.at(path, f"model.json cannot be read: {error}.") from None
    except BadFile:
        raise
    except (zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError) as error:
        raise BadFile.at(path, f"is damaged: {error}.") from None


def looks_like_bundle(head: bytes) -> bool:
    """Whether a file that starts with these bytes is a zip, or the text of such a file."""
    return packed_kind(head) == "zip" or readable.looks_readable(head)


@contextmanager
def damage_named(path: FilePath) -> Iterator[None]:
    """Turn every error while a state is read into a ``BadFile``: the state, and so the file, is damaged."""
    try:
        yield
    except MemoryError:  # also TooWide: the file is whole, but too large here
        raise
    except BayouError as error:
        raise BadFile.at(path, f"is damaged: {error}") from None
    except Exception as error:
        raise BadFile.at(path, f"is damaged: its state is incomplete ({error!r}).") from None


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    # A fixed date, so that the same model gives the same bytes.
    entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, data, compresslevel=1)


def _check(document: Any, path: FilePath) -> None:
    if not isinstance(document, dict) or document.get("format") != "bayou":
        raise BadFile.at(path, "model.json does not say that this is a model file of bayou.")
    version = document.get("version")
    if not isinstance(version, int) or version < 1:
        raise BadFile.at(path, f"model.json has the version {version!r}; expected a whole number from 1.")
    if version > VERSION:
        raise BadFile.at(
            path,
            f"was written by a newer bayou (layout {version}, this one reads up to {VERSION}): update it.",
        )
    if not isinstance(document.get("kind"), str) or not isinstance(document.get("state"), dict):
        raise BadFile.at(path, "model.json lacks its kind or its state.")


class _Members:
    """The members of a model file; each is unpacked once, and all together within what the size allows."""

    def __init__(self, archive: zipfile.ZipFile, size: int, path: FilePath) -> None:
        self._archive, self._size, self._path = archive, size, path
        self._taken: set[str] = set()
        self._limits: dict[Allowance, UnpackingLimit] = {}

    def take(self, name: str, allowance: Allowance) -> bytes:
        """Unpack a member; one that is named twice is damage, because no file is written so."""
        if name in self._taken:
            raise BadFile.at(self._path, f"is damaged: {name} is named twice.")
        self._taken.add(name)
        try:
            entry = self._archive.getinfo(name)
        except KeyError:
            raise BadFile.at(self._path, f"lacks {name}.") from None
        if allowance not in self._limits:
            remedy = "unpack it and pack it again without compression (zip -0)"
            self._limits[allowance] = UnpackingLimit(self._path, self._size, allowance, remedy)
        self._limits[allowance].add(entry.file_size)
        with self._archive.open(entry) as file:
            # At most as many bytes as the entry claims: the archive's reader stops there.
            return file.read()


def _without_arrays(state: Any, arrays: list[npt.NDArray[Any]]) -> Any:
    if isinstance(state, np.ndarray):
        arrays.append(state)
        return {_KEY: len(arrays) - 1}
    if isinstance(state, Mapping):
        return {key: _without_arrays(value, arrays) for key, value in state.items()}
    if isinstance(state, list | tuple):
        return [_without_arrays(value, arrays) for value in state]
    return state


def _with_arrays(state: Any, members: _Members, path: FilePath) -> Any:
    if isinstance(state, dict):
        if len(state) == 1 and _KEY in state:
            return _array(members.take(f"arrays/{state[_KEY]}.npy", NUMBERS), path)
        return {key: _with_arrays(value, members, path) for key, value in state.items()}
    if isinstance(state, list):
        return [_with_arrays(value, members, path) for value in state]
    return state


def _array(data: bytes, path: FilePath) -> npt.NDArray[Any]:
    """Read a .npy array; its header is checked against the number of bytes before anything is allocated."""
    start = len(_MAGIC) + 2
    end = start + int.from_bytes(data[len(_MAGIC) : start], "little")
    header = _HEADER.fullmatch(data, start, end) if data.startswith(_MAGIC) else None
    if header is None:
        raise BadFile.at(path, f"has an unexpected array, which begins with {data[:end][:100]!r}.")
    dtype = np.dtype(header[1].decode())
    shape = tuple(int(size) for size in header[2].split(b",") if size.strip())
    bytes_there = len(data) - end
    if prod(shape) * dtype.itemsize != bytes_there:
        raise BadFile.at(
            path, f"has an array of shape {shape}, which does not fit its {bytes_there:,} bytes."
        )
    return np.frombuffer(data, dtype, offset=end).reshape(shape).copy()
