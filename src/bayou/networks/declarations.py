"""Checks of the user's declarations about a network: states, continuous variables, sharing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Any

from bayou.errors import BadGraph, BadTable, BadVariable, UnknownVariable
from bayou.graphs import Dag
from bayou.schema import Variable
from bayou.typing import Name


def mapping_given(what: str, given: Any, example: str) -> Mapping[Any, Any]:
    """Check that an argument is a mapping and return it; None gives an empty one."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise BadTable(f"{what}= takes a mapping such as {example}, not a {type(given).__name__}.")
    return given


def names_given(what: str, given: Any) -> tuple[Name, ...]:
    """Check that an argument is one name or several, and return a tuple of names."""
    if isinstance(given, str):
        return (given,)
    if not isinstance(given, Iterable):
        raise BadVariable(f"{what}= takes a list of names, not {given!r}.")
    return tuple(given)


def declared_variables(dag: Dag, states: Any, continuous: Any) -> dict[Name, Variable]:
    """The variables that ``states=`` and ``continuous=`` declare."""
    declared: dict[Name, Variable] = {}
    for name, given in mapping_given("states", states, "{'smoke': ['no', 'yes']}").items():
        if name not in dag:
            raise UnknownVariable.named(name, dag.nodes, "in states")
        declared[name] = states_given(name, given)
    for name in names_given("continuous", continuous):
        if name not in dag:
            raise UnknownVariable.named(name, dag.nodes, "in continuous")
        if name in declared:
            raise BadVariable(f"{name!r} is declared both with states and as continuous.")
        declared[name] = Variable(name)
    return declared


def states_given(name: Name, given: Any) -> Variable:
    """The variable that ``states={name: given}`` declares: a list of states, ranges, or a variable.

    >>> states_given("size", ["small", "large"]).states
    ('small', 'large')
    """
    if isinstance(given, Variable):
        if given.name != name:
            raise BadVariable(f"states={{{name!r}: …}} gives a variable that is called {given.name!r}.")
        return given
    if isinstance(given, Set):
        raise BadVariable(f"states={{{name!r}: …}} is a set, which has no order; give a list of states.")
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise BadVariable(f"states={{{name!r}: {given!r}}}: give a list of states, such as ['no', 'yes'].")
    variable = Variable(name, given)
    if variable.is_continuous:
        raise BadVariable(f"states={{{name!r}: …}} lists no states; for real numbers use continuous=.")
    return variable


def sharing_given(share: Any) -> dict[Name, tuple[Name, ...]]:
    """Check ``share=`` and return the users of each block as tuples of names."""
    blocks = mapping_given("share", share, "{'p_R': ['R1', 'R2']}")
    for block, users in blocks.items():
        if not isinstance(users, str | Iterable):
            raise BadGraph(f"share={{{block!r}: {users!r}}}: give a list of variables, such as ['R1', 'R2'].")
    return {block: names_given("share", users) for block, users in blocks.items()}
