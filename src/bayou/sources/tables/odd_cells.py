"""A few cells that keep a column of a text file from being numbers: the user is told of them."""

from __future__ import annotations

import numpy as np

from bayou.errors import warn_user
from bayou.schema.spelled_values import plain_number
from bayou.sources.tables.columns import CodedColumn
from bayou.sources.tables.number_text import is_gap_word
from bayou.typing import Name

FEWEST_NUMBERS = 10
"""With fewer different numbers the texts may be codes, of which some are numbers."""
MOST_ODD = 3
"""With more different other texts the column is one of words."""
_ODD_SHARE = 0.05


def warn_of_odd_cells(column: CodedColumn, name: Name) -> None:
    """Warn if a column of text has many different numbers, and a few cells that are none."""
    if len(column.labels) <= FEWEST_NUMBERS:
        return
    texts = [str(label) for label in column.labels]
    odd = [place for place, text in enumerate(texts) if not (plain_number(text) or is_gap_word(text))]
    if not 0 < len(odd) <= MOST_ODD or len(texts) - len(odd) < FEWEST_NUMBERS:
        return
    is_odd = np.isin(column.codes, odd)
    row = int(is_odd.argmax())
    tell_odd_cells(name, int(is_odd.sum()), len(column), row, texts[int(column.codes[row])])


def tell_odd_cells(name: Name, odd: int, rows: int, row: int, cell: str) -> None:
    """Warn of cells that are no numbers, if they are few; ``row`` is the first one, which has ``cell``."""
    if not 0 < odd <= max(1.0, _ODD_SHARE * rows):
        return
    others = "" if odd == 1 else f", and {odd - 1:,} more"
    warn_user(
        f"Column {name!r} would hold numbers, but row {row:,} (counting from 0) has {cell!r}{others}: it is "
        "read as text, every number a state of its own. Correct the cell, or say that it stands for a "
        f"missing value: bayou.from_file(…, na={cell!r}), on the command line --na."
    )
