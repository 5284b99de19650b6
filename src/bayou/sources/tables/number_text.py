"""Text that spells numbers: decides when a column of a text file is a column of numbers.

A column is numeric if every field is a decimal number or missing. Missing are empty fields and, in an
otherwise numeric column only, the words of :data:`GAP_WORDS`; in a column of text they are text.
A number with a leading zero (``007``) makes the column text, because the zeros would be lost. Numbers with
marks, dates and truth values are read in ``spelled_columns``.

Integers are whole numbers that are all written without a point and an exponent (``5``), or that have gaps:
``5.0`` and ``5`` are then alike, as in a data frame made from the file (:meth:`NumberColumn.of_floats`).
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bayou.schema.spelled_values import WHOLE, plain_number
from bayou.sources.tables.columns import LARGEST_EXACT, CodedColumn, Column, NumberColumn
from bayou.sources.tables.objects import is_integral, replaced_codes
from bayou.typing import State

GAP_WORDS = frozenset({"na", "nan", "n/a", "null", "none", "<na>", "-nan", "#n/a", "?"})

_WHOLE = re.compile(WHOLE, re.ASCII)
_POINT = re.compile("[.]|[0-9][eE]")


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
        if plain_number(str(label)):
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
    """Whether the numbers are integers: whole, and written as such or with gaps."""
    exact: bool
    """Whether some whole numbers are too long for float64, so that the numbers must be kept as states."""
    plain: bool
    """Whether a cast to float64 reads all numbers; the texts that it cannot read are missing values."""
    integral: bool = False
    """Whether all numbers are whole, however they are written."""
    other: str = ""
    """What the texts spell, if not plain numbers: "marked", "truth", "dates", "times"; else empty."""
    units: tuple[str, ...] = ()
    """Two of the currencies that the texts mix: amounts in several currencies are text."""
    floats: bool = False
    """Whether the numbers are whole only because they have gaps: some are written with a point."""


def written_whole(text: str) -> bool:
    """Whether a number is written as an integer: without a point and without an exponent."""
    return not _POINT.search(text)


def kind_of_dates(dates: Sequence[datetime.date | None]) -> str:
    """Return "dates" or, if some have a time, "times"; empty if some are None, or if time zones are mixed."""
    if any(date is None for date in dates):
        return ""
    times = [date for date in dates if isinstance(date, datetime.datetime)]
    if not times:
        return "dates"
    bare = sum(time.tzinfo is None for time in times)
    return "times" if bare == len(times) or (bare == 0 and len(times) == len(dates)) else ""


def numbers_of_text(column: CodedColumn) -> Column:
    """Return a column of text as a column of numbers if all its labels spell numbers; else unchanged."""
    if not spells_numbers(column.labels):
        return column
    texts = [str(label) for label in column.labels]
    if any(map(_too_long, texts)):
        return exact_numbers(column)
    spelled = [text for text in texts if not is_gap_word(text)]
    whole = is_integral(np.array([float(text) for text in spelled]))
    written = all(map(written_whole, spelled))
    whole = whole and (len(spelled) < len(texts) or written or column.gaps > 0)
    return spelled_numbers(column, whole, floats=whole and not written)


def spelled_numbers(column: CodedColumn, whole: bool, floats: bool = False) -> NumberColumn:
    """Return a column of text that spells numbers as numbers; ``whole``: whether they are integers,
    ``floats``: whether some are written with a point.
    """
    texts = [str(label) for label in column.labels]
    meanings = np.array([np.nan if is_gap_word(text) else float(text) for text in texts] + [np.nan])
    values = meanings[np.minimum(column.codes, len(texts)).astype(np.intp)]
    integral = whole or is_integral(meanings[~np.isnan(meanings)])
    return NumberColumn(values, integral, "int" if whole else "float", floats)


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
    return CodedColumn(replaced_codes(column.codes, meaning), tuple(found))
