"""The variables of a model in their order, found by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bayou.errors import BadVariable, UnknownVariable
from bayou.schema.states import state_key
from bayou.schema.variable import Variable
from bayou.typing import Name


class Schema:
    """An immutable, ordered set of variables with look-up by name.

    Raises ``BadVariable`` for a variable that is declared twice.

    >>> schema = Schema([Variable("smoke", ["no", "yes"]), Variable("age")])
    >>> schema["smoke"].states
    ('no', 'yes')
    >>> schema["smok"]
    Traceback (most recent call last):
    bayou.errors.UnknownVariable: There is no variable 'smok'. Did you mean 'smoke'? ...
    """

    __slots__ = ("_index", "variables")

    def __init__(self, variables: Iterable[Variable]) -> None:
        self.variables: tuple[Variable, ...] = tuple(variables)
        self._index: dict[tuple[str, Name], int] = {}
        for position, variable in enumerate(self.variables):
            if self._index.setdefault(state_key(variable.name), position) != position:
                raise BadVariable(f"The variable {variable.name!r} is declared twice.")

    @property
    def names(self) -> tuple[Name, ...]:
        """The names in order."""
        return tuple(variable.name for variable in self.variables)

    def index(self, name: Name) -> int:
        """The position of a variable.

        Raises ``UnknownVariable`` for a name that no variable has.

        >>> import bayou
        >>> bayou.Schema([bayou.Variable("Rain", ["no", "yes"]), bayou.Variable("Wet", [0, 1])]).index("Wet")
        1
        """
        try:
            return self._index[state_key(name)]
        except (KeyError, TypeError):
            raise UnknownVariable.named(name, self.names) from None

    def __getitem__(self, name: Name) -> Variable:
        try:
            return self.variables[self._index[state_key(name)]]
        except (KeyError, TypeError):
            raise UnknownVariable.named(name, self.names) from None

    def __contains__(self, name: object) -> bool:
        try:
            return state_key(name) in self._index
        except TypeError:
            return False

    def __iter__(self) -> Iterator[Variable]:
        return iter(self.variables)

    def __len__(self) -> int:
        return len(self.variables)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and self.variables == other.variables

    def __hash__(self) -> int:
        return hash(self.variables)

    def __repr__(self) -> str:
        return f"Schema({list(self.variables)!r})"
