"""The forms of edits: one class for each, told apart by the member ``edit``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from msgspec import UNSET, Meta, UnsetType, field

from bayou.errors import BadQuestion
from bayou.models.nodes.noisy_nodes import NoisyOr
from bayou.server.edits.edit import Edit
from bayou.server.edits.pasting import Paste
from bayou.server.messages import Message, Value, decoded, known_name

if TYPE_CHECKING:
    from bayou.models.network import Network

Numbers = list[Annotated[float, Meta(ge=0)]]


class AddNode(Edit, tag="add_node"):
    """A new variable; ``rows`` as in ``set_table``, without them all states are equally probable."""

    name: Value
    states: Annotated[list[Value], Meta(min_length=1)]
    parents: list[Value] = field(default_factory=list)
    rows: list[Numbers] | None = None
    at: int | None = None
    position: tuple[float, float] | None = None

    def apply(self, net: Network) -> None:
        """Add it."""
        name, states = decoded(self.name), [decoded(state) for state in self.states]
        parents = [known_name(net, parent) for parent in self.parents]
        net.add_node(name, states, parents, table="uniform", at=self.at)
        if self.rows is not None:
            SetTable(self.name, self.rows).apply(net)
        if self.position is not None:
            net.describe(name, position=self.position)


class RenameNode(Edit, tag="rename_node"):
    """Another name for a variable."""

    variable: Value
    name: Value

    def apply(self, net: Network) -> None:
        """Rename it."""
        net.rename_node(known_name(net, self.variable), decoded(self.name))


class RemoveNode(Edit, tag="remove_node"):
    """A variable goes; the tables of its children are averaged over it."""

    variable: Value

    def apply(self, net: Network) -> None:
        """Remove it."""
        net.remove_node(known_name(net, self.variable))


class AbsorbNode(Edit, tag="absorb_node"):
    """A variable is summed out: the joint distribution of all others stays."""

    variable: Value

    def apply(self, net: Network) -> None:
        """Sum it out."""
        net.absorb_node(known_name(net, self.variable))


class AddArc(Edit, tag="add_arc"):
    """A new arc; no probability changes. One that would close a cycle is refused with the cycle."""

    parent: Value
    child: Value

    def apply(self, net: Network) -> None:
        """Add it."""
        net.add_arc(known_name(net, self.parent), known_name(net, self.child))


class RemoveArc(Edit, tag="remove_arc"):
    """An arc goes; the child's table is averaged over the parent."""

    parent: Value
    child: Value

    def apply(self, net: Network) -> None:
        """Remove it."""
        net.remove_arc(known_name(net, self.parent), known_name(net, self.child))


class ReverseArc(Edit, tag="reverse_arc"):
    """An arc is turned round; the joint distribution stays."""

    parent: Value
    child: Value

    def apply(self, net: Network) -> None:
        """Turn it."""
        net.reverse_arc(known_name(net, self.parent), known_name(net, self.child))


class ReorderParents(Edit, tag="reorder_parents"):
    """The parents of a variable in another order; no probability changes."""

    variable: Value
    order: list[Value]

    def apply(self, net: Network) -> None:
        """Reorder them."""
        order = [known_name(net, parent) for parent in self.order]
        net.reorder_parents(known_name(net, self.variable), order)


class AddState(Edit, tag="add_state"):
    """A new state with probability 0; rows of children are as for the state ``like``, else averaged."""

    variable: Value
    state: Value
    at: int | None = None
    like: Value | UnsetType = UNSET

    def apply(self, net: Network) -> None:
        """Add it."""
        more: dict[str, Any] = {} if self.like is UNSET else {"like": decoded(self.like)}
        net.add_state(known_name(net, self.variable), decoded(self.state), at=self.at, **more)


class RenameState(Edit, tag="rename_state"):
    """Another name for a state."""

    variable: Value
    state: Value
    name: Value

    def apply(self, net: Network) -> None:
        """Rename it."""
        net.rename_state(known_name(net, self.variable), decoded(self.state), decoded(self.name))


class RemoveState(Edit, tag="remove_state"):
    """A state goes; the rest of each row is divided by its sum."""

    variable: Value
    state: Value

    def apply(self, net: Network) -> None:
        """Remove it."""
        net.remove_state(known_name(net, self.variable), decoded(self.state))


