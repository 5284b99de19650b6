"""What two structures do not have in common, in words that name it."""

from __future__ import annotations

from collections.abc import Iterator

from bayou.errors import listed
from bayou.networks.structure import Structure
from bayou.schema import Variable


def structure_difference(one: Structure, other: Structure) -> str:
    """Say what the first difference is: variables, arcs, kinds, shared tables, declared states; or nothing.

    >>> from bayou import Network
    >>> print(structure_difference(Network("A -> B").structure, Network("B -> A").structure))
    the arcs A -> B, B -> A are in one only
    >>> structure_difference(Network("A -> B").structure, Network("A -> B").structure)
    ''
    """
    return next(_differences(one, other), "")


def _differences(one: Structure, other: Structure) -> Iterator[str]:
    if names := set(one.dag.nodes) ^ set(other.dag.nodes):
        yield f"the variables {listed(sorted(names, key=str))} are in one only"
        return
    if arcs := set(one.dag.arcs) ^ set(other.dag.arcs):
        shown = sorted(f"{parent} -> {child}" for parent, child in arcs)
        yield f"the arcs {', '.join(shown[:6])}{' and more' if len(shown) > 6 else ''} are in one only"
    for name in one.dag.nodes:
        if one.dag.parents(name) != other.dag.parents(name):
            yield f"the parents of {name!r} are in another order"
        if one.kinds.get(name) != other.kinds.get(name):
            yield f"{name!r} has another kind of distribution in each"
    if dict(one.sharing) != dict(other.sharing):
        yield f"the shared tables {listed(sorted({*one.sharing, *other.sharing}, key=str))} are not the same"
    for name in one.dag.nodes:
        ours, theirs = one.declared.get(name), other.declared.get(name)
        if ours is not None and theirs is not None and ours != theirs:
            yield f"{name!r} has {_domain(ours)} in one and {_domain(theirs)} in the other"
        elif ours != theirs:
            yield f"{name!r} has declared states in one only"


def _domain(variable: Variable) -> str:
    if variable.cuts is not None:
        return f"the cuts {listed(variable.cuts.points)}"
    return f"the states {listed(variable.states)}" if variable.states else "real numbers"
