"""Notes on data for the user: sentences to print or to send, about columns that may be read wrongly."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from bayou.errors import listed

if TYPE_CHECKING:
    from bayou.schema import Variable

_OFTEN_A_STATE = {"none"}
"""Words that often mean 'no such thing' rather than 'not known'."""


def gap_word_note(variables: Iterable[Variable]) -> str | None:
    """Name the states that look like a missing value (``NA``, ``?``); None if there are none.

    In a column of numbers such a word is read as a missing cell, in a column of text it is a state. Most
    users mean a missing cell.

    >>> from bayou.schema import Variable
    >>> gap_word_note([Variable("sex", ["f", "m", "NA"])])
    "Taken as states, not as gaps: 'sex' has 'NA'. Where nothing is known leave the field empty."
    """
    from bayou.sources.tables.number_text import GAP_WORDS

    words = GAP_WORDS - _OFTEN_A_STATE
    found = {
        variable.name: [state for state in variable.states if str(state).strip().lower() in words]
        for variable in variables
        if not variable.is_continuous
    }
    columns = "; ".join(f"{name!r} has {listed(states)}" for name, states in found.items() if states)
    if not columns:
        return None
    return f"Taken as states, not as gaps: {columns}. Where nothing is known leave the field empty."
