"""What a text spells: a number, money, a share in percent, a truth value, or a date.

One rule for files, tables, predictions and questions:

- a number is decimal, with or without an exponent, or ``inf``; a leading zero (``007``) makes it text;
- *marked* numbers have commas between thousands, a currency, ``%`` or ``k``/``M``: ``1,234`` is 1234,
  ``$7,211.66`` is 7211.66, ``12k`` is 12000, ``12 %`` is 0.12; a decimal comma (``10,00``) is not read;
- ``True``, ``TRUE`` and ``true`` are truth values, and so are the words for false;
- dates are ISO dates, with or without a time: ``2024-02-29``, ``2024-02-29 12:00``, ``2024-02-29T12:00:00Z``.
"""

from __future__ import annotations

import datetime
import numbers
import re
from typing import Any

from bayou.schema.states import is_missing
from bayou.typing import State

# Regular expressions that mean the same to Python and to duckdb.
_DIGITS = r"((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)"
_GROUPED = r"([1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]*)?)"
_BLANK = "[ \u00a0\u202f]?"
_CURRENCY = "([$¢-¥฿₠-₿]|USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|TRY|ZAR|SGD|HKD)"
NUMBER = rf"\s*[+-]?{_DIGITS}([eE][+-]?[0-9]+)?\s*"
WHOLE = r"\s*[+-]?[0-9]+\s*"
INFINITY = r"\s*[+-]?[iI][nN][fF]([iI][nN][iI][tT][yY])?\s*"
MARKED = rf"\s*[+-]?({_CURRENCY}{_BLANK})?[+-]?({_GROUPED}|{_DIGITS})[kKM]?({_BLANK}({_CURRENCY}|%))?\s*"
DATE = (
    r"\s*[0-9]{4}-[01][0-9]-[0-3][0-9]"
    r"([T ][0-2][0-9]:[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6})?)?(Z|[+-][0-2][0-9]:[0-5][0-9])?)?\s*"
)
MARK = "[,%kKM$¢-¥฿₠-₿A-Z]"
"""A sign that a marked number has and a plain one has not."""
TRUTH = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
"""The words for truth values that pandas, polars and Arrow read as such."""

_NUMBER = re.compile(NUMBER, re.ASCII)
_WHOLE = re.compile(WHOLE, re.ASCII)
_INFINITY = re.compile(INFINITY, re.ASCII)
_MARKED = re.compile(MARKED, re.ASCII)
_DATE = re.compile(DATE, re.ASCII)
_AMOUNT = re.compile(rf"{_GROUPED}|{_DIGITS}", re.ASCII)
_MOST_DIGITS = 300
"""An integer with more digits is text: no float is as large."""


def plain_number(text: str) -> bool:
    """Whether a text is a decimal number or infinity.

    >>> [plain_number(text) for text in ("1", "-2.5e3", "inf", "007", "$1", "9" * 5000)]
    [True, True, True, False, False, False]
    """
    if len(text) > _MOST_DIGITS and _WHOLE.fullmatch(text):
        return False
    return bool(_NUMBER.fullmatch(text) or _INFINITY.fullmatch(text))


def number_spelled(text: str) -> float | None:
    """Return the number that a text spells, with or without marks; None if it spells none.

    >>> [number_spelled(text) for text in ("$7,211.66", "-12k", "10.00 €", "12 %", "1,234", "1e3", "x")]
    [7211.66, -12000.0, 10.0, 0.12, 1234.0, 1000.0, None]
    """
    if plain_number(text):
        return float(text)
    if len(text) > _MOST_DIGITS or not _MARKED.fullmatch(text):
        return None
    amount = _AMOUNT.search(text)
    assert amount is not None
    number = float(amount.group().replace(",", ""))
    after = text[amount.end() : amount.end() + 1]
    number *= {"k": 1e3, "K": 1e3, "M": 1e6}.get(after, 1.0)
    if text.rstrip().endswith("%"):
        number /= 100
    return -number if "-" in text[: amount.start()] else number


def is_marked(text: str) -> bool:
    """Whether a text spells a number with marks, such as money.

    >>> is_marked("$5"), is_marked("5"), is_marked("5 apples")
    (True, False, False)
    """
    return not plain_number(text) and len(text) <= _MOST_DIGITS and _MARKED.fullmatch(text) is not None


def date_spelled(text: str) -> datetime.date | None:
    """Return the date, or the date with a time, that an ISO text spells; None if it spells none.

    >>> date_spelled("2024-02-29"), date_spelled("2024-02-29 12:30"), date_spelled("2024-02-30")
    (datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29, 12, 30), None)
    """
    if not _DATE.fullmatch(text):
        return None
    bare = text.strip().replace("Z", "+00:00")
    whole, point, rest = bare.partition(".")
    if point:  # Python 3.10 reads fractions of three or six digits only
        digits = re.match("[0-9]+", rest)
        assert digits is not None
        bare = f"{whole}.{digits.group():0<6}{rest[digits.end() :]}"
    try:
        return datetime.date.fromisoformat(bare) if len(bare) == 10 else datetime.datetime.fromisoformat(bare)
    except ValueError:
        return None


def meaning(value: Any) -> State | None:
    """Return what a value means whatever its type: a number (false is 0, true is 1) or a time; else None.

    Two values of one meaning differ only by their type or by how they are written.

    >>> meaning("1") == meaning(1) == meaning(True) == meaning("TRUE") == meaning(" 1.0")
    True
    >>> meaning("2024-02-29") == meaning(datetime.date(2024, 2, 29)), meaning("yes")
    (True, None)
    """
    if isinstance(value, str):
        word = value.strip().casefold()
        if word in ("true", "false"):
            return int(word == "true")
        if _WHOLE.fullmatch(value) and plain_number(value):
            return int(value)  # exactly, however long
        value = number_spelled(value) if (date := date_spelled(value)) is None else date
    if isinstance(value, datetime.date):
        midnight = datetime.time.min
        moment = value if isinstance(value, datetime.datetime) else datetime.datetime.combine(value, midnight)
        return moment if moment.tzinfo is None else moment.astimezone(datetime.timezone.utc)
    return value if isinstance(value, numbers.Number) and not is_missing(value) else None
