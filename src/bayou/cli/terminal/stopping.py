"""Signals that stop a command: SIGINT (Ctrl-C) and SIGTERM."""

from __future__ import annotations

import signal
from types import FrameType

INTERRUPTED = 130
TERMINATED = 143
"""Exit codes after the signals: 128 + the number of the signal."""

_signals: list[int] = []


class Terminated(KeyboardInterrupt):
    """Raised by SIGTERM; the command cleans up as after Ctrl-C."""


def interrupt(number: int, frame: FrameType | None) -> None:
    """Handle SIGINT: record the signal, and raise KeyboardInterrupt as usual."""
    _signals.append(number)
    signal.default_int_handler(number, frame)


def terminate(number: int, _frame: object) -> None:
    """Handle SIGTERM: record the signal, and raise Terminated."""
    # A second signal must not interrupt the clean-up.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _signals.append(number)
    raise Terminated


def stopped_code() -> int:
    """Return the exit code: 0, or that of the signal if a command was stopped and kept its best result."""
    if not _signals:
        return 0
    return TERMINATED if signal.SIGTERM in _signals else INTERRUPTED


def watch_signals() -> None:
    """Install both handlers; SIGINT stays ignored if the parent process set it so."""
    signal.signal(signal.SIGTERM, terminate)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)


def forget_interrupt() -> None:
    """Let a command that handled Ctrl-C end with its own exit code.

    If the interrupt arrived while Python was running source text (``dataclass`` and ``namedtuple`` do so
    on import), ``python -m`` remembers it as unhandled, however it was handled, and ends by killing itself
    with SIGINT. Running another text clears that mark (``run_eval_code_obj`` in CPython's pythonrun.c).
    """
    exec("")
