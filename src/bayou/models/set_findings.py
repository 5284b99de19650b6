"""Findings that leave several states possible: one of a set of states, or not this state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from bayou.errors import BadQuestion
from bayou.schema import Variable, label
from bayou.typing import FloatArray, Name, State


@dataclass(frozen=True, init=False, repr=False)
class Not:
    """A finding that excludes states: ``given={"xray": bayou.Not("normal")}``.

    Several states may be excluded at once; the others stay possible. In a query as text the same is written
    ``xray!=normal`` or ``age not in {40, 50}``.

    Raises ``BadQuestion`` if no state is named.

    >>> import bayou
    >>> print(bayou.examples.asia().query("lung", given={"xray": bayou.Not("no")}))
    P(lung | xray≠no)
    lung  P
    yes   0.4887  ████▉
    no    0.5113  █████▏
    >>> bayou.Not("low", "high")
    Not('low', 'high')
    """

    states: tuple[State, ...]
    """The states that are excluded."""

    def __init__(self, *states: State) -> None:
        if len(states) == 1 and isinstance(states[0], list | set):
            found = states[0]  # neither can be a state, so these are several states
            states = tuple(found if isinstance(found, list) else sorted(found, key=repr))
        if not states:
            raise BadQuestion("Not() excludes no state: name at least one, such as Not('normal').")
        object.__setattr__(self, "states", states)

    def __repr__(self) -> str:
        return f"Not({', '.join(map(repr, self.states))})"


class SetFinding(NamedTuple):
    """A finding that leaves several states possible: ``Rain!=no``, ``Rating in {3, 4}``."""

    weights: FloatArray
    """1 for each state that is possible, 0 for the others."""
    text: str

    @property
    def says_nothing(self) -> bool:
        """Whether every state is possible."""
        return bool(self.weights.all())


def is_set(variable: Variable, value: Any) -> bool:
    """Whether the value of a finding is :class:`Not`, or a set or list of states and no state itself.

    >>> age = Variable("age", [30, 40, 50])
    >>> is_set(age, {30, 40}), is_set(age, Not(30)), is_set(age, 30)
    (True, True, False)
    """
    if isinstance(value, frozenset):
        return variable.is_continuous or variable.place(value) is None
    return isinstance(value, Not | list | set)


def set_finding(variable: Variable, value: Any) -> SetFinding:
    """The finding that a set or list of states, or :class:`Not`, stands for; raises if no state is left.

    >>> age = Variable("age", [30, 40, 50])
    >>> set_finding(age, {50, 40}).text, set_finding(age, Not(30)).text
    ('age in {40, 50}', 'age≠30')
    """
    said = f"given={{{variable.name!r}: {value!r}}}"
    if variable.is_continuous:
        raise BadQuestion(
            f"{said}: {variable.name!r} has no states, of which several could be possible. Give one value of "
            "it, or declare it with cuts (Cuts), whose intervals are states."
        )
    excluded = isinstance(value, Not)
    codes = [variable.code(state) for state in (value.states if excluded else value)]
    if isinstance(value, set | frozenset):
        codes.sort()  # a set has no order of its own
    return finding_of_codes(variable, codes, excluded, said)


def finding_of_codes(variable: Variable, codes: Sequence[int], excluded: bool, said: str) -> SetFinding:
    """The finding that these states are possible, or that they are not; ``said`` is what errors quote.

    >>> finding_of_codes(Variable("age", [30, 40, 50]), [0, 1], True, "").text
    'age not in {30, 40}'
    """
    weights = np.full(variable.cardinality, float(excluded))
    weights[list(codes)] = float(not excluded)
    if not weights.any():
        problem = f"excludes every state of {variable.name!r}" if excluded else "names no state"
        raise BadQuestion(f"{said} {problem}: leave at least one possible, or leave {variable.name!r} out.")
    states = [label(variable.states[code]) for code in dict.fromkeys(codes)]
    sign = f" {'not ' if excluded else ''}in {{{', '.join(states)}}}"
    shown = f"≠{states[0]}" if excluded and len(states) == 1 else sign
    return SetFinding(weights, f"{label(variable.name)}{shown}")


def both(name: Name, earlier: SetFinding | None, fresh: SetFinding) -> SetFinding:
    """Two findings of one variable that leave several states possible: both hold."""
    if earlier is None or earlier.text == fresh.text:
        return fresh
    weights, text = earlier.weights * fresh.weights, f"{earlier.text}, {fresh.text}"
    if not weights.any():
        raise BadQuestion(f"{text}: no state of {name!r} agrees with all of it.")
    return SetFinding(weights, text)
