"""Which state of a variable means that a cause or an effect is present, told by the names of its states."""

from __future__ import annotations

from numbers import Real

from bayou.schema import Variable
from bayou.typing import State

PRESENT = frozenset({"yes", "y", "true", "t", "present", "on", "positive", "pos", "+"})
ABSENT = frozenset({"no", "n", "false", "f", "absent", "off", "negative", "neg", "-", "none"})


def present_code(variable: Variable) -> int | None:
    """The code of the state that means present; None if the states do not tell.

    A name such as ``yes`` tells, and of two states the one beside ``no``. Of two numbers it is the larger.

    >>> present_code(Variable("Flu", ["yes", "no"])), present_code(Variable("Flu", ["none", "some"]))
    (0, 1)
    >>> present_code(Variable("Flu", [1, 0])), present_code(Variable("Flu", ["ill", "well"]))
    (0, None)
    >>> present_code(Variable("Flu", [1, 2])), present_code(Variable("Flu", ["1", "0"]))
    (1, 0)
    """
    return _told(variable, PRESENT, ABSENT, larger=True)


def absent_code(variable: Variable) -> int | None:
    """The code of the state that means absent; None if the states do not tell.

    >>> absent_code(Variable("Dose", ["high", "low", "none"])), absent_code(Variable("Dose", ["a", "b"]))
    (2, None)
    """
    return _told(variable, ABSENT, PRESENT, larger=False)


def _told(variable: Variable, words: frozenset[str], opposite: frozenset[str], larger: bool) -> int | None:
    named = _only(variable, words)
    if named is not None or variable.cardinality != 2:
        return named
    other = _only(variable, opposite)
    if other is not None:
        return 1 - other
    first, second = map(_number, variable.states)
    return None if first is None or second is None or first == second else int((second > first) == larger)


def _number(state: State) -> float | None:
    """The number that a state is, or that its text means."""
    try:
        return float(state) if isinstance(state, Real | str) else None
    except (ValueError, OverflowError):
        return None


def _only(variable: Variable, words: frozenset[str]) -> int | None:
    """The code of the one state whose name is among the words; None if none or several are."""
    codes = [code for code, state in enumerate(variable.states) if str(state).casefold() in words]
    return codes[0] if len(codes) == 1 else None
