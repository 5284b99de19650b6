"""Messages between the server and its worker processes: a length, then that many bytes."""

from __future__ import annotations

import asyncio
import struct
from typing import Any, BinaryIO

import msgspec

_LENGTH = struct.Struct("<Q")
PROGRESS = "progress"
"""The first member of a message that tells of progress, where an answer has its status."""


def packed(message: Any) -> bytes:
    """Return a message with its length before it."""
    content = msgspec.msgpack.encode(message)
    return _LENGTH.pack(len(content)) + content


def read_frame(stream: BinaryIO) -> Any:
    """Return the next message of a pipe; raises EOFError at its end."""
    head = _exactly(stream, _LENGTH.size)
    return msgspec.msgpack.decode(_exactly(stream, _LENGTH.unpack(head)[0]))


def _exactly(stream: BinaryIO, size: int) -> bytes:
    content = stream.read(size)
    if len(content) < size:
        raise EOFError
    return content


async def next_frame(stream: asyncio.StreamReader) -> Any:
    """Return the next message of a pipe; raises asyncio.IncompleteReadError at its end."""
    head = await stream.readexactly(_LENGTH.size)
    return msgspec.msgpack.decode(await stream.readexactly(_LENGTH.unpack(head)[0]))
