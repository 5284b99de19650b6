"""What ``na=`` and ``decimal=`` change in the cells of text files, in SQL and in Python alike."""

from __future__ import annotations

import re

from bayou.schema.spelled_values import MARKED, NUMBER
from bayou.sources.files.duckdb_reading import sql_text
from bayou.sources.files.file_options import FileOptions

_SPELLS_A_NUMBER = f"({NUMBER})|({MARKED})"
_EXCHANGED = str.maketrans(".,", ",.")


def cell_query(cell: str, options: FileOptions) -> str:
    """SQL for a cell: words for gaps are null; with decimal commas, numbers are written with points.

    A cell is such a number if it spells one once points and commas are exchanged (``1.234,50``).
    """
    if options.na:
        words = ", ".join(sql_text(word) for word in options.na)
        cell = f"case when {cell} in ({words}) then null else {cell} end"
    if options.decimal == ",":
        exchanged = f"translate({cell}, '.,', ',.')"
        cell = (
            f"case when regexp_full_match({exchanged}, {sql_text(_SPELLS_A_NUMBER)}) "
            f"then {exchanged} else {cell} end"
        )
    return cell


def cell_text(cell: str, options: FileOptions) -> str:
    """The same for a cell in Python; a gap is empty.

    >>> cell_text("-", FileOptions(na=("-",))), cell_text("1,5", FileOptions(decimal=","))
    ('', '1.5')
    """
    if cell in options.na:
        return ""
    if options.decimal == ",":
        exchanged = cell.translate(_EXCHANGED)
        if re.fullmatch(_SPELLS_A_NUMBER, exchanged):
            return exchanged
    return cell
