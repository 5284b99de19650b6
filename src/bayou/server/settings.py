"""What a server is started with: its limits, who may ask, and what may be changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]", "::1"})
NOTEBOOKS = (
    *(f"{scheme}://{host}:*" for scheme in ("http", "https") for host in ("localhost", "127.0.0.1")),
    "vscode-webview:",
    "vscode-file:",
)
"""Where notebooks of this machine are shown."""


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
    most_table: int = 256 * 2**20
    """The most bytes of an uploaded table, also unpacked."""
    table_seconds: float = 300.0
    """How long such a body may take to arrive."""
    rows_seconds: float = 600.0
    """How long the answers for a table of rows may take."""
    jobs: int = 1
    """How many jobs learn at the same time."""
    waiting_jobs: int = 8
    job_seconds: float = 900.0
    job_memory: int = 4 * 2**30
    editing: bool = False
    """Whether clients may make new revisions of models: by edits, from files, from the gallery."""
    tables: bool = False
    """Whether clients may upload tables."""
    learning: bool = False
    """Whether clients may let the server learn from uploaded tables."""
    drain_seconds: float = 0.0
    """How long the server goes on answering after the signal to stop, while it says that it is not ready."""
    quick_work: float = 3e6
    """The most table entries that a question may go through in the server's own process."""
    frames: tuple[str, ...] = ()
    """The pages that may show this server in a frame, as sources of a content policy; none by default."""
