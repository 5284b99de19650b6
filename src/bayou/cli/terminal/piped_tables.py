"""Tables from a pipe, stored in a temporary file because learning reads them more than once."""

from __future__ import annotations

import contextlib
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import click

from bayou.cli.terminal.table_options import described_table
from bayou.errors import BayouError
from bayou.files.first_bytes import LONGEST_START, packed_kind

STANDARD_INPUT = ("-", "/dev/stdin", "/dev/fd/0")
_ENDINGS = {"gzip": ".csv.gz", "zstd": ".csv.zst", "Parquet": ".parquet", "Arrow": ".arrow"}
"""File endings by the kind of a stream; every other stream is CSV text."""


def is_piped(data: str) -> bool:
    """Whether DATA is standard input or a named pipe, such as the shell's ``<(…)``."""
    return data in STANDARD_INPUT or Path(data).is_fifo()


@contextlib.contextmanager
def table_file(data: str) -> Iterator[Any]:
    """Yield the file to read: DATA itself, or a copy of the piped data; errors name the pipe.

    It is a path, with the options of the command that say how text files are written.
    """
    if not is_piped(data):
        yield described_table(data)
        return
    import tempfile

    shown = "standard input" if data in STANDARD_INPUT else data
    with tempfile.TemporaryDirectory(prefix="bayou-") as folder, _opened(data) as stream:
        copy = _copied(stream, Path(folder))
        try:
            yield described_table(str(copy))
        except BayouError as error:
            raise type(error)(str(error).replace(str(copy), shown)) from None


def _opened(data: str) -> contextlib.AbstractContextManager[BinaryIO]:
    if data not in STANDARD_INPUT:
        return open(data, "rb")
    if sys.stdin.isatty():
        raise click.UsageError("There is no table on standard input; pipe one in: bayou fit - … < table.csv")
    return contextlib.nullcontext(sys.stdin.buffer)


def _copied(stream: BinaryIO, folder: Path) -> Path:
    """Copy a stream to a file in the folder, with the ending of its format."""
    start = stream.read(LONGEST_START)
    copy = folder / f"table{_ENDINGS.get(packed_kind(start), '.csv')}"
    with copy.open("wb") as file:
        file.write(start)
        shutil.copyfileobj(stream, file)
    return copy
