"""A variable: a name, and ordered, typed states, a continuous range or texts."""

from __future__ import annotations

import math
import numbers
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any

from bayou.errors import BadVariable, UnknownState, listed
from bayou.memory import require_memory
from bayou.schema.intervals import Cuts, Interval, as_interval, overlapping
from bayou.schema.json_values import decode_value, encode_value
from bayou.schema.states import is_missing, plain, state_key
from bayou.typing import Name, State

_MANY_STATES = 1_000_000
"""From this number of states on, the memory for them is checked first."""
_STATE_BYTES = 250
"""The approximate memory of one state: the state, its key and its entry in the index."""


@dataclass(frozen=True, eq=False)
class Variable:
    """A named quantity: discrete with its states in order, or without states: real numbers, or texts.

    States keep their type: ``1``, ``"1"`` and ``True`` are three states (numbers are compared by value,
    so ``1`` and ``1.0`` are one). Where only one of them is a state, the others stand for it in data and in
    questions. ``ordered=True`` means that the order of the states has a meaning.
    With ``cuts`` the states are intervals, and a number stands for the interval that contains it.
    ``texts=True`` makes a variable whose values are texts, such as messages.

    Raises ``BadVariable`` for a state that stands there twice.

    >>> smoker = Variable("smoker", ["no", "yes"])
    >>> smoker.code("yes")
    1
    >>> smoker
    Variable('smoker', ['no', 'yes'])
    >>> smoker.code("Yes")
    Traceback (most recent call last):
    bayou.errors.UnknownState: 'Yes' is not a state of 'smoker'. Did you mean 'yes'? Its states are: ...
    >>> smoker.find("nein"), Variable("children", [0, 1, 2]).find("2")
    (None, 2)
    >>> age = Variable("age", cuts=[30, 50])
    >>> age.code(42), age.code("30 to 50"), age.code(30)
    (1, 1, 0)
    """

    name: Name
    states: tuple[State, ...] = ()
    ordered: bool = False
    cuts: Cuts | None = None
    """The points between states that are adjoining intervals in ascending order; else None."""
    is_text: bool = False
    """Whether its values are texts."""
    _codes: dict[tuple[str, State], int] = field(init=False, repr=False)

    def __init__(
        self,
        name: Name,
        states: Iterable[State] = (),
        *,
        ordered: bool = False,
        cuts: Iterable[float] | Cuts | None = None,
        texts: bool = False,
    ) -> None:
        given = _states_given(name, states, cuts)
        if texts and given:
            raise BadVariable(f"{name!r} has both states and texts; leave out its states.")
        codes = _checked_codes(name, given)
        found = given if isinstance(given, Cuts) else None
        given = tuple(given)
        if found is None and given and type(given[0]) is Interval:
            found = _checked_cuts(name, given)
        object.__setattr__(self, "name", plain(name))
        object.__setattr__(self, "states", given)
        object.__setattr__(self, "ordered", ordered or found is not None)
        object.__setattr__(self, "cuts", found)
        object.__setattr__(self, "is_text", texts)
        object.__setattr__(self, "_codes", codes)

    @property
    def is_continuous(self) -> bool:
        """Whether the variable has no states: its values are real numbers, or texts (``is_text``)."""
        return not self.states

    @property
    def cardinality(self) -> int:
        """The number of states."""
        return len(self.states)

    def code(self, state: State) -> int:
        """Return the code of a state, which is its position; an unknown state is an error.

        Raises ``UnknownState`` for a value that is no state.

        >>> import bayou
        >>> bayou.Variable("Rain", ["no", "yes"]).code("yes")
        1
        """
        try:
            return self._codes[state_key(state)]
        except (KeyError, TypeError):
            code = self._interval_code(state) if self.cuts is not None else self._code_by_meaning(state)
        if code is None:
            raise self._unknown(state)
        return code

    def find(self, state: State) -> int | None:
        """Return the code of a state, or None if the variable does not have it.

        A value that is not a state stands for the only state of the same meaning: ``1`` for ``"1"``, the word
        ``true`` for ``True``, the text of a date for the date. A number stands for the interval it is in.

        >>> Variable("Rain", ["no", "yes"]).find("yes"), Variable("Rain", ["no", "yes"]).find("maybe")
        (1, None)
        """
        code = self.place(state)
        if code is not None:
            return code
        return self._interval_code(state) if self.cuts is not None else self._code_by_meaning(state)

    def place(self, state: State) -> int | None:
        """Return the code of exactly this state, or None: no other value stands for a state here.

        >>> import bayou
        >>> bayou.Variable("children", [0, 1, 2]).place(2), bayou.Variable("children", [0, 1, 2]).place("2")
        (2, None)
        """
        return self._codes.get(state_key(state))

    def _code_by_meaning(self, value: Any) -> int | None:
        """The code of the only state that differs from a value only by its type or by how it is written."""
        from bayou.schema.spelled_values import meaning, units_spelled

        meant = meaning(value)
        code = None if meant is None else self._meanings.get(meant)
        if code is None or not isinstance(value, str):
            return code
        state = self.states[code]
        # $10 does not stand for 10 €.
        return None if isinstance(state, str) and len(units_spelled([value, state])) > 1 else code

    @cached_property
    def _meanings(self) -> dict[State, int]:
        """The code of each state by its meaning, without meanings that several states have."""
        from bayou.schema.spelled_values import meaning

        codes: dict[State, list[int]] = {}
        for code, state in enumerate(self.states):
            if (meant := meaning(state)) is not None:
                codes.setdefault(meant, []).append(code)
        return {meant: found[0] for meant, found in codes.items() if len(found) == 1}

    def _interval_code(self, value: Any) -> int | None:
        """The code of the interval that contains a number (or text of a number), or that prints like this."""
        if self.cuts is None:
            return None
        if isinstance(value, str):
            shown = next((code for code, state in enumerate(self.cuts) if str(state) == value), None)
            if shown is not None:
                return shown
            from bayou.schema.spelled_values import quantity_spelled

            value = quantity_spelled(value)
            if value is None or not math.isfinite(value):
                return None
        number = _real(value)
        if number is None:
            interval = as_interval(value)
            return None if interval is None else self._codes.get(state_key(interval))
        if not self.cuts.low <= number <= self.cuts.high:
            return None  # NaN too
        return bisect_left(self.cuts.points, number)

    def _unknown(self, state: Any) -> UnknownState:
        if self.cuts is None:
            return UnknownState.of(self.name, state, self.states)
        if _real(state) is not None and not is_missing(state):
            return UnknownState.outside(self.name, state, self.cuts)
        return UnknownState.of(self.name, state, [str(interval) for interval in self.cuts])

    def same_states(self, other: Variable) -> bool:
        """Whether both have the same states in the same order; ``1`` and ``True`` are different states.

        >>> Variable("Rain", ["no", "yes"]).same_states(Variable("Wet", ["no", "yes"]))
        True
        """
        return tuple(self._codes) == tuple(other._codes)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Variable) and self._identity() == other._identity())

    def __hash__(self) -> int:
        return hash(self._identity())

    def _identity(self) -> tuple[object, ...]:
        return (state_key(self.name), tuple(self._codes), self.ordered, self.is_text)

    def __repr__(self) -> str:
        if self.is_text:
            return f"Variable({self.name!r}, texts=True)"
        if self.is_continuous:
            return f"Variable({self.name!r}) (continuous)"
        if self.cuts is not None:
            return f"Variable({self.name!r}, {self.cuts!r})"
        order = ", ordered=True" if self.ordered else ""
        return f"Variable({self.name!r}, {list(self.states)!r}{order})"

    def state(self) -> dict[str, Any]:
        """The name, the typed states and whether they are ordered, as JSON data for a file.

        >>> Variable("smoker", ["no", "yes"]).state()
        {'name': 'smoker', 'states': ['no', 'yes'], 'ordered': False}
        """
        return {
            "name": encode_value(self.name),
            "states": [encode_value(state) for state in self.states],
            "ordered": self.ordered,
            **({"texts": True} if self.is_text else {}),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Variable:
        """Return the variable that :meth:`state` wrote."""
        states = [decode_value(entry) for entry in state["states"]]
        texts = bool(state.get("texts", False))
        return cls(decode_value(state["name"]), states, ordered=bool(state["ordered"]), texts=texts)


def _states_given(
    name: Name, states: Iterable[State], cuts: Iterable[float] | Cuts | None
) -> Sequence[State]:
    """The states as given, or the intervals of the cuts; both together are refused."""
    if isinstance(states, Sized) and len(states) > _MANY_STATES:
        require_memory(
            len(states) * _STATE_BYTES,
            f"A variable of {len(states):,} states ({name!r})",
            "Cut its values into ranges (cuts=…), or declare it continuous.",
        )
    given = tuple(plain(state) for state in states)
    if cuts is not None:
        if given:
            raise BadVariable(f"{name!r} has both states and cuts; give only one: cuts define the states.")
        return cuts if isinstance(cuts, Cuts) else Cuts(cuts)
    return given


def _checked_cuts(name: Name, states: tuple[State, ...]) -> Cuts | None:
    """The cuts between states that are adjoining intervals, else None; overlapping intervals are refused."""
    pair = overlapping(states)
    if pair is not None:
        raise BadVariable(f"The intervals {pair[0].notation} and {pair[1].notation} of {name!r} overlap.")
    return Cuts.of_states(states)


def _real(value: Any) -> float | None:
    """Any number as a float, infinite if it is too large; None for a value that is not a number."""
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, numbers.Real | Decimal):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf if value == abs(value) else -math.inf


def _checked_codes(name: Name, states: Sequence[State]) -> dict[tuple[str, State], int]:
    """The code of each state by its key, after checks; in one pass, as files have thousands of variables."""
    try:
        hash(name)
    except TypeError:
        raise BadVariable(f"A variable's name must be hashable; {name!r} is not.") from None
    if is_missing(name):
        raise BadVariable("A variable's name cannot be a missing value.")
    codes: dict[tuple[str, State], int] = {}
    for code, state in enumerate(states):
        if is_missing(state):
            raise BadVariable(
                f"{name!r} has the state {state!r}, which means 'missing'; leave it out: missing values need "
                "no state."
            )
        try:
            first = codes.setdefault(state_key(state), code)
        except TypeError:
            raise BadVariable(f"{name!r}: a state must be hashable; {state!r} is not.") from None
        if first != code:
            raise BadVariable(f"{name!r} has the state {state!r} twice; its states are: {listed(states)}.")
    return codes


def text_names(variables: Iterable[Variable]) -> list[Name]:
    """The names of variables of texts or with text states: their columns must be read as text."""
    return [
        variable.name
        for variable in variables
        if variable.is_text or (variable.states and all(isinstance(state, str) for state in variable.states))
    ]
