"""bayou's own file: one zip with ``model.json`` and ``.npy`` arrays. Never pickle, never executed."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.errors import BadFile, BayouError
from bayou.formats.files import FilePath, read_bytes, write_bytes
from bayou.version import __version__

VERSION = 1
"""The version of the file's layout; files of all older versions can be loaded."""
_KEY = "$array"
_LARGEST_MEMBER = 2**34
_DTYPES = ("<f8", "<i8", "<u1", "<u2", "<u4", "|u1", "|b1")


def write_bundle(path: FilePath, kind: str, state: Mapping[str, Any], written_by: str = __version__) -> None:
    """Write a state: nested dicts and lists of JSON values and numeric arrays."""
    arrays: list[npt.NDArray[Any]] = []
    document = {
        "format": "bayou",
        "version": VERSION,
        "kind": kind,
        "written_by": written_by,
        "state": _without_arrays(state, arrays),
    }
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
    return parse_bundle(read_bytes(path), path)


def parse_bundle(data: bytes, path: FilePath) -> tuple[str, dict[str, Any]]:
    """Return the kind and the state in the bytes of a model file; ``path`` is for messages."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            document = json.loads(_member(archive, "model.json", path).decode("utf-8", "surrogatepass"))
            _check(document, path)
            return document["kind"], _with_arrays(document["state"], archive, path)
    except zipfile.BadZipFile as error:
        raise BadFile.at(path, f"is not a model file of bayou, or is damaged: {error}.") from None
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadFile.at(path, f"model.json cannot be read: {error}.") from None
    except BadFile:
        raise
    except (zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError) as error:
        raise BadFile.at(path, f"is damaged: {error}.") from None


def looks_like_bundle(head: bytes) -> bool:
    """Whether a file that starts with these bytes is a zip."""
    return head.startswith(b"PK\x03\x04")


@contextmanager
def damage_named(path: FilePath) -> Iterator[None]:
    """Turn every error while a state is read into a ``BadFile``: the state, and so the file, is damaged."""
    try:
        yield
    except BayouError as error:
        raise BadFile.at(path, f"is damaged: {error}") from None
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
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


def _member(archive: zipfile.ZipFile, name: str, path: FilePath) -> bytes:
    try:
        entry = archive.getinfo(name)
    except KeyError:
        raise BadFile.at(path, f"lacks {name}.") from None
    if entry.file_size > _LARGEST_MEMBER:
        raise BadFile.at(
            path, f"{name} claims {entry.file_size:,} bytes; at most {_LARGEST_MEMBER:,} are read."
        )
    with archive.open(entry) as file:
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


def _with_arrays(state: Any, archive: zipfile.ZipFile, path: FilePath) -> Any:
    if isinstance(state, dict):
        if set(state) == {_KEY}:
            return _array(_member(archive, f"arrays/{state[_KEY]}.npy", path), path)
        return {key: _with_arrays(value, archive, path) for key, value in state.items()}
    if isinstance(state, list):
        return [_with_arrays(value, archive, path) for value in state]
    return state


def _array(data: bytes, path: FilePath) -> npt.NDArray[Any]:
    """Read a .npy array; its header is checked against the number of bytes before anything is allocated."""
    stream = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(stream)
        if version != (1, 0):
            raise ValueError(f"unexpected version {version} of the array format")
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(stream)
        if dtype.str not in _DTYPES or fortran:
            raise ValueError(f"unexpected array of type {dtype.str}")
        cells = 1
        for size in shape:
            cells *= size
        body = data[stream.tell() :]
        if min(shape, default=0) < 0 or cells * dtype.itemsize != len(body):
            raise ValueError(f"an array of shape {shape} does not fit its {len(body):,} bytes")
        return np.frombuffer(body, dtype=dtype).reshape(shape).copy()
    except (ValueError, TypeError, SyntaxError) as error:
        raise BadFile.at(path, f"an array cannot be read: {error}.") from None
