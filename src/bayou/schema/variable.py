"""A variable: a name, and either ordered, typed states or a continuous range."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from bayou.errors import BadVariable, UnknownState, listed
from bayou.schema.states import is_missing, plain, state_key
from bayou.typing import Name, State


@dataclass(frozen=True, eq=False)
class Variable:
    """A named quantity: discrete with its states in order, or continuous (no states at all).

    States keep their type: ``1``, ``"1"`` and ``True`` are three states (a number equals a number of
    the same value, so ``1`` and ``1.0`` are one). ``ordered=True`` says that the order means something.

    >>> smoker = Variable("smoker", ["no", "yes"])
    >>> smoker.code("yes")
    1
    >>> smoker
    Variable('smoker', ['no', 'yes'])
    >>> smoker.code("Yes")
    Traceback (most recent call last):
    bayou.errors.UnknownState: 'Yes' is not a state of 'smoker'. Did you mean 'yes'? Its states are: ...
    """

    name: Name
    states: tuple[State, ...] = ()
    ordered: bool = False
    _codes: dict[tuple[str, State], int] = field(init=False, repr=False)

    def __init__(self, name: Name, states: Iterable[State] = (), *, ordered: bool = False) -> None:
        given = tuple(plain(state) for state in states)
        _check_states(name, given)
        object.__setattr__(self, "name", plain(name))
        object.__setattr__(self, "states", given)
        object.__setattr__(self, "ordered", ordered)
        object.__setattr__(self, "_codes", {state_key(state): code for code, state in enumerate(given)})

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
            raise UnknownState.of(self.name, state, self.states) from None

    def find(self, state: State) -> int | None:
        """The position of a state, or None where the variable does not have it."""
        return self._codes.get(state_key(state))

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
        order = ", ordered=True" if self.ordered else ""
        return f"Variable({self.name!r}, {list(self.states)!r}{order})"


def _check_states(name: Name, states: tuple[State, ...]) -> None:
    try:
        hash(name)
    except TypeError:
        raise BadVariable(f"A variable's name must be hashable; {name!r} is not.") from None
    if is_missing(name):
        raise BadVariable("A variable's name can not be a missing value.")
    seen: set[tuple[str, State]] = set()
    for state in states:
        if is_missing(state):
            raise BadVariable(
                f"{name!r} has the state {state!r}, which means 'missing'; leave it out, gaps need no state."
            )
        try:
            key = state_key(state)
            repeated = key in seen
        except TypeError:
            raise BadVariable(f"{name!r}: a state must be hashable; {state!r} is not.") from None
        if repeated:
            raise BadVariable(f"{name!r} has the state {state!r} twice; its states are: {listed(states)}.")
        seen.add(key)
