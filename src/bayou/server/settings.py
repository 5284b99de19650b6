"""What a server is started with: its limits, who may ask, and what may be changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]", "::1"})


@dataclass(frozen=True)
class Settings:
    """The settings of one server; the defaults are those of a server for this machine alone.

    ``tokens`` are the secrets that let a client in, by the name of the client; empty: everybody who reaches
    the server. ``hosts`` are the names under which it may be called (against DNS rebinding).
    """

    tokens: Mapping[str, str] = field(default_factory=dict)
    hosts: frozenset[str] = LOOPBACK
    prefix: str = ""
    most_body: int = 32 * 2**20
    body_seconds: float = 20.0
    workers: int = 2
    question_seconds: float = 60.0
    worker_memory: int = 2 * 2**30
    quick_work: float = 3e6
    """The most table entries that a question may go through in the server's own process."""
