"""Text that spells numbers: decides when a column of a text file is a column of numbers.

A column is numeric if every field is a decimal number or missing. Missing are empty fields and, in an
otherwise numeric column only, the words of :data:`GAP_WORDS`; in a column of text they are text.
A number with a leading zero (``007``) makes the column text, because the zeros would be lost. Truth
values stay text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from bayou.sources.tables.columns import LARGEST_EXACT, CodedColumn, Column, NumberColumn
from bayou.sources.tables.objects import is_integral, recoded
from bayou.typing import State

GAP_WORDS = frozenset({"na", "nan", "n/a", "null", "none", "<na>", "-nan", "#n/a", "?"})

# Regular expressions that mean the same to Python and to duckdb.
NUMBER = r"\s*[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\s*"
WHOLE = r"\s*[+-]?[0-9]+\s*"
_NUMBER = re.compile(NUMBER, re.ASCII)
_WHOLE = re.compile(WHOLE, re.ASCII)


def is_gap_word(text: str) -> bool:
    """Whether the text stands for a missing value in a column of numbers."""
    return text.strip().lower() in GAP_WORDS


def spells_numbers(labels: Sequence[State]) -> bool:
    """Whether all labels are numbers or words for a missing value, and at least one is a number.

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


@dataclass(frozen=True)
class Spelling:
    """What the texts of a whole column spell."""

    numbers: bool
    """Whether all texts are numbers or missing values, and at least one is a number."""
    whole: bool
    """Whether all numbers are whole."""
    exact: bool
    """Whether some whole numbers are too long for float64, so that the numbers must be kept as states."""
    plain: bool
    """Whether a cast to float64 reads all numbers; the texts that it cannot read are missing values."""


def spelling_of(odd: Collection[str], ordinary_whole: bool | None) -> Spelling:
    """Return the spelling of a column.

    ``odd`` are its texts that are not ordinary numbers; ``ordinary_whole`` says whether the ordinary numbers
    are all whole (None: there are none).

    >>> spelling_of(["NA"], ordinary_whole=True)
    Spelling(numbers=True, whole=True, exact=False, plain=True)
    """
    others = [text for text in odd if not is_gap_word(text)]
    if (ordinary_whole is None and not others) or not all(map(_NUMBER.fullmatch, others)):
        return Spelling(numbers=False, whole=False, exact=False, plain=False)
    whole = ordinary_whole is not False and all(float(text).is_integer() for text in others)
    return Spelling(numbers=True, whole=whole, exact=any(map(_too_long, others)), plain=not others)


def numbers_of_text(column: CodedColumn) -> Column:
    """Return a column of text as a column of numbers if all its labels spell numbers; else unchanged."""
    if not spells_numbers(column.labels):
        return column
    texts = [str(label) for label in column.labels]
    if any(map(_too_long, texts)):
        return exact_numbers(column)
    numbers = np.array([float(text) for text in texts if not is_gap_word(text)])
    return spelled_numbers(column, is_integral(numbers))


def spelled_numbers(column: CodedColumn, whole: bool) -> NumberColumn:
    """Return a column of text that spells numbers as numbers; ``whole``: whether all are whole numbers."""
    texts = [str(label) for label in column.labels]
    meanings = np.array([np.nan if is_gap_word(text) else float(text) for text in texts] + [np.nan])
    values = meanings[np.minimum(column.codes, len(texts)).astype(np.intp)]
    return NumberColumn(values, whole, "int" if whole else "float")


def _too_long(text: str) -> bool:
    return bool(_WHOLE.fullmatch(text)) and abs(int(text)) >= LARGEST_EXACT


def exact_numbers(column: CodedColumn) -> CodedColumn:
    """Return a column of text that spells numbers, some too long for float64, with the numbers as states."""
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
