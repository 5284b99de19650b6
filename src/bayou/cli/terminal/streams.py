"""Standard streams that are closed, full, or can not hold every letter."""

from __future__ import annotations

import codecs
import io
import os
import sys

_ASCII = {
    **dict.fromkeys("█▉▊▋▌", "#"),
    **dict.fromkeys("▍▎▏", "."),
    **dict.fromkeys("─━╌—–", "-"),
    **dict(zip("│…→←⟂×·Σ∝", ["|", "...", "->", "<-", "_|_", "x", "*", "sum", "~"], strict=True)),
    **dict(zip("τ≤≥μσ²∅−", ["tau", "<=", ">=", "mu", "sigma", "^2", "{}", "-"], strict=True)),
}
"""What is printed on a stream that does not have these signs; every other one becomes a question mark."""
_FALLBACK = "bayou.ascii"


def prepare_streams() -> None:
    """Give the process three streams, whatever it was started with, that never fail on a letter."""
    # In this order: each takes the lowest free descriptor, so that no file we write becomes stream 1 or 2.
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 -- it lives as long as the process
    if sys.stdout is None:
        # Open for reading: what is printed fails, rather than vanishes.
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 -- as above
    codecs.register_error(_FALLBACK, ascii_letters)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_FALLBACK)


def ascii_letters(error: UnicodeError) -> tuple[str, int]:
    """An error handler of codecs: the nearest ASCII signs.

    >>> codecs.register_error("nearest", ascii_letters)
    >>> "a ⟂ b  █▎ ö".encode("ascii", "nearest")
    b'a _|_ b  #. ?'
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end]
    return "".join(_ASCII.get(letter, "?") for letter in lost), error.end


def strict_output() -> None:
    """Rows are data: a letter that standard output can not hold is an error from here on."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="strict")


def output_holds_unicode() -> bool:
    """Whether standard output can hold any letter."""
    return (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")


def output_is_lost() -> bool:
    """Whether what was printed can not be written (a full disk, a closed stream); then nothing more is."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        silence_output()
        return True
    return False


def silence_output() -> None:
    """Nobody can read our output: let the interpreter flush the rest into nothing."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        # A stand-in for standard output (in tests) has no descriptor and nothing left to flush.
        return
