"""Arcs reversed and nodes absorbed: exact changes of the structure that keep the joint distribution.

Reversing X → Y (Bayes' rule): with the parents of both, u, as the new parents of both,

    P(y | u) = Σ_x P(x | u) P(y | x, u),        P(x | y, u) = P(x | u) P(y | x, u) / P(y | u).

A node is absorbed (summed out) by reversing its arcs, first to the child that comes first in topological
order, until it has no children. Shachter (1986), Evaluating influence diagrams, Operations Research 34;
Shachter (1988), Probabilistic inference and influence diagrams, Operations Research 36.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayou.distributions import Distribution, LinearGaussian, Table
from bayou.errors import BadGraph, BadTable, NotFitted
from bayou.models.editing.arc_edits import without_mark
from bayou.models.editing.gaussian_reversal import gaussians_turned
from bayou.models.editing.network_content import NetworkContent
from bayou.models.editing.node_edits import block_unshared, without_leaf
from bayou.models.editing.refusals import cannot_follow, require_size
from bayou.networks.structure_edits import arrows, directed_path, require_arc, with_parents
from bayou.schema import Variable
from bayou.typing import FloatArray, Name

_ARRAYS = 4
"""The arrays of the joint's size that a reversal has at the same time."""


def arc_reversed(content: NetworkContent, parent: Name, child: Name) -> NetworkContent:
    """Return the content with an arc turned round; both get each other's parents, and the joint stays."""
    require_arc(content.dag, parent, child)
    path = directed_path(content.dag, parent, child, longer=True)
    if path:
        raise BadGraph(
            f"The arc {parent} -> {child} cannot be reversed, because {child} -> {parent} would close a "
            f"cycle: {arrows([*path, parent])}. Reverse or remove an arc of the other path first: "
            f"{arrows(path)}."
        )
    for name in (parent, child):
        content.require_own_block(name, f"The arc {parent} -> {child}")
    _require_tables(content, parent, child, f"The arc {parent} -> {child}")
    both, rows, posterior = _turned(content, parent, child)
    dag = with_parents(content.dag, {child: both, parent: [*both, child]})
    kinds = {n: without_mark(kind, parent) if n == child else kind for n, kind in content.kinds.items()}
    if rows is None or posterior is None:
        return content.changed(dag=dag, kinds=kinds)
    blocks: dict[Name, Distribution] = {**content.blocks}
    blocks |= {content.slot(child): rows, content.slot(parent): posterior}
    return content.changed(dag=dag, kinds=kinds, blocks=blocks)


def node_absorbed(content: NetworkContent, name: Name) -> NetworkContent:
    """Return the content without a node, summed out: the joint of all others stays.

    Each child gets the parents of the node, and the children before it with their parents.
    """
    children = [child for child in content.dag.topological_order if child in content.dag.children(name)]
    for child in children:
        content.require_own_block(child, f"Absorbing {name!r}")
    if children and len(content.users(name)) > 1:
        content = block_unshared(content, name)
    for child in children:
        _require_tables(content, name, child, f"Absorbing {name!r}", keeps_parent=False)
        both, rows, posterior = _turned(content, name, child, is_last=child == children[-1])
        dag = with_parents(content.dag, {child: both, name: [*both, child]})
        blocks: dict[Name, Distribution] = {**content.blocks}
        if rows is not None:
            blocks[content.slot(child)] = rows
        if posterior is not None:
            blocks[content.slot(name)] = posterior
        kinds = {key: kind for key, kind in content.kinds.items() if key != name}
        content = content.changed(dag=dag, blocks=blocks, kinds=kinds)
    return without_leaf(content, name)


def _require_tables(
    content: NetworkContent, parent: Name, child: Name, what: str, *, keeps_parent: bool = True
) -> None:
    """Raise unless both have tables, both are Gaussian, or neither has parameters: then only arcs change."""
    own, other = content.distribution(parent), content.distribution(child)
    if (own is None) != (other is None):
        lacking = parent if own is None else child
        has = child if own is None else parent
        raise NotFitted(
            f"{what}: {lacking!r} has no table yet, and {has!r} has one. Set it first (net.set_cpt), or drop "
            f"the other: net.clear_table({has!r})."
        )
    if isinstance(own, LinearGaussian) and isinstance(other, LinearGaussian):
        return
    for name, found in ((parent, own), (child, other)):
        if found is not None and (found.finite is None or content.is_real(name)):
            raise BadTable(
                f"{what}: {name!r} has no states, and arcs can be turned between two tables or between two "
                "Gaussians only. Cut it into ranges, or remove the node or the arc instead (net.remove_node, "
                "net.remove_arc), which average over it."
            )
        if found is not None and not isinstance(found, Table) and (name == child or keeps_parent):
            raise cannot_follow(content, name, "what results is a table")


def _turned(
    content: NetworkContent, parent: Name, child: Name, *, is_last: bool = False
) -> tuple[list[Name], Distribution | None, Distribution | None]:
    """The parents of both, P(child | them), and P(parent | them, child) (None if it is not needed)."""
    first, second = content.dag.parents(parent), content.dag.parents(child)
    both = [*first, *(name for name in second if name != parent and name not in first)]
    own, other = content.distribution(parent), content.distribution(child)
    if own is None or other is None:
        return both, None, None
    if isinstance(own, LinearGaussian) and isinstance(other, LinearGaussian):
        groups = {n: content.variables[n].cardinality for n in both if not content.is_real(n)}
        numbers = [name for name in both if content.is_real(name)]
        lines = Variable(parent, range(len(numbers) + 3))  # the parameters of one group
        require_size(lines, [content.variables[name] for name in groups], copies=_ARRAYS)
        return both, *gaussians_turned((parent, first, own), (second, other), groups, numbers)
    assert own.finite is not None
    assert other.finite is not None
    others = [content.variables[name] for name in both]
    require_size(content.variables[parent], [*others, content.variables[child]], copies=_ARRAYS)
    axes = [*both, child, parent]
    prior = _spread(own.finite.table, [*first, parent], axes)
    joint = prior * _spread(other.finite.table, [*second, child], axes)
    rows = joint.sum(axis=-1)
    if is_last:
        return both, Table(rows), None
    total = rows[..., None]
    posterior = np.where(total > 0, joint / np.where(total > 0, total, 1.0), prior)
    return both, Table(rows), Table(posterior / posterior.sum(axis=-1, keepdims=True))


def _spread(table: FloatArray, names: Sequence[Name], axes: Sequence[Name]) -> FloatArray:
    """A table with its axes in the order of ``axes``, and axes of length 1 for the others."""
    present = [name for name in axes if name in names]
    moved = np.transpose(table, [names.index(name) for name in present])
    sizes = dict(zip(present, moved.shape, strict=True))
    return moved.reshape([sizes.get(name, 1) for name in axes])
