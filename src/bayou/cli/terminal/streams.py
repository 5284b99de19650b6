"""Standard streams that are closed, full, or whose encoding lacks some characters."""

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
"""ASCII replacements for streams that lack these characters; all others become a question mark."""
_FALLBACK = "bayou.ascii"


def prepare_streams() -> None:
    """Make sure that the three standard streams exist and replace characters that they cannot encode."""
    # In this order each takes the lowest free descriptor, so that no output file becomes stream 1 or 2.
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 -- open as long as the process
    if sys.stdout is None:
        # Opened for reading, so that printing fails instead of discarding the output.
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 -- as above
    codecs.register_error(_FALLBACK, ascii_letters)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_FALLBACK)


def ascii_letters(error: UnicodeError) -> tuple[str, int]:
    """An error handler for codecs that returns the nearest ASCII characters.

    >>> codecs.register_error("nearest", ascii_letters)
    >>> "a ⟂ b  █▎ ö".encode("ascii", "nearest")
    b'a _|_ b  #. ?'
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    characters = error.object[error.start : error.end]
    return "".join(_ASCII.get(character, "?") for character in characters), error.end


def strict_output() -> None:
    """From now on raise for characters that standard output cannot encode, because rows are data."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="strict")


def output_holds_unicode() -> bool:
    """Whether standard output can encode every character."""
    return (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")


def output_failed() -> bool:
    """Whether output cannot be written (full disk, closed stream); if so, further output is discarded."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        silence_output()
        return True
    return False


def silence_output() -> None:
    """Discard the rest of the output, because it has no reader."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        # A replacement of standard output (in tests) has no descriptor and nothing to flush.
        return
