"""What the server tells its log of errors: where they came from, never messages, which may have findings."""

from __future__ import annotations

import logging
import sys
import traceback
from pathlib import Path


def place_of(error: BaseException) -> str:
    """The kind of an error, and the line that raised it.

    >>> try:
    ...     int("a finding")
    ... except ValueError as error:
    ...     print(place_of(error).split(" in ")[0])
    ValueError
    """
    places = traceback.extract_tb(error.__traceback__)
    where = f" in {Path(places[-1].filename).name}:{places[-1].lineno}" if places else ""
    return f"{type(error).__name__}{where}"


def tell_fault(what: str, error: BaseException) -> None:
    """Write one line about an error to the log."""
    sys.stderr.write(f"{what}: {place_of(error)}\n")


class PlacesOnly(logging.Formatter):
    """Lines for what the packages below log: the fixed part of the message, and where the error came from.

    >>> record = logging.LogRecord("uvicorn", 40, "", 0, "Bad: %s", ("a finding",), None)
    >>> PlacesOnly().format(record)
    'uvicorn: Bad: %s'
    """

    def format(self, record: logging.LogRecord) -> str:
        """One line without values."""
        first = str(record.msg).partition("\n")[0]
        error = record.exc_info[1] if record.exc_info else None
        return f"{record.name}: {first}" + (f" {place_of(error)}" if error is not None else "")


def log_places_only() -> None:
    """Let everything that is logged in this process go to standard error without values."""
    handler = logging.StreamHandler()
    handler.setFormatter(PlacesOnly())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
