"""Columns of text that spell something else: numbers with marks such as money, dates, truth values.

Each distinct text is looked at once. A column is what all of its texts spell (words for a missing value are
gaps); otherwise it stays text, and so does a column whose categories were declared.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Sequence
from functools import partial

import numpy as np

from bayou.errors import warn_user
from bayou.schema import state_key
from bayou.schema.spelled_values import (
    MARK,
    TRUTH,
    date_spelled,
    is_marked,
    moment,
    number_spelled,
    units_spelled,
)
from bayou.sources.tables.columns import CodedColumn, Column, Columns, SpelledDates, SpelledNumbers
from bayou.sources.tables.number_text import (
    Spelling,
    is_gap_word,
    kind_of_dates,
    numbers_of_text,
)
from bayou.sources.tables.objects import replaced_codes
from bayou.sources.tables.odd_cells import warn_of_odd_cells
from bayou.typing import Name, State

_MARK = re.compile(MARK)
_SHOWN = 8
"""The number of texts that a column of dates keeps, to be shown."""


def with_spelled_columns(table: Columns, as_text: Collection[Name] = ()) -> Columns:
    """Return a table of any kind with its columns of text as what they spell, except those in ``as_text``.

    A text that is a plain number stays text: whoever made the table chose its type.

    >>> from bayou.sources.tables.row_dicts import columns_of_mapping
    >>> columns = {"price": ["$5.50", "12k"], "day": ["2024-02-29", "NA"], "n": ["1", "2"]}
    >>> table = columns_of_mapping(columns, None)
    >>> spelled = with_spelled_columns(table)
    >>> spelled.numbers("price").tolist(), spelled["day"].labels, spelled["n"].labels
    ([5.5, 12000.0], (datetime.date(2024, 2, 29),), ('1', '2'))
    """
    texts = {state_key(name) for name in as_text}
    changes = {}
    for name, column in table.made_columns():
        if isinstance(column, CodedColumn) and state_key(name) not in texts:
            spelled = spelled_column(column, name)
            if spelled is not column:
                changes[name] = partial(_always, spelled)
    return table.replaced(changes) if changes else table


def _always(column: Column, _: Column) -> Column:
    return column


def spelled_column(column: CodedColumn, name: Name) -> Column:
    """Return a column of text as the numbers with marks or the dates that it spells; else unchanged."""
    first = next((text for text in column.labels if not is_gap(text)), None)
    if not isinstance(first, str) or column.declared:
        return column
    if date_spelled(first) is not None:
        return dates_of_text(column)
    return column if number_spelled(first) is None else marked_numbers(column, name)


def column_of_text(column: CodedColumn, name: Name) -> Column:
    """Return a column of a text file, which has no types, as whatever its texts spell."""
    numbers = numbers_of_text(column)
    if numbers is not column:
        return numbers
    truth = truth_of_text(column)
    spelled = spelled_column(column, name) if truth is column else truth
    if spelled is column:
        warn_of_odd_cells(column, name)
    return spelled


def spelled_as(column: CodedColumn, spelling: Spelling) -> Column:
    """Return some rows of a column as what all of its rows spell, if not plain numbers."""
    if spelling.other == "marked":
        return _marked(column, [str(label) for label in column.labels])
    if spelling.other == "truth":
        return truth_of_text(column)
    return dates_of_text(column, spelling.other) if spelling.other else column


def spell_something(texts: Sequence[str]) -> bool:
    """Whether the first text is a number, with or without marks, a date or a truth value."""
    first = next((text for text in texts if not is_gap(text)), None)
    if first is None:
        return False
    return first in TRUTH or number_spelled(first) is not None or date_spelled(first) is not None


def spelling_of_texts(texts: Sequence[str], name: Name) -> Spelling:
    """Return what all distinct texts of a typed column spell: dates, times or marked numbers; else nothing.

    >>> spelling_of_texts(["2024-02-29", "NA"], "day").other, spelling_of_texts(["1", "2"], "n").other
    ('dates', '')
    """
    spelled = spelled_column(CodedColumn(np.empty(0, dtype=np.uint32), tuple(texts)), name)
    other = ""
    if isinstance(spelled, SpelledNumbers):
        other = "marked"
    elif isinstance(spelled, SpelledDates):
        times = any(isinstance(label, datetime.datetime) for label in spelled.labels)
        other = "times" if times else "dates"
    return Spelling(numbers=False, whole=False, exact=False, plain=False, other=other)


def truth_of_text(column: CodedColumn) -> CodedColumn:
    """Return a column whose texts are all words for truth values as truth values; else unchanged.

    >>> truth_of_text(CodedColumn(np.array([0, 1, 255], np.uint8), ("TRUE", "False"))).values()
    [True, False, None]
    """
    if not column.labels or not all(label in TRUTH or is_gap(label) for label in column.labels):
        return column
    meaning = [-1 if is_gap(label) else int(TRUTH[str(label)]) for label in column.labels]
    if max(meaning) < 0:
        return column
    codes = column.codes
    if meaning == [1, 0] and not column.gaps:
        codes = codes ^ codes.dtype.type(1)  # the same as below, many times faster
    elif meaning not in ([0], [0, 1]):
        codes = replaced_codes(codes, meaning)
    return CodedColumn(codes, (False, True))


def marked_numbers(column: CodedColumn, name: Name) -> Column:
    """Return a column of numbers of which some have marks as numbers; else unchanged.

    Amounts in several currencies stay text, with a warning.
    """
    labels = column.labels
    if not all(isinstance(label, str) for label in labels):
        return column
    texts: Sequence[str] = labels  # type: ignore[assignment]  # they are all text
    if not _MARK.search("\n".join(texts)):
        return column
    if not all(is_gap(text) or number_spelled(text) is not None for text in texts):
        return column
    if not any(map(is_marked, texts)):
        return column
    units = units_spelled(texts)
    if len(units) > 1:
        warn_of_units(name, units)
        return column
    return _marked(column, texts)


def warn_of_units(name: Name, units: Sequence[str]) -> None:
    """Tell the user that a column mixes currencies, so that it is no column of numbers."""
    warn_user(
        f"The column {name!r} mixes amounts in {units[0]} and {units[-1]}, so it is read as text, not as "
        "numbers. Convert the amounts to one currency, or put the currency into a column of its own."
    )


def _marked(column: CodedColumn, texts: Sequence[str]) -> SpelledNumbers:
    """The numbers that the texts spell; words for a missing value are gaps."""
    kept = [text for text in texts if not is_gap(text)]
    if len(kept) < len(texts):
        places = iter(range(len(kept)))
        meaning = [-1 if is_gap(text) else next(places) for text in texts]
        column = CodedColumn(replaced_codes(column.codes, meaning), tuple(kept))
    return SpelledNumbers(column, np.array([number_spelled(text) for text in kept], dtype=np.float64))


def dates_of_text(column: CodedColumn, kind: str = "") -> CodedColumn:
    """Return a column whose texts are all ISO dates as dates; else unchanged.

    If some have a time (or ``kind`` is "times"), all are points in time. Times with and without a time zone
    do not mix.
    """
    found: list[datetime.date | None] = []
    for label in column.labels:
        date = date_spelled(label) if isinstance(label, str) else None
        if date is None and not is_gap(label):
            return column
        found.append(date)
    kind = kind or kind_of_dates([date for date in found if date is not None])
    if not kind:
        return column
    if kind == "times":
        found = [None if date is None else moment(date) for date in found]
    places: dict[State, int] = {}
    meaning = [-1 if date is None else places.setdefault(date, len(places)) for date in found]
    texts = tuple(str(label) for label in column.labels[:_SHOWN] if not is_gap(label))
    return SpelledDates(replaced_codes(column.codes, meaning), tuple(places), texts=texts)


def is_gap(label: State) -> bool:
    """Whether a text stands for a missing value, among texts that spell something."""
    return isinstance(label, str) and (is_gap_word(label) or not label.strip())
