"""Estimate the size of drawn rows on disk before they are drawn."""

from __future__ import annotations

import gzip
import math
import os
import shutil
from typing import TYPE_CHECKING

from bayou.errors import BadFile

if TYPE_CHECKING:
    from bayou.models.network import Network

_TRIED_ROWS = 1000
_REAL_BYTES = 8


def check_space(net: Network, rows: int, output: str) -> None:
    """Raise if the rows need more space than the disk has free."""
    folder = os.path.dirname(os.path.realpath(output))
    needed, free = bytes_of_rows(net, rows, output), shutil.disk_usage(folder).free
    if needed > free:
        beside = ", with the CSV file that it is made from" if output.lower().endswith(".parquet") else ""
        raise BadFile.at(
            output,
            f"the sample takes about {size_text(needed)}{beside}, and the disk has {size_text(free)} free; "
            "draw fewer (-n), choose another disk, or add --force to try.",
        )


def bytes_of_rows(net: Network, rows: int, output: str) -> int:
    """Estimate the number of bytes to be written, from up to a thousand rows."""
    from bayou.documents.csv_rows import csv_header, csv_lines
    from bayou.inference import draw

    tried = min(rows, _TRIED_ROWS)
    if not tried:
        return 0
    lines = "".join(csv_lines(net.variables, draw(net.frozen, tried, 0, 0))).encode()
    if output.lower().endswith(".gz"):
        return len(gzip.compress(lines)) * rows // tried
    text = len(csv_header(net.names).encode()) + len(lines) * rows // tried
    return text + (_parquet_bits(net) * rows // 8 if output.lower().endswith(".parquet") else 0)


def size_text(size: int) -> str:
    """A number of bytes as text.

    >>> size_text(999), size_text(2_340_000), size_text(7 * 10**18)
    ('999 bytes', '2.3 MB', '7,000,000.0 TB')
    """
    if size < 1000:
        return f"{size} bytes"
    step = min(int(math.log10(size)) // 3, 4)
    return f"{size / 1000**step:,.1f} {('kB', 'MB', 'GB', 'TB')[step - 1]}"


def _parquet_bits(net: Network) -> int:
    """Bits per row in Parquet: the index of a state in the column's dictionary, or a 64-bit float."""
    return sum(
        8 * _REAL_BYTES if variable.is_continuous else (variable.cardinality - 1).bit_length()
        for variable in net.variables
    )
