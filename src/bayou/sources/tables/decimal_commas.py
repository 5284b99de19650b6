"""Texts that are numbers with a decimal comma: the user of a text file is told how to read them so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from bayou.errors import warn_user
from bayou.schema.spelled_values import number_spelled, plain_number
from bayou.sources.tables.number_text import is_gap_word
from bayou.typing import Name

COMMA_NUMBER = re.compile(r"\s*[+-]?[0-9]+,[0-9]+\s*")
COMMA_AMOUNT = re.compile(r"[^\w\s]?\s?[+-]?[0-9]{1,3}(\.?[0-9]{3})*,[0-9]+\s?([^\w\s]|[A-Z]{3})?")
"""A decimal comma in an amount, such as 1.234,50 €"""


def have_decimal_commas(texts: Iterable[str]) -> bool:
    """Whether distinct texts are numbers with a decimal comma: at least two, and nothing else but whole ones.

    >>> have_decimal_commas(["39,1", "36,6", "NA"]), have_decimal_commas(["1,200", "3,400"])
    (True, False)
    """
    seen = [text.strip() for text in texts if not is_gap_word(text)]
    commas = [text for text in seen if COMMA_AMOUNT.fullmatch(text)]
    if len(commas) < 2 or all(number_spelled(text) is not None for text in commas):
        return False  # thousands, such as 1,200, are read as numbers
    return all(plain_number(text) and "." not in text for text in seen if not COMMA_AMOUNT.fullmatch(text))


def have_decimal_points(texts: Sequence[str]) -> bool:
    """Whether some of these texts is a number with a decimal point: in this file a comma is none."""
    return any(plain_number(text) and "." in text for text in texts)


def tell_decimal_commas(name: Name, cell: str, remedied: bool) -> None:
    """Warn of a column of numbers with a decimal comma; ``remedied`` if ``decimal=","`` would read them."""
    remedy = (
        "say so: bayou.from_file(…, decimal=','), or --decimal , on the command line."
        if remedied
        else "write them with a decimal point."
    )
    warn_user(
        f"Column {name!r} seems to hold numbers with a decimal comma, such as {cell!r}: it is read as text, "
        f"every number a state of its own. If they are numbers, {remedy}"
    )
