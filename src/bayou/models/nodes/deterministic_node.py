"""Deterministic nodes as written by users: the child is a function of its parents."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou.distributions import (
    FunctionOfParents,
    NodeKind,
    check_table_size,
)
from bayou.errors import BadTable, UnknownState, listed
from bayou.models.nodes.node_spec import NodeSpec
from bayou.models.nodes.table_spec import all_rows, row_description
from bayou.schema import Variable, natural_order, plain, state_key
from bayou.typing import Name, State


@dataclass(frozen=True)
class Deterministic(NodeSpec):
    """The child is a function of its parents: a callable of their states, or a mapping of states to a state.

    The callable gets the states in the order of the parents. The keys of a mapping are tuples of parent
    states (the state itself if there is one parent). Only the resulting states are kept and saved, never the
    code of the callable. Without ``function`` it declares a node whose function is learned from data.

    Raises ``BadTable``, as a table of a network, for a mapping without some combination of parent states.

    >>> Deterministic({("no", "no"): "no", ("no", "yes"): "yes", ("yes", "no"): "yes", ("yes", "yes"): "no"})
    Deterministic(...)
    """

    function: Callable[..., State] | Mapping[Any, State] | None = None

    @property
    def kind(self) -> NodeKind:
        """The declaration without the function."""
        return NodeKind("function")

    def bound(self, child: Variable, parents: Sequence[Variable]) -> FunctionOfParents:
        """Return the distribution, now that the states of the child and the parents are known."""
        codes = np.empty([parent.cardinality for parent in parents], dtype=np.int64)
        for index, value in self.values(child.name, parents):
            code = child.find(plain(value))
            if code is None:
                where = f"as the function's value for {row_description(child, parents)(index)}"
                raise UnknownState.of(child.name, value, child.states, where)
            codes[index] = code
        return FunctionOfParents(codes, child.cardinality)

    def values(self, name: Name, parents: Sequence[Variable]) -> Iterable[tuple[tuple[int, ...], State]]:
        """Yield the codes of each combination of parent states, and the value of the function for it.

        Raises ``BadTable`` for what is neither a callable nor a mapping that has all states.

        >>> import bayou
        >>> either = bayou.Deterministic(lambda a, b: a or b)
        >>> list(either.values("c", [bayou.Variable("a", [0, 1]), bayou.Variable("b", [0, 1])]))
        [((0, 0), 0), ((0, 1), 1), ((1, 0), 1), ((1, 1), 1)]
        """
        check_table_size(Variable(name, [0]), parents)
        child = Variable(name)
        if isinstance(self.function, Mapping):
            values = _values_of_mapping(child, parents, self.function)
        elif callable(self.function):
            function = self.function
            values = ((i, _called(function, child, parents, i, states)) for i, states in all_rows(parents))
        else:
            raise BadTable(
                f"Deterministic of {name!r}: give a callable of the parents' states or a mapping of them to "
                f"a state, not {self.function!r}."
            )
        for index, value in values:
            if not isinstance(value, Hashable):
                raise BadTable(
                    f"{row_description(child, parents)(index)} is {value!r}, which cannot be a state."
                )
            yield index, value

    def __repr__(self) -> str:
        return "Deterministic()" if self.function is None else "Deterministic(...)"


def states_of_node(name: Name, parents: Sequence[Variable], node: NodeSpec) -> list[State] | None:
    """Return the values of a deterministic node, the states of an undeclared child; None for other nodes."""
    if not isinstance(node, Deterministic):
        return None
    values = {state_key(value): plain(value) for _, value in node.values(name, parents)}
    return list(natural_order(values.values()))


def _values_of_mapping(
    child: Variable, parents: Sequence[Variable], given: Mapping[Any, State]
) -> Iterable[tuple[tuple[int, ...], State]]:
    """Yield the value of every combination of parent states; raise if one is missing or has two values."""
    values: dict[tuple[int, ...], State] = {}
    for key, value in given.items():
        states = key if len(parents) != 1 and isinstance(key, tuple) else (key,)
        if len(states) != len(parents):
            names = listed(parent.name for parent in parents)
            raise BadTable(f"Deterministic of {child.name!r}: {key!r} is not one state each of {names}.")
        index = tuple(parent.code(s) for parent, s in zip(parents, states, strict=True))
        if index in values:
            raise BadTable(f"Deterministic: {row_description(child, parents)(index)} has two entries.")
        values[index] = value
    for index, _ in all_rows(parents):
        if index not in values:
            raise BadTable(f"Deterministic: {row_description(child, parents)(index)} is missing.")
        yield index, values[index]


def _called(
    function: Callable[..., State],
    child: Variable,
    parents: Sequence[Variable],
    index: tuple[int, ...],
    states: tuple[State, ...],
) -> State:
    """Call the function of a deterministic node; an exception becomes a BadTable that names the states."""
    try:
        return function(*states)
    except Exception as error:
        where = row_description(child, parents)(index)
        raise BadTable(f"The function of {child.name!r} fails for {where}: {error!r}.") from error
