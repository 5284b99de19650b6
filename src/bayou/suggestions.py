"""'Did you mean …?': the known value that is most like an unknown one."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Sequence
from math import isnan
from numbers import Real
from typing import Any

_LONGEST_SPELLING = 400


def did_you_mean(given: object, known: Sequence[Hashable]) -> str:
    """A 'Did you mean …?' with the known value of another type, the nearest numbers, or a close spelling.

    It is empty if there is none. A number is compared by its value: 202 is nearer to 201 than to 402.

    >>> did_you_mean("smoker", ["smoke", "lung"]), did_you_mean(7.5, [1, 6, 8])
    (" Did you mean 'smoke'?", ' Did you mean 6 or 8 (the nearest numbers)?')
    """
    same_text = [value for value in known if str(value) == str(given)]
    if same_text:
        close = same_text[0]
        return f" Did you mean {close!r} (a {type(close).__name__}, not a {type(given).__name__})?"
    number = _as_number(given)
    numbers: list[Any] = [] if number is None else [value for value in known if is_number(value)]
    if number is not None and numbers:
        return _nearest(number, sorted(numbers))
    if len(str(given)) > _LONGEST_SPELLING:
        return ""
    import difflib

    by_text = {str(value): value for value in known}
    near = difflib.get_close_matches(str(given), list(by_text), n=1, cutoff=0.6)
    if not near:
        folded = {text.casefold(): text for text in by_text}
        near = difflib.get_close_matches(str(given).casefold(), list(folded), n=1, cutoff=0.6)
        near = [folded[text] for text in near]
    if not near and len(str(given)) > 1:
        near = [text for text in by_text if str(given).casefold() in text.casefold()][:1]
    return f" Did you mean {by_text[near[0]]!r}?" if near else ""


def is_number(value: Any) -> bool:
    """Whether a value is a number; truth values and NaN are not."""
    if isinstance(value, int | float):
        return not isinstance(value, bool) and (isinstance(value, int) or not isnan(value))
    return isinstance(value, Real)


def _as_number(given: Any) -> float | None:
    """The number that a value is, or that its text means; None if it is none."""
    if is_number(given) or not isinstance(given, str):
        return given if is_number(given) else None
    try:
        number = float(given)
    except ValueError:
        return None
    return None if isnan(number) else number


def _nearest(number: float, numbers: Sequence[Any]) -> str:
    """Name the known numbers just below and just above a number; the known ones are in order."""
    place = bisect_left(numbers, number)
    near = " or ".join(repr(value) for value in numbers[max(0, place - 1) : place + 1])
    return f" Did you mean {near} (the nearest {'numbers' if ' or ' in near else 'number'})?"
