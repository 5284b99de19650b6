"""A dynamic network in print: its variables, its arcs, and its tables while they are small."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayou.errors import NotFitted, counted
from bayou.schema import label

if TYPE_CHECKING:
    from bayou.models.dynamic.dynamic_network import DynamicNetwork

_LARGEST = 64
"""The most entries of a table that is printed."""


def described(net: DynamicNetwork) -> str:
    """The arcs and, where they are small, all tables."""
    lines = [headline(net), f"arcs: {arrows(net)}"]
    template = net.template
    for what, group in (("constant", template.constant), ("first", template.first), ("last", template.last)):
        if group:
            lines.append(f"{what}: {', '.join(label(name) for name in template.names if name in group)}")
    try:
        net.model  # noqa: B018  # raises if tables are missing
    except NotFitted:
        return "\n".join([*lines, "without parameters"])
    numbers = {table for table in net.tables if net.variables[net.template.behind[table].name].is_continuous}
    tables = {table: None if table in numbers else net.cpt(table) for table in net.tables}
    shown = [
        str(net.gaussian(table) if own is None else own)
        for table, own in tables.items()
        if own is None or own.to_array().size <= _LARGEST
    ]
    left_out = len(tables) - len(shown)
    tail = [f"… and {counted(left_out, 'larger table')}"] if left_out else []
    return "\n\n".join(["\n".join(lines), *shown, *tail])


def headline(net: DynamicNetwork) -> str:
    """The numbers of variables and of tables."""
    lag = net.template.order
    reach = f", arcs over up to {lag} slices" if lag > 1 else ""
    tables = counted(len(net.tables), "table")
    return f"DynamicNetwork with {counted(len(net.names), 'variable')} a slice and {tables}{reach}"


def arrows(net: DynamicNetwork) -> str:
    """The arcs as text that the constructor reads."""
    parts = [f"{label(parent)} -> {label(child)}{chr(39) * lag}" for parent, child, lag in net.arcs]
    alone = [label(name) for name in net.names if not any(name in arc[:2] for arc in net.arcs)]
    return "; ".join([*parts, *alone])
