"""The head of an answer and its body in one call of the system: it is the largest cost of a small answer."""

from __future__ import annotations

import sys
from asyncio import AbstractEventLoop, Transport
from collections.abc import Callable
from typing import Any

_HEAD = b"HTTP/1.1 "


class JoinedWrites:
    """Stands for a transport; the head of an answer waits for what is written in the same turn.

    What is written after the end of the connection goes nowhere: some transports would raise an error.
    ``closing`` is called when the connection is to be closed and a part of an answer still waits.
    """

    def __init__(self, transport: Transport, loop: AbstractEventLoop, closing: Callable[[], None]) -> None:
        self._transport, self._loop, self._closing = transport, loop, closing
        self._held = b""
        self._written = 0

    @property
    def taken(self) -> int:
        """How many bytes have come to the client; where the system does not tell, those that it has taken."""
        waiting = self._transport.get_write_buffer_size()
        return self._written - waiting - _held_by_system(self._transport.get_extra_info("socket"))

    def write(self, data: bytes) -> None:
        """Write the data, after a head that is held; hold a head itself, for this turn at most."""
        if self._held:
            self._write(self._held + data)
            self._held = b""
        elif data.startswith(_HEAD):
            self._held = data
            self._loop.call_soon(self.flush)
        else:
            self._write(data)

    def write_whole(self, data: bytes) -> None:
        """Write a whole answer, after a head that is held."""
        self.flush()
        self._write(data)

    def flush(self) -> None:
        """Write what is held."""
        if self._held:
            self._write(self._held)
            self._held = b""

    def close(self) -> None:
        """Write what is held, and close the connection."""
        self.flush()
        if not self._transport.is_closing():
            self._transport.close()
            if self._transport.get_write_buffer_size():
                self._closing()

    def _write(self, data: bytes) -> None:
        if not self._transport.is_closing():
            self._written += len(data)
            self._transport.write(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


def _held_by_system(connection: Any) -> int:
    """The bytes that the system has not yet brought to the other side: megabytes, if that reads slowly."""
    try:
        from fcntl import ioctl
        from termios import TIOCOUTQ

        return int.from_bytes(ioctl(connection.fileno(), TIOCOUTQ, bytes(4)), sys.byteorder)
    except (ImportError, OSError, ValueError, AttributeError):  # another system, or the socket is closed
        return 0
