"""A progress bar on the terminal for work that takes longer than two seconds."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bayou.progress import show_progress

if TYPE_CHECKING:
    from rich.progress import Progress

PATIENCE = 2.0
"""Seconds before a bar is drawn."""


class DelayedBar:
    """A progress bar that a timer draws after some seconds, even during one long call."""

    def __init__(self, task: str, total: int | None = None) -> None:
        self._task, self._total, self._done = task, total, 0
        self._lock = threading.Lock()
        self._bar: Progress | None = None
        self._stopped = False
        self._timer = threading.Timer(PATIENCE, self._draw)
        self._timer.daemon = True
        self._started = time.monotonic()

    def advance(self, task: str, done: int) -> None:
        """Report that ``done`` steps of ``task`` are done."""
        with self._lock:
            self._task, self._done = task, done
            if self._bar is not None:
                self._bar.update(self._bar.task_ids[0], description=task, completed=done)

    def finish(self, task: str) -> None:
        """Do nothing at the end of a task: the bar stays until the whole command is done."""

    def start(self) -> None:
        """Start the timer."""
        self._timer.start()

    def stop(self) -> None:
        """Remove the bar."""
        self._timer.cancel()
        with self._lock:
            self._stopped = True
            if self._bar is not None:
                self._bar.stop()

    def _draw(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        with self._lock:
            if self._stopped:
                return
            count = "{task.completed:,}" if self._total is None else "{task.completed:,} of {task.total:,}"
            self._bar = Progress(
                SpinnerColumn(),
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                TextColumn(count),
                TimeElapsedColumn(),
                console=Console(stderr=True),
                transient=True,
                get_time=time.monotonic,
            )
            self._bar.add_task(self._task, total=self._total, completed=self._done)
            self._bar.tasks[0].start_time = self._started
            self._bar.start()


@contextmanager
def progress(task: str, total: int | None = None, *, shown: bool = True) -> Iterator[DelayedBar]:
    """Show the progress of the work inside on standard error, if it takes long and only on a terminal."""
    bar = DelayedBar(task, total)
    if shown and sys.stderr.isatty():
        bar.start()
    try:
        with show_progress(bar):
            yield bar
    finally:
        bar.stop()
