"""Requests byte by byte, as no library would send them."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.patience import PATIENCE

BELIEFS = "/v1/models/asia/beliefs"


@dataclass(frozen=True)
class RawAnswer:
    """The status, the head and the body of an answer; status 0: the connection was closed without one."""

    status: int
    head: str
    body: bytes


@contextmanager
def connected(port: int) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as raw:
        yield raw


def head(path: str = BELIEFS, method: str = "POST", version: str = "1.1", **headers: str) -> bytes:
    """The head of a request; the names of headers are written with _ for -."""
    lines = [f"{method} {path} HTTP/{version}"]
    fields = {"Host": "localhost", "Content_Type": "application/json", **headers}
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in fields.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def answers_of(raw: socket.socket) -> list[RawAnswer]:
    """All answers until the server closes the connection."""
    content = b""
    try:
        while part := raw.recv(2**16):
            content += part
    except ConnectionResetError:
        pass
    found = []
    while content:
        top, _, rest = content.partition(b"\r\n\r\n")
        text = top.decode("latin-1")
        size = 0
        for line in text.lower().split("\r\n"):
            if line.startswith("content-length:"):
                size = int(line.partition(":")[2])
        found.append(RawAnswer(int(text.split(" ")[1]), text.lower(), rest[:size]))
        content = rest[size:] if size else b""
    return found


def ask(port: int, *parts: bytes) -> RawAnswer:
    """The answer to bytes that are sent one part after the other; they should ask to close the connection."""
    with connected(port) as raw:
        try:
            for part in parts:
                raw.sendall(part)
        except OSError:  # the server has answered and closed already
            pass
        found = answers_of(raw)
    return found[0] if found else RawAnswer(0, "", b"")
