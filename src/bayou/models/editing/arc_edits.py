"""Arcs added and removed, and parents in another order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bayou.distributions import Distribution, DistributionKind, NodeKind
from bayou.errors import BadGraph, listed
from bayou.models.editing.network_content import NetworkContent
from bayou.models.editing.parent_axes import with_parent_added, with_parents_ordered, without_parent
from bayou.networks.structure_edits import require_arc, require_no_cycle, with_parents
from bayou.typing import Name


def arc_added(content: NetworkContent, parent: Name, child: Name) -> NetworkContent:
    """Return the content with one more arc, which changes no probability: the child's rows are repeated."""
    dag = content.dag
    if dag.only(parent) in dag.parents(child):
        raise BadGraph(f"There is an arc {parent} -> {child} already.")
    require_no_cycle(dag, parent, child)
    content.require_own_block(child, f"The arc {parent} -> {child}")
    after = content.changed(dag=with_parents(dag, {child: [*dag.parents(child), parent]}))
    _check_kind(after, child)
    if content.distribution(child) is None:
        return after
    if parent not in content.variables:
        raise BadGraph(
            f"The states of {parent!r} are not known yet, so the table of {child!r} cannot be repeated for "
            f"them: give {parent!r} its table first (net.set_cpt), or drop that of {child!r}: "
            f"net.clear_table({child!r})."
        )
    added = with_parent_added(content, child, content.variables[parent])
    return after.changed(blocks=content.with_block(child, added))


def _check_kind(content: NetworkContent, child: Name) -> None:
    """Raise if the kind of a node cannot have its parents, before its parameters are changed."""
    from bayou.distributions import default_kind

    if content.known_family(child):
        kind = content.kinds.get(child) or default_kind(content.variables[child])
        kind.check_family(content.family(child))


def arc_removed(content: NetworkContent, parent: Name, child: Name) -> NetworkContent:
    """Return the content without an arc; the child's parameters are averaged over the parent."""
    require_arc(content.dag, parent, child)
    content.require_own_block(child, f"The arc {parent} -> {child}")
    left = [name for name in content.dag.parents(child) if name != parent]
    kinds = {
        name: without_mark(kind, parent) if name == child else kind for name, kind in content.kinds.items()
    }
    return content.changed(
        dag=with_parents(content.dag, {child: left}),
        kinds=kinds,
        blocks=content.with_block(child, without_parent(content, child, parent)),
    )


def without_mark(kind: DistributionKind, parent: Name) -> DistributionKind:
    """The kind of a noisy node without the marked state of a parent."""
    if not isinstance(kind, NodeKind) or parent not in kind.marked:
        return kind
    return replace(kind, marked={name: state for name, state in kind.marked.items() if name != parent})


def parents_reordered(content: NetworkContent, child: Name, order: Iterable[Name]) -> NetworkContent:
    """Return the content with the parents of a variable in another order; no probability changes."""
    named, parents = content.dag.select(order), content.dag.parents(child)
    if len(named) != len(parents) or set(named) != set(parents):
        has = f"are {listed(parents)}" if parents else "are none"
        raise BadGraph(
            f"The parents of {child!r} {has}; give each of them once, not {listed(named) or 'none'}."
        )
    if named == parents:
        return content
    content.require_own_block(child, f"The order of the parents of {child!r}")
    moved: Distribution | None = with_parents_ordered(content, child, named)
    dag = with_parents(content.dag, {child: named})
    return content.changed(dag=dag, blocks=content.with_block(child, moved))
