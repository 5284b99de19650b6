"""A network as text for a terminal and as HTML for a notebook."""

from __future__ import annotations

import html as html_escape

from bayou.errors import counted
from bayou.models.nodes.node_views import node_view
from bayou.networks import FrozenNetwork, Structure, count_parameters, describe
from bayou.schema import label, state_labels
from bayou.text.tables import TextTable
from bayou.typing import Name

SHOWN_CELLS = 64
"""Tables of at most this many cells are printed with the network; ``net.cpt(name)`` prints any table."""
SHOWN_NODES = 40
"""At most this many variables are listed; tables are printed for networks of at most this size."""


def one_line(structure: Structure, frozen: FrozenNetwork | None) -> str:
    """Describe a network in one line."""
    fitted = "not fitted" if frozen is None or not frozen.blocks else "with parameters"
    return f"<Network of {_size(structure)}, {fitted}>"


def text(structure: Structure, frozen: FrozenNetwork | None) -> str:
    """Describe a network in full: size, sharing, states and parents, and its small tables."""
    parts = ["\n".join(summary_lines(structure, frozen)), str(_overview(structure, frozen))]
    if frozen is not None and len(structure.dag.nodes) <= SHOWN_NODES:
        parts += [str(table) for table in _tables(frozen)]
    return "\n\n".join(parts)


def html(structure: Structure, frozen: FrozenNetwork | None, drawing: str) -> str:
    """The same as HTML for a notebook, with a drawing (HTML, or nothing) above the tables."""
    summary = "<br>".join(html_escape.escape(line) for line in summary_lines(structure, frozen))
    parts = [f"<p>{summary}</p>", drawing, _overview(structure, frozen)._repr_html_()]
    if frozen is not None and len(structure.dag.nodes) <= SHOWN_NODES:
        parts += [table._repr_html_() for table in _tables(frozen)]
    return f"<div>{''.join(parts)}</div>"


def _size(structure: Structure) -> str:
    return f"{counted(len(structure.dag.nodes), 'variable')} and {counted(len(structure.dag.arcs), 'arc')}"


def summary_lines(structure: Structure, frozen: FrozenNetwork | None) -> list[str]:
    """The size, the number of parameters and the sharing of a network."""
    lines = [f"Network of {_size(structure)}"]
    if frozen is not None and len(frozen.schema):
        lines.append(str(count_parameters(frozen)))
    return lines + describe(structure.sharing)


def _overview(structure: Structure, frozen: FrozenNetwork | None) -> TextTable:
    rows = []
    for name in structure.dag.nodes:
        parents = ", ".join(label(parent) for parent in structure.dag.parents(name))
        rows.append([label(name), states_text(structure, frozen, name), parents])
    return TextTable(["variable", "states", "parents"], rows, most_rows=SHOWN_NODES)


def states_text(structure: Structure, frozen: FrozenNetwork | None, name: Name) -> str:
    """The states of a variable as text, or what it is instead."""
    if frozen is not None:
        variable = frozen.schema[name]
    elif name in structure.declared:
        variable = structure.declared[name]
    else:
        return "(from the data)"
    if variable.is_continuous:
        return "(texts)" if variable.is_text else "(continuous)"
    shown = ", ".join(state_labels(variable.states)[:6])
    return shown if variable.cardinality <= 6 else f"{shown}, … ({variable.cardinality} in all)"


def _tables(frozen: FrozenNetwork) -> list[TextTable]:
    """The small tables, one per block; a shared block is shown for its first variable."""
    tables, done = [], set()
    for name in frozen.dag.nodes:
        block = frozen.slots[name]
        if block in done or block not in frozen.blocks:
            continue
        done.add(block)
        if frozen.blocks[block].printed_cells <= SHOWN_CELLS:
            tables.append(node_view(frozen, name).to_table())
    return tables
