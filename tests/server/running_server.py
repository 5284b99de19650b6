"""A server as users start it: ``bayou serve`` and ``bayou explore`` in a process of their own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import httpx

from tests.patience import PATIENCE, until

ADDRESS = re.compile(r"http://[^\s/]+:(\d+)")
TOKEN = re.compile(r"token=(\S+)")


@dataclass(frozen=True)
class Running:
    """A server that runs: its process, its address, what it printed."""

    process: subprocess.Popen[str]
    address: str
    printed: str
    log: list[str] = field(default_factory=list)
    """What it printed later; known when it has ended."""

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    @property
    def token(self) -> str:
        found = TOKEN.search(self.printed)
        assert found is not None
        return found[1]

    def client(self, **options: object) -> httpx.Client:
        """A client; it speaks plain HTTP, and reading certificates takes longer than most questions."""
        return httpx.Client(base_url=self.address, timeout=PATIENCE, verify=False, **options)  # type: ignore[arg-type]


def _answers(address: str) -> bool:
    try:
        return httpx.get(f"{address}/healthz", timeout=10, verify=False).status_code in (
            200,
            404,
        )  # 404: below a path
    except httpx.TransportError:
        return False


PLAIN = "import sys; sys.modules.update(httptools=None, uvloop=None); from bayou.cli.main import main; main()"
"""Starts the command where the packages of the extra ``serve`` are not installed."""


@contextmanager
def running(*arguments: str, plain: bool = False, **environment: str) -> Iterator[Running]:
    """Start ``bayou ARGUMENTS``, wait until it answers, and end it as Ctrl-C would."""
    start = ["-c", PLAIN] if plain else ["-m", "bayou"]
    server: Running | None = None
    process = subprocess.Popen(
        [sys.executable, *start, *arguments],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        env={**os.environ, **environment},
    )
    assert process.stderr is not None
    try:
        printed, found = "", None
        while found is None:  # what was learned is told before the address
            line = process.stderr.readline()
            printed += line
            found = ADDRESS.search(line)
            assert line, printed
        server = Running(process, f"http://127.0.0.1:{found[1]}", printed)
        address = server.address
        until(lambda: _answers(address), "the server does not answer")
        yield server
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=PATIENCE)
        if server is not None:
            server.log.append(process.stderr.read())
        process.stderr.close()
