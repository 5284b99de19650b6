"""What the texts of a column spell over a whole file, decided in SQL: no text is fetched.

Each text is of one kind (a number, a marked number, a date, …), which is a bit of an integer. One aggregate,
the bitwise or over all rows, tells which kinds occur; they decide what the column is (:class:`Spelling`). The
patterns are those of ``spelled_values``, by which the same texts in memory are read.
"""

from __future__ import annotations

import re
from enum import IntFlag

from bayou.schema.spelled_values import (
    DATE,
    INFINITY,
    MARKED,
    MOST_DIGITS,
    NUMBER,
    SIGNS,
    THOUSANDS,
    TRUTH,
    UNIT,
    WHOLE,
)
from bayou.sources.tables.columns import LARGEST_EXACT
from bayou.sources.tables.number_text import GAP_WORDS, Spelling


class Kinds(IntFlag):
    """The kinds of texts that occur in a column."""

    EMPTY = 1
    """Null, or a text without characters."""
    BLANK = 2
    """A text of blanks: a gap, except among plain numbers."""
    GAP = 4
    """A word for a missing value."""
    NUMBER = 8
    """A number that float64 represents."""
    FRACTION = 16
    """Such a number that is not whole (in addition to ``NUMBER``)."""
    POINTED = 32
    """Such a number written with a point or an exponent (in addition to ``NUMBER``)."""
    LONG = 64
    """A whole number that is too long for float64."""
    INFINITE = 128
    MARKED = 256
    THOUSANDS = 512
    """A number with ``k`` or ``M`` and without marks."""
    TRUE_OR_FALSE = 1024
    DATE = 2048
    TIME = 4096
    ZONED = 8192
    """A date with a time and a time zone."""
    OTHER = 16384


_GAPS = Kinds.EMPTY | Kinds.BLANK | Kinds.GAP
_NUMBERS = Kinds.NUMBER | Kinds.FRACTION | Kinds.POINTED | Kinds.LONG | Kinds.INFINITE
_AMOUNTS = _NUMBERS | Kinds.MARKED | Kinds.THOUSANDS
_DATES = Kinds.DATE | Kinds.TIME | Kinds.ZONED

_SPACES = r"[\s\v\x1c-\x1f\x{85}\p{Z}]*"  # what str.strip() removes
GAP_WORD = rf"(?i){_SPACES}({'|'.join(re.escape(word) for word in sorted(GAP_WORDS))}){_SPACES}"
"""What :func:`is_gap_word` is true of, as a regular expression."""


def kinds_query(text: str, number: str | None = None) -> str:
    """SQL for the kinds of all texts of a column.

    ``number`` is SQL for the text as DOUBLE; without it, the kinds of plain numbers are not told apart.
    """

    def fits(pattern: str) -> str:
        return f"regexp_full_match({text}, '{pattern}')"

    words = ", ".join(f"'{word}'" for word in TRUTH)
    day = f"try_cast(regexp_extract({text}, '[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}') as date)"
    unlike = f"length({text}) > {MOST_DIGITS} and {fits(WHOLE)}"
    ordinary = (
        f"{Kinds.NUMBER:d} + case when {number} = floor({number}) then 0 else {Kinds.FRACTION:d} end "
        f"+ case when regexp_matches({text}, '[.eE]') then {Kinds.POINTED:d} else 0 end"
    )
    numbers = f"""case
            when abs({number}) < {LARGEST_EXACT} then {ordinary}
            when {unlike} then {Kinds.OTHER:d}
            when {fits(WHOLE)} then {Kinds.LONG:d}
            when isfinite({number}) then {ordinary}
            else {Kinds.INFINITE:d} end"""
    if number is None:
        numbers = f"case when {unlike} then {Kinds.OTHER:d} else {Kinds.NUMBER:d} end"
    return f"""bit_or(case
        when coalesce({text}, '') = '' then {Kinds.EMPTY:d}
        when {fits(NUMBER)} then {numbers}
        when {fits(GAP_WORD)} then {Kinds.GAP:d}
        when {fits(_SPACES)} then {Kinds.BLANK:d}
        when {fits(INFINITY)} then {Kinds.INFINITE:d}
        when {fits(MARKED)} and length({text}) <= {MOST_DIGITS} then {Kinds.MARKED:d}
        when {fits(THOUSANDS)} and length({text}) <= {MOST_DIGITS} then {Kinds.THOUSANDS:d}
        when {text} in ({words}) then {Kinds.TRUE_OR_FALSE:d}
        when {fits(DATE)} and {day} is not null then case
            when not regexp_matches({text}, ':') then {Kinds.DATE:d}
            when regexp_matches({text}, ':.*[Z+-]') then {Kinds.ZONED:d}
            else {Kinds.TIME:d} end
        else {Kinds.OTHER:d} end)"""


