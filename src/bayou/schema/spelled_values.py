"""What a text spells: a number, money, a share in percent, a truth value, or a date.

One rule for files, tables, predictions and questions:

- a number is decimal, with or without an exponent, or ``inf``; a leading zero (``007``) makes it text;
- *marked* numbers have commas between thousands, a currency before or after them, or ``%``: ``1,234`` is
  1234, ``$7,211.66`` is 7211.66, ``12k €`` is 12000, ``12 %`` is 0.12; no decimal comma (``10,00``) is read;
- ``12k`` and ``3M`` are numbers, but ``k`` and ``M`` alone are no marks: ``2K`` and ``4K`` may be sizes. A
  column of such texts holds numbers only if others of its texts are marked (``$980``, ``12k``);
- marked numbers of one column have one currency, or all are percentages: a column of ``$12`` and ``10.00 €``
  is text (numbers without a currency may be among the others);
- ``True``, ``TRUE`` and ``true`` are truth values, and so are the words for false;
- dates are ISO dates, with or without a time: ``2024-02-29``, ``2024-02-29 12:00``, ``2024-02-29T12:00:00Z``.
  A zone is ``Z``, ``+01:00``, ``+0100`` or ``+01``; after microseconds only noughts may stand.
"""

from __future__ import annotations

import datetime
import numbers
import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from bayou.schema.states import decimal_number, is_missing
from bayou.typing import State

_START = datetime.date(1970, 1, 1).toordinal()
# Regular expressions that mean the same to Python and to duckdb.
_DIGITS = r"((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)"
_GROUPED = r"([1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]*)?)"
_SPACES = r"[ \t\n\r\f\v]*"
_BLANK = "[ \u00a0\u202f]?"
_CURRENCY = "([$¢-¥฿₠-₿]|USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|TRY|ZAR|SGD|HKD)"
_AMOUNT = rf"({_GROUPED}|{_DIGITS})"
UNIT = f"({_CURRENCY}|%)"
"""The currency or the percent sign of a marked number, if it has one."""
SIGNS = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "INR": "₹"}
"""Codes of currencies that are usually written as a sign."""
NUMBER = rf"{_SPACES}[+-]?{_DIGITS}([eE][+-]?[0-9]+)?{_SPACES}"
WHOLE = rf"{_SPACES}[+-]?[0-9]+{_SPACES}"
INFINITY = rf"{_SPACES}[+-]?[iI][nN][fF]([iI][nN][iI][tT][yY])?{_SPACES}"
MARKED = (
    rf"{_SPACES}("
    rf"([+-]?{_CURRENCY}{_BLANK}|{_CURRENCY}{_BLANK}[+-]){_AMOUNT}[kKM]?"  # -$5, $-5, $12k
    rf"|[+-]?{_AMOUNT}([kKM]?{_BLANK}{_CURRENCY}|{_BLANK}%)"  # 5 €, 12k €, 12 %
    rf"|[+-]?{_GROUPED}[kKM]?"  # 1,234
    rf"){_SPACES}"
)
THOUSANDS = rf"{_SPACES}[+-]?{_DIGITS}[kKM]{_SPACES}"
"""A number with ``k`` or ``M`` and no mark, such as ``12k``."""
DATE = (
    rf"{_SPACES}(000[1-9]|00[1-9][0-9]|0[1-9][0-9][0-9]|[1-9][0-9][0-9][0-9])"
    r"-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
    r"([T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6}0{0,3})?)?"
    r"(Z|[+-]([01][0-9]|2[0-3])(:?[0-5][0-9])?)?)?"
    rf"{_SPACES}"
)
"""A date whose month may have fewer days (``2024-02-30``)."""
MARK = "[,%$¢-¥฿₠-₿A-Z]"
"""A sign that a marked number has and a plain one has not."""
TRUTH = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
"""The words for truth values: those that pandas, polars and Arrow read as such."""

_NUMBER = re.compile(NUMBER)
_WHOLE = re.compile(WHOLE)
_INFINITY = re.compile(INFINITY)
_MARKED = re.compile(MARKED)
_THOUSANDS = re.compile(THOUSANDS)
_DATE = re.compile(DATE)
_CLOCK = re.compile(
    r"(?P<whole>.{10}[^.+-]+)(\.(?P<digits>[0-9]+))?((?P<hours>[+-][0-9]{2}):?(?P<minutes>[0-9]{2})?)?"
)
_FIRST_AMOUNT = re.compile(_AMOUNT)
_UNIT = re.compile(UNIT)
MOST_DIGITS = 300
"""An integer with more digits is text: no float is as large."""


def plain_number(text: str) -> bool:
    """Whether a text is a decimal number or infinity.

    >>> [plain_number(text) for text in ("1", "-2.5e3", "inf", "007", "$1", "9" * 5000)]
    [True, True, True, False, False, False]
    """
    if len(text) > MOST_DIGITS and _WHOLE.fullmatch(text):
        return False
    return bool(_NUMBER.fullmatch(text) or _INFINITY.fullmatch(text))


def number_spelled(text: str) -> float | None:
    """Return the number that a text spells, with or without marks; None if it spells none.

    >>> [number_spelled(text) for text in ("$7,211.66", "-12k", "10.00 €", "12 %", "1,234", "1e3", "--5")]
    [7211.66, -12000.0, 10.0, 0.12, 1234.0, 1000.0, None]
    """
    if plain_number(text):
        return float(text)
    if len(text) > MOST_DIGITS or not (_MARKED.fullmatch(text) or _THOUSANDS.fullmatch(text)):
        return None
    amount = _FIRST_AMOUNT.search(text)
    assert amount is not None
    number = float(amount.group().replace(",", ""))
    after = text[amount.end() : amount.end() + 1]
    number *= {"k": 1e3, "K": 1e3, "M": 1e6}.get(after, 1.0)
    if text.rstrip().endswith("%"):
        number /= 100
    return -number if "-" in text[: amount.start()] else number


