"""Texts that spell numbers: with commas between thousands, a currency, ``k``, ``M`` or ``%``, or plain."""

from __future__ import annotations

import re

DIGITS = r"(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)"
GROUPED = r"(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]*)?)"
CURRENCY = (
    "(?:[$\u00a2-\u00a5\u0e3f\u20a0-\u20bf]|USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF"
    "|BRL|TRY|ZAR|SGD|HKD)"
)
BLANK = "[ \u00a0\u202f]?"
AMOUNT = f"(?:{GROUPED}|{DIGITS})"
PLAIN = re.compile(rf"[+-]?(?:{DIGITS}(?:[eE][+-]?[0-9]+)?|[iI][nN][fF](?:[iI][nN][iI][tT][yY])?)")
WHOLE = re.compile("[+-]?[0-9]+")
MARKED = re.compile(
    rf"(?:[+-]?{CURRENCY}{BLANK}|{CURRENCY}{BLANK}[+-]|[+-]?)({AMOUNT})([kKM]?)(?:{BLANK}({CURRENCY}|%))?"
)
GAP_WORDS = ("", "na", "nan", "n/a", "null", "none", "<na>", "-nan", "#n/a", "?")
SPACES = " \t\n\r\f\v"


def is_gap_text(text: str) -> bool:
    """Whether a text stands for a missing number."""
    return text.strip().lower() in GAP_WORDS


def amount_of(text: str) -> float | None:
    """The number that a text spells, such as 7211.66 of "$7,211.66" or 0.12 of "12 %"; None without one."""
    bare = text.strip(SPACES)
    if PLAIN.fullmatch(bare):
        return None if len(text) > 300 and WHOLE.fullmatch(bare) else float(bare)
    found = MARKED.fullmatch(bare)
    if found is None or len(text) > 300:
        return None
    amount, thousands, unit = found.groups()
    before = bare[: found.start(1)]
    if unit and (before.strip("+-") or (unit == "%" and thousands)):
        return None
    number = float(amount.replace(",", "")) * {"k": 1e3, "K": 1e3, "M": 1e6}.get(thousands, 1.0)
    if unit == "%":
        number /= 100
    return -number if "-" in before else number