def units_query(text: str, number: str = "null") -> str:
    """SQL for the first and the last unit (a currency or %) of all texts of a column, by the alphabet.

    Of a column of marked numbers they tell whether there are several. Plain numbers (``number`` is SQL for
    the text as DOUBLE) are not looked at.
    """
    found = f"case when {number} is null then nullif(regexp_extract({text}, '{UNIT}'), '') end"
    signs = " ".join(f"when '{code}' then '{sign}'" for code, sign in SIGNS.items())
    unit = f"case ({found}) {signs} else ({found}) end"
    return f"min({unit}), max({unit})"


def may_spell(kinds: Kinds) -> bool:
    """Whether a column whose first texts are of these kinds may spell numbers, truth values or dates.

    >>> may_spell(Kinds.NUMBER | Kinds.GAP), may_spell(Kinds.OTHER), may_spell(Kinds.NUMBER | Kinds.DATE)
    (True, False, False)
    """
    families = (_AMOUNTS, Kinds.TRUE_OR_FALSE, _DATES)
    return any(not kinds & ~(family | _GAPS) for family in families)


def spelling_of(kinds: Kinds, first_unit: str | None = None, last_unit: str | None = None) -> Spelling:
    """Return what a column spells whose texts are of these kinds and have these units (:func:`units_query`).

    >>> spelling_of(Kinds.NUMBER | Kinds.GAP).whole, spelling_of(Kinds.MARKED | Kinds.THOUSANDS).other
    (True, 'marked')
    >>> spelling_of(Kinds.NUMBER | Kinds.THOUSANDS).other
    ''
    >>> spelling_of(Kinds.MARKED, "$", "€")
    Spelling(numbers=False, whole=False, ..., other='', units=('$', '€'), floats=False)
    """
    texts = kinds & ~_GAPS
    if texts and not texts & ~_NUMBERS and not kinds & Kinds.BLANK:
        integral = not kinds & (Kinds.FRACTION | Kinds.INFINITE)
        gaps = bool(kinds & _GAPS)
        return Spelling(
            numbers=True,
            whole=integral and (gaps or not kinds & Kinds.POINTED),
            exact=bool(kinds & Kinds.LONG),
            plain=not kinds & (Kinds.LONG | Kinds.INFINITE),
            integral=integral,
            floats=integral and gaps and bool(kinds & Kinds.POINTED),
        )
    other = _other(texts)
    units: tuple[str, ...] = ()
    if other == "marked" and first_unit is not None and last_unit is not None and first_unit != last_unit:
        other, units = "", (first_unit, last_unit)
    return Spelling(numbers=False, whole=False, exact=False, plain=False, other=other, units=units)


def _other(texts: Kinds) -> str:
    """What the texts spell, if not plain numbers; see :class:`Spelling`."""
    if not texts & ~_AMOUNTS:
        return "marked" if texts & Kinds.MARKED else ""
    if texts == Kinds.TRUE_OR_FALSE:
        return "truth"
    if texts & ~_DATES:
        return ""
    if texts == Kinds.DATE:
        return "dates"
    return "times" if texts == Kinds.ZONED or not texts & Kinds.ZONED else ""
