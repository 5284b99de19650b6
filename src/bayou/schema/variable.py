"""A variable: a name, and either ordered, typed states or a continuous range."""

from __future__ import annotations

import math
import numbers
import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from bayou.errors import BadVariable, UnknownState, listed
from bayou.schema.intervals import Cuts, Interval, as_interval, overlapping
from bayou.schema.states import is_missing, plain, state_key
from bayou.schema.values import decode_value, encode_value
from bayou.typing import Name, State

_NUMERAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


@dataclass(frozen=True, eq=False)
class Variable:
    """A named quantity: discrete with its states in order, or continuous (no states at all).

    States keep their type: ``1``, ``"1"`` and ``True`` are three states (a number equals a number of
    the same value, so ``1`` and ``1.0`` are one). ``ordered=True`` says that the order means something.
    ``cuts`` makes intervals of real numbers the states: then a number stands for the one that holds it.

    >>> smoker = Variable("smoker", ["no", "yes"])
    >>> smoker.code("yes")
    1
    >>> smoker
    Variable('smoker', ['no', 'yes'])
    >>> smoker.code("Yes")
    Traceback (most recent call last):
    bayou.errors.UnknownState: 'Yes' is not a state of 'smoker'. Did you mean 'yes'? Its states are: ...
    >>> age = Variable("age", cuts=[30, 50])
    >>> age.code(42), age.code("30 to 50"), age.code(30)
    (1, 1, 0)
    """

    name: Name
    states: tuple[State, ...] = ()
    ordered: bool = False
    cuts: Cuts | None = None
    """Where the states are adjoining intervals, in order: the points between them."""
    _codes: dict[tuple[str, State], int] = field(init=False, repr=False)

    def __init__(
        self,
        name: Name,
        states: Iterable[State] = (),
        *,
        ordered: bool = False,
        cuts: Iterable[float] | Cuts | None = None,
    ) -> None:
        given = _states_given(name, states, cuts)
        codes = _checked_codes(name, given)
        found = _checked_cuts(name, given) if given and type(given[0]) is Interval else None
        object.__setattr__(self, "name", plain(name))
        object.__setattr__(self, "states", given)
        object.__setattr__(self, "ordered", ordered or found is not None)
        object.__setattr__(self, "cuts", found)
        object.__setattr__(self, "_codes", codes)

    @property
    def is_continuous(self) -> bool:
        """Whether the variable takes real values rather than states."""
        return not self.states

    @property
    def cardinality(self) -> int:
        """The number of states."""
        return len(self.states)

    def code(self, state: State) -> int:
        """The position of a state, found by equality and type, never by position."""
        try:
            return self._codes[state_key(state)]
        except (KeyError, TypeError):
            code = self._holding(state)
        if code is None:
            raise self._unknown(state)
        return code

    def find(self, state: State) -> int | None:
        """The position of a state, or None where the variable does not have it."""
        code = self.place(state)
        return self._holding(state) if code is None else code

    def place(self, state: State) -> int | None:
        """The position of just this state: a number does not stand for the interval that holds it."""
        return self._codes.get(state_key(state))

    def _holding(self, value: Any) -> int | None:
        """The position of the interval that holds a number (also one in text), or that prints so."""
        if self.cuts is None:
            return None
        if isinstance(value, str):
            shown = next((code for code, state in enumerate(self.cuts) if str(state) == value), None)
            if shown is not None or not _NUMERAL.fullmatch(value.strip()):
                return shown
            value = float(value)
        number = _real(value)
        if number is None:
            interval = as_interval(value)
            return None if interval is None else self._codes.get(state_key(interval))
        if not self.cuts.low <= number <= self.cuts.high:
            return None  # also what is not a number
        return bisect_left(self.cuts.points, number)

    def _unknown(self, state: Any) -> UnknownState:
        if self.cuts is None:
            return UnknownState.of(self.name, state, self.states)
        if _real(state) is not None and not is_missing(state):
            return UnknownState.outside(self.name, state, self.cuts)
        return UnknownState.of(self.name, state, [str(interval) for interval in self.cuts])

    def same_states(self, other: Variable) -> bool:
        """Whether both have the same states in the same order; ``1`` and ``True`` are not the same."""
        return tuple(self._codes) == tuple(other._codes)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Variable) and self._identity() == other._identity())

    def __hash__(self) -> int:
        return hash(self._identity())

    def _identity(self) -> tuple[object, ...]:
        return (state_key(self.name), tuple(self._codes), self.ordered)

    def __repr__(self) -> str:
        if self.is_continuous:
            return f"Variable({self.name!r}) (continuous)"
        if self.cuts is not None:
            return f"Variable({self.name!r}, {self.cuts!r})"
        order = ", ordered=True" if self.ordered else ""
        return f"Variable({self.name!r}, {list(self.states)!r}{order})"

    def state(self) -> dict[str, Any]:
        """Name, typed states, and whether their order means something, as a file holds them.

        >>> Variable("smoker", ["no", "yes"]).state()
        {'name': 'smoker', 'states': ['no', 'yes'], 'ordered': False}
        """
        return {
            "name": encode_value(self.name),
            "states": [encode_value(state) for state in self.states],
            "ordered": self.ordered,
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Variable:
        """The variable that :meth:`state` wrote."""
        states = [decode_value(entry) for entry in state["states"]]
        return cls(decode_value(state["name"]), states, ordered=bool(state["ordered"]))


def _states_given(
    name: Name, states: Iterable[State], cuts: Iterable[float] | Cuts | None
) -> tuple[State, ...]:
    """The states as stated or as cut, checked."""
    given = tuple(plain(state) for state in states)
    if cuts is not None:
        if given:
            raise BadVariable(f"{name!r} has both states and cuts; the cuts make its states.")
        given = tuple(cuts if isinstance(cuts, Cuts) else Cuts(cuts))
    return given


def _checked_cuts(name: Name, states: tuple[State, ...]) -> Cuts | None:
    """The cuts behind states that are intervals, where they are all and adjoin; none may overlap."""
    pair = overlapping(states)
    if pair is not None:
        raise BadVariable(f"The intervals {pair[0].notation} and {pair[1].notation} of {name!r} overlap.")
    return Cuts.of_states(states)


def _real(value: Any) -> float | None:
    """A number of any kind as a float, beyond its range infinite; None for what is no number."""
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, numbers.Real | Decimal):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf if value == abs(value) else -math.inf


def _checked_codes(name: Name, states: tuple[State, ...]) -> dict[tuple[str, State], int]:
    """The position of each state by its identity; files have thousands of variables, so in one pass."""
    try:
        hash(name)
    except TypeError:
        raise BadVariable(f"A variable's name must be hashable; {name!r} is not.") from None
    if is_missing(name):
        raise BadVariable("A variable's name can not be a missing value.")
    codes: dict[tuple[str, State], int] = {}
    for code, state in enumerate(states):
        if is_missing(state):
            raise BadVariable(
                f"{name!r} has the state {state!r}, which means 'missing'; leave it out, gaps need no state."
            )
        try:
            first = codes.setdefault(state_key(state), code)
        except TypeError:
            raise BadVariable(f"{name!r}: a state must be hashable; {state!r} is not.") from None
        if first != code:
            raise BadVariable(f"{name!r} has the state {state!r} twice; its states are: {listed(states)}.")
    return codes


def text_names(variables: Iterable[Variable]) -> list[Name]:
    """Variables whose states are all text: their columns must not be taken for numbers or truth values."""
    return [
        variable.name
        for variable in variables
        if variable.states and all(isinstance(state, str) for state in variable.states)
    ]
