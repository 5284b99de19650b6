"""Text that spells numbers: when the column of a text file is one of numbers.

A column is numeric where every field is a decimal number or a gap. Gaps are empty fields and, in an
otherwise numeric column only, the words of :data:`GAP_WORDS`; in a column of text they are text.
A number with a leading zero (``007``) makes the column text, for the zeros would be lost. Truth
values stay text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from bayou.sources.columns import LARGEST_EXACT, CodedColumn, Column, NumberColumn
from bayou.sources.objects import is_integral, recoded
from bayou.typing import State

GAP_WORDS = frozenset({"na", "nan", "n/a", "null", "none", "<na>", "-nan", "#n/a", "?"})

_NUMBER = re.compile(r"\s*[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*", re.ASCII)
_WHOLE = re.compile(r"\s*[+-]?[0-9]+\s*", re.ASCII)


def is_gap_word(text: str) -> bool:
    """Whether the text stands for a gap in a column of numbers."""
    return text.strip().lower() in GAP_WORDS


def spells_numbers(labels: Sequence[State]) -> bool:
    """Whether all labels are numbers or words for a gap, and at least one is a number.

    >>> spells_numbers(["1", "2.5", "NA"]), spells_numbers(["007", "8"]), spells_numbers(["NA"])
    (True, False, False)
    """
    some = False
    for label in labels:
        if _NUMBER.fullmatch(str(label)):
            some = True
        elif not is_gap_word(str(label)):
            return False
    return some


def numbers_of_text(column: CodedColumn) -> Column:
    """A column of text as one of numbers, where its labels spell nothing else."""
    if not spells_numbers(column.labels):
        return column
    texts = [str(label) for label in column.labels]
    if any(_WHOLE.fullmatch(text) and abs(int(text)) >= LARGEST_EXACT for text in texts):
        return exact_numbers(column)
    meanings = np.array([np.nan if is_gap_word(text) else float(text) for text in texts] + [np.nan])
    values = meanings[np.minimum(column.codes, len(texts)).astype(np.intp)]
    integral = is_integral(meanings[~np.isnan(meanings)])
    return NumberColumn(values, integral, "int" if integral else "float")


def exact_numbers(column: CodedColumn) -> CodedColumn:
    """A column of text that spells numbers, some too long for float64, with the numbers as states."""
    found: dict[State, int] = {}
    meaning = []
    for label in column.labels:
        text = str(label)
        if is_gap_word(text):
            meaning.append(-1)
        else:
            value: State = int(text) if _WHOLE.fullmatch(text) else float(text)
            meaning.append(found.setdefault(value, len(found)))
    return CodedColumn(recoded(column.codes, meaning), tuple(found))
