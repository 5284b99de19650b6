"""A server as users start it: ``bayou serve`` and ``bayou explore`` in a process of their own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx

ADDRESS = re.compile(r"http://[^\s/]+:(\d+)")
TOKEN = re.compile(r"token=(\S+)")


@dataclass(frozen=True)
class Running:
    """A server that runs: its process, its address, what it printed."""

    process: subprocess.Popen[str]
    address: str
    printed: str

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    @property
    def token(self) -> str:
        found = TOKEN.search(self.printed)
        assert found is not None
        return found[1]

    def client(self, **options: object) -> httpx.Client:
        return httpx.Client(base_url=self.address, timeout=30, **options)  # type: ignore[arg-type]


def _wait_until_it_answers(address: str) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            if httpx.get(f"{address}/healthz", timeout=10).status_code == 200:
                return
        except httpx.TransportError:
            assert time.monotonic() < deadline, "the server does not answer"
        time.sleep(0.05)


@contextmanager
def running(*arguments: str, **environment: str) -> Iterator[Running]:
    """Start ``bayou ARGUMENTS``, wait until it answers, and end it as Ctrl-C would."""
    process = subprocess.Popen(
        [sys.executable, "-m", "bayou", *arguments],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        env={**os.environ, **environment},
    )
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        found = ADDRESS.search(line)
        assert found is not None, line + process.stderr.read()
        server = Running(process, f"http://127.0.0.1:{found[1]}", line)
        _wait_until_it_answers(server.address)
        yield server
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=20)
        process.stderr.close()