def is_marked(text: str) -> bool:
    """Whether a text spells a number with marks, such as money.

    >>> [is_marked(text) for text in ("$5", "1,234", "5", "5k", "5 apples")]
    [True, True, False, False, False]
    """
    return len(text) <= MOST_DIGITS and _MARKED.fullmatch(text) is not None


def units_spelled(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the currencies (and %) of marked numbers, sorted; more than one do not make a column of numbers.

    >>> units_spelled(["$12", "12 USD", "7", "10.00 €", "unknown"]), units_spelled(["1,234", "5 %"])
    (('$', '€'), ('%',))
    """
    found = {unit.group() for text in texts if is_marked(text) and (unit := _UNIT.search(text))}
    return tuple(sorted({SIGNS.get(unit, unit) for unit in found}))


def has_bare_thousands(text: str) -> bool:
    """Whether a text is a number with ``k`` or ``M`` and without a mark: a number only among marked ones.

    >>> [has_bare_thousands(text) for text in ("2K", "$2K", "2")]
    [True, False, False]
    """
    return len(text) <= MOST_DIGITS and _THOUSANDS.fullmatch(text) is not None


def date_spelled(text: str) -> datetime.date | None:
    """Return the date, or the date with a time, that an ISO text spells; None if it spells none.

    >>> date_spelled("2024-02-29"), date_spelled("2024-02-29 12:30"), date_spelled("2024-02-30")
    (datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29, 12, 30), None)
    >>> date_spelled("2024-02-29 12:30:00.000000000+01") == date_spelled("2024-02-29T11:30Z")
    True
    """
    if not _DATE.fullmatch(text):
        return None
    bare = text.strip().replace("Z", "+00:00")
    time = _CLOCK.fullmatch(bare)
    if time:  # Python 3.10 reads fractions of six digits and zones with a colon only
        fraction = f".{time['digits'][:6]:0<6}" if time["digits"] else ""
        zone = f"{time['hours']}:{time['minutes'] or '00'}" if time["hours"] else ""
        bare = f"{time['whole']}{fraction}{zone}"
    try:
        return datetime.date.fromisoformat(bare) if len(bare) == 10 else datetime.datetime.fromisoformat(bare)
    except ValueError:
        return None


def days_since_1970(date: datetime.date) -> float:
    """Return a date or timestamp as a number of days; a timestamp without a time zone is taken as UTC.

    >>> days_since_1970(datetime.date(1970, 1, 3)), days_since_1970(datetime.datetime(1970, 1, 1, 12))
    (2.0, 0.5)
    """
    if not isinstance(date, datetime.datetime):
        return float(date.toordinal() - _START)
    zoned = date if date.tzinfo is not None else date.replace(tzinfo=datetime.timezone.utc)
    return zoned.timestamp() / 86_400.0


def quantity_spelled(text: str) -> float | None:
    """Return the number that a text spells, or the day of the date that it spells; None if it is neither.

    >>> [quantity_spelled(text) for text in ("$5", "1970-01-03", "unknown")]
    [5.0, 2.0, None]
    """
    number = number_spelled(text)
    if number is not None:
        return number
    date = date_spelled(text)
    return None if date is None else days_since_1970(date)


def as_quantity(value: Any) -> float | None:
    """Return any value as a number: a date is its day, and a text is what it spells; None if it is neither.

    A number that no float can hold is an OverflowError.

    >>> [as_quantity(value) for value in (3, "$1,200", "12 %", datetime.date(1970, 1, 3), "many", None)]
    [3.0, 1200.0, 0.12, 2.0, None, None]
    """
    if isinstance(value, str):
        return quantity_spelled(value)
    if isinstance(value, datetime.date):
        return days_since_1970(value)
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def moment(date: datetime.date) -> datetime.datetime:
    """Return a date as a point in time: its midnight, unless it has a time.

    >>> moment(datetime.date(2024, 2, 29))
    datetime.datetime(2024, 2, 29, 0, 0)
    """
    if isinstance(date, datetime.datetime):
        return date
    return datetime.datetime.combine(date, datetime.time.min)


def meaning(value: Any) -> State | None:
    """Return what a value means whatever its type: a number (false is 0, true is 1) or a time; else None.

    Two values of one meaning differ only by their type or by how they are written.

    >>> meaning("1") == meaning(1) == meaning(True) == meaning("TRUE") == meaning(" 1.0")
    True
    >>> meaning("2024-02-29") == meaning(datetime.date(2024, 2, 29)), meaning("yes")
    (True, None)
    """
    if isinstance(value, str):
        if value in TRUTH:
            return int(TRUTH[value])
        if _WHOLE.fullmatch(value) and plain_number(value):
            return int(value)  # exactly, however long
        value = number_spelled(value) if (date := date_spelled(value)) is None else date
    if isinstance(value, datetime.date):
        time = moment(value)
        return time if time.tzinfo is None else time.astimezone(datetime.timezone.utc)
    if not isinstance(value, numbers.Number) or is_missing(value):
        return None
    return decimal_number(value) if isinstance(value, Decimal) else value
