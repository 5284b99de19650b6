"""One entry of a table and what it does to an answer: a row of a tornado."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bayou.probability.table_algebra import finding_text
from bayou.typing import Name, State

MOST_DIGITS = 12


@dataclass(frozen=True)
class EntryEffect:
    """An entry θ = P(table=state | parents), and P(target=state | findings) as a function of it.

    ``low`` and ``high`` are the ends of its range; ``at_low``, ``at_high``, ``at_zero`` and ``at_one`` the
    answer with θ there (NaN where the findings become impossible). ``coefficients`` are a, b, c, d of
    (a·θ + b)/(c·θ + d); None for a table shared by several variables of the question, whose answer has
    another form. At ``threshold`` the decision turns to ``turns_to`` (None: at no value from 0 to 1), which
    changes some entry of the row by the share ``relative_change``. ``users`` are the variables whose table
    it is.
    """

    table: Name
    state: State
    parents: Mapping[Name, State]
    value: float
    derivative: float
    low: float
    high: float
    at_low: float
    at_high: float
    at_zero: float
    at_one: float
    coefficients: tuple[float, float, float, float] | None
    threshold: float | None
    turns_to: State | None
    relative_change: float | None
    users: tuple[Name, ...]

    @property
    def text(self) -> str:
        """The entry as it is printed: ``P(Wet=yes | Rain=no)``."""
        own = finding_text(self.table, self.state)
        given = ", ".join(finding_text(name, state) for name, state in self.parents.items())
        return f"P({own} | {given})" if given else f"P({own})"

    def answer(self, value: float) -> float:
        """P(target=state | findings) if this entry had another value; NaN if the findings became impossible.

        >>> import bayou
        >>> net = bayou.examples.rain_and_wet_grass()
        >>> entry = net.tornado("Rain", "yes", given={"WetGrass": "yes"}, tables="Rain")[0]
        >>> round(entry.answer(0.5), 4) == round(net.copy().set_cpt("Rain", [0.5, 0.5]).query(
        ...     "Rain", {"WetGrass": "yes"})["yes"], 4)
        True
        """
        if self.coefficients is None:
            return math.nan
        a, b, c, d = self.coefficients
        total = c * value + d
        return (a * value + b) / total if total > 0 else math.nan

    def to_dict(self) -> dict[str, Any]:
        """The numbers as plain data; None where there is none."""
        numbers = ("value", "derivative", "low", "high", "at_low", "at_high", "at_zero", "at_one")
        parts = {"a": 0, "b": 1, "c": 2, "d": 3}
        given = self.coefficients
        change = self.relative_change
        return {
            "table": self.table,
            "state": self.state,
            "parents": [{"name": name, "state": state} for name, state in self.parents.items()],
            "users": list(self.users),
            **{name: plain_number(getattr(self, name)) for name in numbers},
            "coefficients": None if given is None else {name: given[k] for name, k in parts.items()},
            "threshold": self.threshold,
            "turns_to": self.turns_to,
            "relative_change": None if change is None else plain_number(change),
        }


def plain_number(value: float) -> float | None:
    """A number that JSON has: None instead of NaN and infinity.

    >>> plain_number(0.5), plain_number(math.nan)
    (0.5, None)
    """
    return value if math.isfinite(value) else None


def two_numbers(before: float, after: float) -> tuple[str, str]:
    """Two numbers with so many digits, at least three, that they look different if they are.

    >>> two_numbers(0.05, 0.0930233), two_numbers(0.05, 0.0500002)
    (('0.05', '0.093'), ('0.05', '0.0500002'))
    """
    for digits in range(3, MOST_DIGITS):
        shown = f"{before:.{digits}g}", f"{after:.{digits}g}"
        if shown[0] != shown[1]:
            return shown
    return f"{before:.{MOST_DIGITS}g}", f"{after:.{MOST_DIGITS}g}"
