"""Which columns of Parquet files hold durations: Parquet has no type for them, so writers note it beside.

They are stored as integers; what they are is said by the Arrow schema that pyarrow, pandas and polars keep
in the file's metadata (``ARROW:schema``), a message of Arrow's IPC format in base64. It is a flatbuffer, of
which the few fields that are needed are read here, without any Arrow package.
"""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import Iterator, Sequence
from typing import Any

from bayou.sources.files.duckdb_reading import sql_paths

_DURATION = 18
"""The number of durations among Arrow's types."""
_CONTINUATION = b"\xff\xff\xff\xff"


def duration_columns(connection: Any, paths: Sequence[str]) -> set[str]:
    """The names of columns that hold durations in at least one of the files."""
    found = connection.execute(
        f"select distinct value from parquet_kv_metadata({sql_paths(paths)}) where key = 'ARROW:schema'::blob"
    ).fetchall()
    return {name for (schema,) in found for name in durations_of(schema)}


def durations_of(schema: bytes) -> set[str]:
    """The names of the durations in an Arrow schema as Parquet files keep it; a damaged one has none.

    >>> durations_of(b"not a schema")
    set()
    """
    try:
        message = base64.b64decode(schema)
        start = 8 if message[:4] == _CONTINUATION else 4
        return set(_durations(message[start:]))
    except (binascii.Error, struct.error, IndexError, UnicodeDecodeError):
        return set()


def _durations(message: bytes) -> Iterator[str]:
    """The names of the durations of a message that holds a schema."""
    header = _field(message, _reference(message, 0), 2)
    fields = header and _field(message, _reference(message, header), 1)
    if not fields:
        return
    vector = _reference(message, fields)
    (count,) = struct.unpack_from("<I", message, vector)
    for place in range(count):
        field = _reference(message, vector + 4 + 4 * place)
        name, kind = _field(message, field, 0), _field(message, field, 2)
        if name and kind and message[kind] == _DURATION:
            text = _reference(message, name)
            (length,) = struct.unpack_from("<I", message, text)
            yield message[text + 4 : text + 4 + length].decode()


def _reference(message: bytes, place: int) -> int:
    """Where the object is that is referred to at a place."""
    (distance,) = struct.unpack_from("<I", message, place)
    return place + int(distance)


def _field(message: bytes, table: int, number: int) -> int:
    """Where a field of a table is; 0 for one that is absent."""
    (distance,) = struct.unpack_from("<i", message, table)
    names = table - int(distance)
    (size,) = struct.unpack_from("<H", message, names)
    if 4 + 2 * number >= size:
        return 0
    (offset,) = struct.unpack_from("<H", message, names + 4 + 2 * number)
    return table + int(offset) if offset else 0
