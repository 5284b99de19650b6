"""Copy and paste: a part of a network as a network of its own, and a network added to another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bayou.errors import BadQuestion, BadVariable, UnknownVariable, listed
from bayou.graphs import Dag
from bayou.models.editing.arc_edits import arc_removed
from bayou.models.editing.network_content import NetworkContent
from bayou.models.editing.node_edits import nodes_renamed, only_nodes
from bayou.schema import Variable
from bayou.typing import Name


def part_of(content: NetworkContent, names: tuple[Name, ...]) -> NetworkContent:
    """Return the content of some variables and the arcs between them.

    A variable whose parents are all in it keeps its parameters to the bit. The parameters of others are
    averaged over the parents that are left out, with the probabilities of the whole network:
    P(child | parents that are in it).
    """
    kept, blocks, kinds = set(names), dict(content.blocks), dict(content.kinds)
    for name in names:
        part = content
        for parent in content.dag.parents(name):
            if parent not in kept:
                part = arc_removed(part, parent, name)
        if part is not content:
            slot = content.slot(name)
            blocks |= {slot: part.blocks[slot]} if slot in part.blocks else {}
            kinds |= {name: part.kinds[name]} if name in part.kinds else {}
    return only_nodes(content.changed(blocks=blocks, kinds=kinds), names)


def new_names(content: NetworkContent, prefix: Any, rename: Any) -> dict[Name, Name]:
    """Return the names (old → new) that variables and shared blocks of a network get when it is added."""
    if not isinstance(prefix, str):
        raise BadQuestion(f"prefix={prefix!r}: give a text that is put before each name.")
    if rename is not None and not isinstance(rename, Mapping):
        raise BadQuestion(f"rename={rename!r}: give a mapping of names in the added network to new names.")
    own = (*content.dag.nodes, *content.sharing)
    for name, new in (rename or {}).items():
        if name not in own:
            raise UnknownVariable.named(name, own, "in rename")
        Variable(new)  # raises for a value that cannot be a name
    others = [name for name in own if name not in (rename or {})] if prefix else []
    numbers = [name for name in others if not isinstance(name, str)]
    if numbers:
        raise BadQuestion(
            f"prefix={prefix!r} is put before texts, and {listed(numbers)} are none: give these new names by "
            f"rename={{{numbers[0]!r}: …}}."
        )
    return {**{name: f"{prefix}{name}" for name in others}, **(rename or {})}


def both_together(
    content: NetworkContent, other: NetworkContent, names: Mapping[Name, Name]
) -> NetworkContent:
    """Return the content of two networks side by side; the other's variables come last, under new names."""
    taken = {*content.dag.nodes, *content.sharing}
    given = [names.get(name, name) for name in (*other.dag.nodes, *other.sharing)]
    clash = [name for k, name in enumerate(given) if name in taken or name in given[:k]]
    if clash:
        raise BadVariable(
            f"{listed(clash)} would be there twice: give the added variables other names, with "
            f"prefix='copy of ' or rename={{{clash[0]!r}: …}}."
        )
    other = nodes_renamed(other, names)
    parents = {n: list(part.dag.parents(n)) for part in (content, other) for n in part.dag.nodes}
    return content.changed(
        dag=Dag([*content.dag.nodes, *other.dag.nodes], parents),
        variables={**content.variables, **other.variables},
        declared=content.declared | other.declared,
        sharing={**content.sharing, **other.sharing},
        kinds={**content.kinds, **other.kinds},
        blocks={**content.blocks, **other.blocks},
    )