class ReorderStates(Edit, tag="reorder_states"):
    """The states of a variable in another order."""

    variable: Value
    order: list[Value]

    def apply(self, net: Network) -> None:
        """Reorder them."""
        net.reorder_states(known_name(net, self.variable), [decoded(state) for state in self.order])


class SetRow(Edit, tag="set_row"):
    """One row of a table; ``given`` has a state for each parent, in their order.

    ``normalise`` divides the row by its sum, so that it may have counts.
    """

    variable: Value
    row: Numbers
    given: list[Value] = field(default_factory=list)
    normalise: bool = False

    def apply(self, net: Network) -> None:
        """Set it."""
        name = known_name(net, self.variable)
        parents = net.parents(name)
        if len(self.given) != len(parents):
            raise BadQuestion(
                f"given: {name!r} has {len(parents)} parents, so a row is named by as many states, in their "
                f"order; there are {len(self.given)}."
            )
        states = [decoded(state) for state in self.given]
        given = dict(zip(parents, states, strict=True)) or None
        net.set_row(name, self.row, given, normalise=self.normalise)


class SetTable(Edit, tag="set_table"):
    """All rows of a table, in the order in which ``POST …/table`` has them: the last parent fastest."""

    variable: Value
    rows: list[Numbers]
    normalise: bool = False

    def apply(self, net: Network) -> None:
        """Set them."""
        name = known_name(net, self.variable)
        shape = [len(net.states(each)) for each in (*net.parents(name), name)]
        count, width = int(np.prod(shape[:-1])), shape[-1]
        if len(self.rows) != count or any(len(row) != width for row in self.rows):
            raise BadQuestion(
                f"rows: the table of {name!r} has {count} rows of {width} numbers, one for each state."
            )
        net.set_cpt(name, np.reshape(self.rows, shape), normalise=self.normalise)


class Cause(Message):
    """The chance with which a parent alone brings the effect about."""

    parent: Value
    chance: Annotated[float, Meta(ge=0, le=1)]


class SetNoisyOr(Edit, tag="set_noisy_or"):
    """A noisy-OR by its few numbers: a chance for each parent, and the leak."""

    variable: Value
    causes: list[Cause]
    leak: Annotated[float, Meta(ge=0, le=1)] = 0.0

    def apply(self, net: Network) -> None:
        """Make the variable a noisy-OR of its parents."""
        causes = {known_name(net, cause.parent): cause.chance for cause in self.causes}
        net.set_cpt(known_name(net, self.variable), NoisyOr(causes, leak=self.leak))


class Move(Edit, tag="move"):
    """The centre of a variable's box; y grows downwards."""

    variable: Value
    position: tuple[float, float]

    def apply(self, net: Network) -> None:
        """Move it."""
        net.describe(known_name(net, self.variable), position=self.position)


class Describe(Edit, tag="describe"):
    """Texts of a variable or, without one, of the network; an empty text takes a text away."""

    variable: Value | UnsetType = UNSET
    title: str | None = None
    description: str | None = None
    table_note: str | None = None

    def apply(self, net: Network) -> None:
        """Set those that are given."""
        node = None if self.variable is UNSET else known_name(net, self.variable)
        if node is None and self.table_note is not None:
            raise BadQuestion("table_note: a note on a table belongs to a variable; name it.")
        net.describe(node, title=self.title, description=self.description, table_note=self.table_note)


class DescribeArc(Edit, tag="describe_arc"):
    """The note on an arc; an empty text takes it away."""

    parent: Value
    child: Value
    note: str

    def apply(self, net: Network) -> None:
        """Set it."""
        net.describe_arc(known_name(net, self.parent), known_name(net, self.child), self.note)


AnyEdit = (
    AddNode
    | RenameNode
    | RemoveNode
    | AbsorbNode
    | AddArc
    | RemoveArc
    | ReverseArc
    | ReorderParents
    | AddState
    | RenameState
    | RemoveState
    | ReorderStates
    | SetRow
    | SetTable
    | SetNoisyOr
    | Move
    | Describe
    | DescribeArc
    | Paste
)
"""Any of the edits."""
