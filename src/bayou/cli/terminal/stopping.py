"""Commands that are stopped: by Ctrl-C, or by whoever ends processes (SIGTERM)."""

from __future__ import annotations

import signal
from types import FrameType

INTERRUPTED = 130
TERMINATED = 143

_signals: list[int] = []


class Terminated(KeyboardInterrupt):
    """Somebody asked the process to end (SIGTERM): it tidies up as after Ctrl-C."""


def interrupt(number: int, frame: FrameType | None) -> None:
    """What Ctrl-C does: as everywhere in Python, and it is remembered."""
    _signals.append(number)
    signal.default_int_handler(number, frame)


def terminate(number: int, _frame: object) -> None:
    """What SIGTERM does."""
    # Once is enough: a second signal must not interrupt the tidying up.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _signals.append(number)
    raise Terminated


def stopped_code() -> int:
    """The exit code of a command that is done, or that was stopped and has kept the best so far."""
    if not _signals:
        return 0
    return TERMINATED if signal.SIGTERM in _signals else INTERRUPTED


def watch_signals() -> None:
    """Listen to both, unless whoever started us wants Ctrl-C ignored."""
    signal.signal(signal.SIGTERM, terminate)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)
