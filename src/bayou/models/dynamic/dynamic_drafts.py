"""Dynamic networks to and from the drafts that the foreign formats read and write."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayou.errors import BadFile
from bayou.formats.draft import NetworkDraft
from bayou.formats.dynamic.dynamic_draft import DynamicDraft
from bayou.temporal.templates.template import DynamicTemplate, Node
from bayou.temporal.templates.template_text import LaggedArc
from bayou.typing import FloatArray, Name

if TYPE_CHECKING:
    from bayou.models.dynamic.dynamic_network import DynamicNetwork


def dynamic_of_draft(draft: DynamicDraft) -> DynamicNetwork:
    """The network of a draft."""
    from bayou.models.dynamic.dynamic_network import DynamicNetwork

    variables = {variable.name: variable for variable in draft.static.variables}
    arcs = tuple(LaggedArc(*arc) for arc in draft.arcs)
    template = DynamicTemplate(tuple(variables), arcs, draft.constant, draft.first, draft.last)
    tables: dict[Name, FloatArray] = {}
    for label, node in template.behind.items():
        if template.block(node) == label:
            first = node.step == 0 or template.outside(node.name)
            tables[label] = draft.static.tables[node.name] if first else draft.later[node.name, node.step]
    return DynamicNetwork.from_tables(template, variables, tables)


def draft_of_dynamic(net: DynamicNetwork) -> DynamicDraft:
    """The draft of a network: the parents of a variable within its slice first, then those of the slice
    before, and so on.
    """
    template = net.template
    if net.has_numbers:
        raise BadFile(
            "A dynamic network with numbers has no form in .xdsl files. Save the network as .bayou."
        )
    for arc in template.arcs:
        _require_plain(template, arc)
    arcs = tuple(sorted(template.arcs, key=lambda arc: (template.names.index(arc.child), arc.lag)))
    static: dict[Name, FloatArray] = {}
    parents: dict[Name, tuple[Name, ...]] = {}
    later: dict[tuple[Name, int], FloatArray] = {}
    for name in template.names:
        static[name] = _table(net, Node(name, 0))
        own = [arc for arc in arcs if arc.child == name and not arc.lag]
        parents[name] = tuple(arc.parent for arc in own)
        for step in range(1, 1 if template.outside(name) else template.reach(name) + 1):
            later[name, step] = _table(net, Node(name, step))
    first = NetworkDraft("bayou", tuple(net.variables.values()), parents, static)
    return DynamicDraft(
        first,
        tuple((arc.parent, arc.child, arc.lag) for arc in arcs),
        later,
        template.constant,
        template.first,
        template.last,
    )


def _table(net: DynamicNetwork, node: Node) -> FloatArray:
    """The table of a node with the axes of its parents by their lag."""
    template = net.template
    parents = template.parents(node)
    lags = [0 if template.outside(parent.name) else node.step - parent.step for parent in parents]
    order = sorted(range(len(parents)), key=lambda k: lags[k])
    table = net.cpt(template.block(node)).to_array()
    return np.ascontiguousarray(np.transpose(table, (*order, len(parents))))


def _require_plain(template: DynamicTemplate, arc: LaggedArc) -> None:
    """Refuse arcs that GeNIe has no form for."""
    if arc.parent in template.first and arc.lag:
        raise BadFile(
            f"{arc.parent!r} exists in the first slice only and has an arc to slice {arc.lag}; in an .xdsl "
            "file such variables have arcs to the first slice only. Save the network as .bayou."
        )
    if arc.child in template.first and not template.outside(arc.parent):
        raise BadFile(
            f"{arc.child!r} exists in the first slice only and depends on {arc.parent!r}; in an .xdsl file "
            "such variables have no parents in the plate. Save the network as .bayou."
        )
