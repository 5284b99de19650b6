"""Changes to the tree of submodels: nodes are put into a group, a group is taken away."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

from bayou.errors import BadGraph, listed
from bayou.networks.appearance import Appearance, Submodel
from bayou.typing import Name


def grouped(shown: Appearance, name: str, nodes: Collection[Name], inside: str | None) -> Appearance:
    """Put nodes into the submodel of this name; a new one is made, inside another if it is named.

    >>> grouped(Appearance(), "a", ["X"], None).submodels
    (Submodel(name='a', nodes=('X',), submodels=(), shown=NodeAppearance(...)),)
    """
    if name in (None, ""):
        raise BadGraph(f"A submodel needs a name, a text that is not empty; got {name!r}.")
    moved = set(nodes)
    rest = tuple(_without(one, moved) for one in shown.submodels)
    known = _names(rest)
    if name in known:
        if inside is not None:
            raise BadGraph(f"The submodel {name!r} exists; leave inside=… out, or ungroup it first.")
        return replace(shown, submodels=_changed(rest, name, lambda one: _with_nodes(one, nodes)))
    made = Submodel(name, tuple(nodes))
    if inside is None:
        return replace(shown, submodels=(*rest, made))
    _require(inside, known)
    changed = _changed(rest, inside, lambda one: replace(one, submodels=(*one.submodels, made)))
    return replace(shown, submodels=changed)


def ungrouped(shown: Appearance, name: str) -> Appearance:
    """Take the submodel of this name away; what it held moves to the submodel around it.

    >>> tree = Appearance(submodels=(Submodel("a", (), (Submodel("b", ("X",)),)),))
    >>> ungrouped(tree, "b").submodels_of("X")
    ('a',)
    """
    _require(name, _names(shown.submodels))
    top = Submodel("", (), shown.submodels)
    return replace(shown, submodels=_opened(top, name).submodels)


def _opened(group: Submodel, name: str) -> Submodel:
    nodes = list(group.nodes)
    inner: list[Submodel] = []
    for one in group.submodels:
        if one.name == name:
            nodes += one.nodes
            inner += one.submodels
        else:
            inner.append(_opened(one, name))
    return replace(group, nodes=tuple(nodes), submodels=tuple(inner))


def _without(group: Submodel, moved: Collection[Name]) -> Submodel:
    return group.mapped(lambda name: None if name in moved else name)


def _with_nodes(group: Submodel, nodes: Iterable[Name]) -> Submodel:
    return replace(group, nodes=(*group.nodes, *nodes))


def _names(groups: Iterable[Submodel]) -> list[str]:
    return [one.name for top in groups for one in top.everything()]


def _require(name: str, known: Collection[str]) -> None:
    if name not in known:
        there = f"there are {listed(known)}" if known else "there are none yet"
        raise BadGraph(f"There is no submodel {name!r}; {there}. Name one of these, or make it first.")


def _changed(
    groups: Iterable[Submodel], name: str, change: Callable[[Submodel], Submodel]
) -> tuple[Submodel, ...]:
    """The groups after a change of the one of this name, wherever it is."""
    return tuple(
        change(one) if one.name == name else replace(one, submodels=_changed(one.submodels, name, change))
        for one in groups
    )
