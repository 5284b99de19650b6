"""Nodes added, removed and renamed; parameters dropped, or no longer shared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from bayou.distributions import DistributionKind, NodeKind
from bayou.errors import BadGraph, BadVariable
from bayou.models.editing.arc_edits import arc_removed
from bayou.models.editing.network_content import NetworkContent
from bayou.networks.declarations import states_given
from bayou.networks.structure_edits import with_names, with_node
from bayou.schema import Cuts, Variable
from bayou.typing import Name


def node_added(
    content: NetworkContent, name: Name, variable: Variable | None, parents: Iterable[Name], place: int
) -> NetworkContent:
    """Return the content with one more variable, without parameters (and states, if these are None)."""
    require_new_name(content, name)
    dag = with_node(content.dag, name, parents, place)
    if variable is None:
        return content.changed(dag=dag)
    variables = {**content.variables, name: variable}
    return content.changed(dag=dag, variables=variables, declared=content.declared | {name})


def declared_variable(name: Name, states: Any, continuous: bool) -> Variable | None:
    """Return the variable that the arguments of ``add_node`` declare; None if its states are not given."""
    if continuous:
        if states is not None:
            raise BadVariable(f"{name!r} is declared both with states and as continuous; leave one out.")
        return Variable(name)
    if states is None:
        return None
    return Variable(name, cuts=states) if isinstance(states, Cuts) else states_given(name, states)


def node_removed(content: NetworkContent, name: Name) -> NetworkContent:
    """Return the content without a variable; the tables of its children are averaged over it.

    The weights are those of the network before the removal: P(name | other parents of the child).
    """
    before, blocks = content, dict(content.blocks)
    for child in before.dag.children(name):
        after = arc_removed(before, name, child)
        blocks |= {slot: block for slot, block in after.blocks.items() if slot == before.slot(child)}
        content = content.changed(kinds={**content.kinds, **_kinds_of(after, child)})
    return without_leaf(content.changed(blocks=blocks), name)


def _kinds_of(content: NetworkContent, name: Name) -> dict[Name, DistributionKind]:
    return {name: content.kinds[name]} if name in content.kinds else {}


def without_leaf(content: NetworkContent, name: Name) -> NetworkContent:
    """Return the content without a variable whose children no longer depend on it."""
    return only_nodes(content, [other for other in content.dag.nodes if other != name])


def only_nodes(content: NetworkContent, names: Iterable[Name]) -> NetworkContent:
    """Return the content of some variables and the arcs between them; their parameters must fit."""
    kept = set(names)
    sharing = {b: tuple(user for user in users if user in kept) for b, users in content.sharing.items()}
    sharing = {block: users for block, users in sharing.items() if users}
    used = {content.slot(name) for name in kept}
    return content.changed(
        dag=content.dag.subgraph(list(kept)),
        variables={name: variable for name, variable in content.variables.items() if name in kept},
        declared=content.declared & kept,
        sharing=sharing,
        kinds={name: kind for name, kind in content.kinds.items() if name in kept},
        blocks={slot: block for slot, block in content.blocks.items() if slot in used},
    )


def nodes_renamed(content: NetworkContent, names: Mapping[Name, Name]) -> NetworkContent:
    """Return the content with other names (old → new) for some variables and shared blocks."""

    def new(name: Name) -> Name:
        return names.get(name, name)

    return content.changed(
        dag=with_names(content.dag, names),
        variables={new(name): _renamed(variable, new(name)) for name, variable in content.variables.items()},
        declared=frozenset(map(new, content.declared)),
        sharing={new(block): tuple(map(new, users)) for block, users in content.sharing.items()},
        kinds={new(name): _kind_renamed(kind, names) for name, kind in content.kinds.items()},
        blocks={new(slot): block for slot, block in content.blocks.items()},
    )


def _renamed(variable: Variable, name: Name) -> Variable:
    """The variable under another name."""
    if variable.name == name:
        return variable
    texts = variable.is_text
    if variable.cuts is not None:
        return Variable(name, cuts=variable.cuts)
    return Variable(name, variable.states, ordered=variable.ordered, texts=texts)


def _kind_renamed(kind: DistributionKind, names: Mapping[Name, Name]) -> DistributionKind:
    """The kind with the marked states under the new names."""
    if not isinstance(kind, NodeKind) or not kind.marked:
        return kind
    return replace(kind, marked={names.get(name, name): state for name, state in kind.marked.items()})


def require_new_name(content: NetworkContent, name: Name) -> None:
    """Raise unless a name is hashable, not missing, and neither that of a variable nor of a shared block."""
    Variable(name)
    if name in content.dag:
        raise BadVariable(f"There is a variable {name!r} already: choose another name.")
    if name in content.sharing:
        raise BadGraph(f"The shared parameters of other variables are called {name!r}: choose another name.")


def block_unshared(content: NetworkContent, name: Name) -> NetworkContent:
    """Return the content in which a variable has parameters of its own, equal to the shared ones."""
    shared = content.slot(name)
    if shared == name:
        raise BadGraph(f"{name!r} shares its parameters with no other variable.")
    left = tuple(user for user in content.sharing[shared] if user != name)
    sharing = {block: left if block == shared else users for block, users in content.sharing.items()}
    sharing = {block: users for block, users in sharing.items() if users}
    blocks = {slot: block for slot, block in content.blocks.items() if slot != shared or left}
    if shared in content.blocks:
        blocks[name] = content.blocks[shared]
    return content.changed(sharing=sharing, blocks=blocks)


def table_cleared(content: NetworkContent, name: Name) -> NetworkContent:
    """Return the content without the parameters of a variable (and of those that share them)."""
    slot = content.slot(name)
    return content.changed(blocks={key: block for key, block in content.blocks.items() if key != slot})
