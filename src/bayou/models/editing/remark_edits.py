"""The remarks of a network after an edit: they move along with their variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from bayou.formats.draft import Remarks
from bayou.models.editing.network_content import NetworkContent
from bayou.schema import state_key
from bayou.typing import Name, State


def remarks_renamed(remarks: Remarks, names: Mapping[Name, Name]) -> Remarks:
    """Return the remarks with texts under the new names (old → new) of variables.

    >>> remarks_renamed(Remarks("net", {"A": ("seen",)}), {"A": "B"}).properties
    {'B': ('seen',)}
    """
    moved = {key if key is None else names.get(key, key): text for key, text in remarks.properties.items()}
    shown = remarks.appearance.mapped(lambda name: names.get(name, name))
    for old, new in names.items():
        if old != new and shown.node(new).identifier:  # the name that another program had for it
            shown = shown.with_node(new, replace(shown.node(new), identifier=""))
    return replace(remarks, properties=moved, appearance=shown)


def remarks_of(remarks: Remarks, names: Iterable[Name]) -> Remarks:
    """Return the remarks about the network and about some variables only.

    >>> remarks_of(Remarks("net", {None: ("2024",), "A": ("seen",), "B": ("old",)}), ["A"]).properties
    {None: ('2024',), 'A': ('seen',)}
    """
    kept = {None, *names}
    properties = {key: text for key, text in remarks.properties.items() if key in kept}
    shown = remarks.appearance.mapped(lambda name: name if name in kept else None)
    return replace(remarks, properties=properties, appearance=shown)


def remarks_on_states(remarks: Remarks, states: Mapping[Name, Mapping[State, State]]) -> Remarks:
    """Return the remarks after states of variables got new names (old → new)."""
    shown = remarks.appearance
    for name, names in states.items():
        for old, new in names.items():
            shown = shown.with_state_renamed(name, old, new)
    return replace(remarks, appearance=shown)


def remarks_on_reversal(remarks: Remarks, parent: Name, child: Name) -> Remarks:
    """Return the remarks after an arc was turned round: its note stays with it."""
    note = remarks.appearance.arcs.get((parent, child))
    if note is None:
        return remarks
    return replace(remarks, appearance=remarks.appearance.with_arc_note(child, parent, note))


def remarks_that_fit(remarks: Remarks, content: NetworkContent) -> Remarks:
    """Return the remarks without those on arcs and states that the network does not have any more.

    >>> from bayou.models.network import Network
    >>> net = Network("A -> B").describe_arc("A", "B", "strong").remove_arc("A", "B")
    >>> net.appearance.arcs
    {}
    """
    shown = remarks.appearance
    if not shown:
        return remarks
    arcs = {arc: text for arc, text in shown.arcs.items() if arc in content.dag.arcs}
    shown = replace(shown, arcs=arcs)
    for name, variable in content.variables.items():
        known = {state_key(state) for state in variable.states}
        gone = [one.state for one in shown.node(name).states if state_key(one.state) not in known]
        shown = shown.without_states(name, gone) if gone else shown
    return replace(remarks, appearance=shown)


def remarks_together(remarks: Remarks, other: Remarks) -> Remarks:
    """Return the remarks of a network and those about the variables of another one that is added to it.

    >>> added = Remarks("other", {None: ("2024",), "B": ("old",)})
    >>> remarks_together(Remarks("net", {"A": ("seen",)}), added).properties
    {'A': ('seen',), 'B': ('old',)}
    """
    about = {key: text for key, text in other.properties.items() if key is not None}
    shown, added = remarks.appearance, other.appearance
    together = replace(
        shown,
        nodes={**shown.nodes, **added.nodes},
        arcs={**shown.arcs, **added.arcs},
        submodels=(*shown.submodels, *added.submodels),
    )
    return replace(remarks, properties={**remarks.properties, **about}, appearance=together)
