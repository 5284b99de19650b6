"""New states of a variable in terms of the old ones: renamed, reordered, added, removed, merged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bayou.errors import BadVariable
from bayou.models.editing.network_content import NetworkContent
from bayou.schema import Variable
from bayou.typing import Name, State

Codes = tuple[int, ...]


@dataclass(frozen=True)
class StateChange:
    """The old codes behind each new state.

    ``own`` has for each new state the old codes whose probabilities it gets (none: it gets 0), ``rows`` those
    whose rows in the tables of children it gets: the row of one, or the average over several.

    >>> old, new = Variable("Rain", ["no", "yes"]), Variable("Rain", ["yes", "no"])
    >>> StateChange(old, new, ((1,), (0,)), ((1,), (0,))).is_relabelling
    True
    """

    old: Variable
    new: Variable
    own: tuple[Codes, ...]
    rows: tuple[Codes, ...]

    @property
    def is_relabelling(self) -> bool:
        """Whether each new state is exactly one old state: only names or the order change."""
        return self.own == self.rows and sorted(self.own) == [(k,) for k in range(self.old.cardinality)]

    @property
    def keeps_order(self) -> bool:
        """Whether all states stay where they are: only names change."""
        return self.is_relabelling and list(self.own) == sorted(self.own)

    def place(self, code: int) -> int | None:
        """The new code of an old state; None if it is removed."""
        return next((new for new, codes in enumerate(self.own) if code in codes), None)


def relabelled(variable: Variable, states: Sequence[State], order: Sequence[int]) -> StateChange:
    """Return the change to these states, each of which is the old state of this code."""
    codes = tuple((code,) for code in order)
    return StateChange(variable, with_states(variable, states), codes, codes)


def with_states(variable: Variable, states: Sequence[State]) -> Variable:
    """Return the variable with other states; ranges of numbers must stay adjoining ranges."""
    new = Variable(variable.name, states, ordered=variable.ordered)
    if variable.cuts is not None and new.cuts is None:
        raise BadVariable(
            f"The states of {variable.name!r} are adjoining ranges of numbers ({variable.cuts!r}), and would "
            "no longer be: numbers would not find their state. Merge neighbours (net.merge_states), or add "
            "or remove the first or the last range."
        )
    return new


def variable_with_states(content: NetworkContent, name: Name) -> Variable:
    """Return a variable that has states; raise for real numbers and for states that are not known yet."""
    variable = content.variables.get(content.dag.only(name))
    if variable is None:
        raise BadVariable(
            f"The states of {name!r} are not known yet: give its table (net.set_cpt), or fit the network, "
            "first."
        )
    if variable.is_continuous:
        holds = "texts" if variable.is_text else "real numbers"
        raise BadVariable(f"{name!r} holds {holds}, so it has no states.")
    return variable
