"""Dynamic networks in XDSL files of GeNIe and SMILE: reading and writing.

A node in the temporal plate has the attribute ``dynamic="plate"``, one of the first slice only
``dynamic="anchor"``, one of the last slice only ``dynamic="terminal"``; nodes without it are the same in all
slices (contemporal). The tables of the first slice stand with the nodes. The section ``<dynamic>`` has, for
each node and each order k up to that of its longest temporal arc, the parents k slices before, and the table
of slice k (the last one serves all later slices): its axes are the parents within the slice, those one slice
before, two slices before, …, then the node. (As SMILE 1.6 and 2.0 write them.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from bayou.errors import BadFile
from bayou.formats.dynamic.dynamic_draft import DynamicDraft
from bayou.formats.families import FoundFamilies, draft_from_families, each_number
from bayou.formats.genie.xdsl import (
    TABLES,
    XDSL,
    is_dynamic,
    nodes_of,
    static_draft,
    table_values,
    written,
    xdsl_root,
)
from bayou.formats.spelling import SpeltDraft, spelt
from bayou.formats.xml_tree import Element
from bayou.typing import FloatArray, Name

PLATE, ANCHOR, TERMINAL, CONTEMPORAL = "plate", "anchor", "terminal", "contemporal"
_ROLES = (PLATE, ANCHOR, TERMINAL, CONTEMPORAL)
SLICES = 10
"""How many slices GeNIe shows of a file that bayou has written."""
_LARGEST_ORDER = 255


def parse_dynamic_xdsl(text: str | bytes, source: object = "<text>") -> DynamicDraft | None:
    """Read XDSL text with a dynamic network; None if it is a static one.

    >>> draft = parse_dynamic_xdsl('<smile id="n"><nodes><cpt id="X" dynamic="plate"><state id="a"/>'
    ...     '<state id="b"/><probabilities>0.9 0.1</probabilities></cpt></nodes><dynamic numslices="5">'
    ...     '<cpt id="X" order="1"><parents>X</parents><probabilities>0.8 0.2 0.3 0.7</probabilities></cpt>'
    ...     '</dynamic></smile>')
    >>> draft.arcs, draft.later["X", 1].tolist()
    ((('X', 'X', 1),), [[0.8, 0.2], [0.3, 0.7]])
    """
    root = xdsl_root(text, source)
    return _Reader(root, source).draft() if is_dynamic(root) else None


class _Reader:
    """Reads the nodes, then the tables of later slices."""

    def __init__(self, root: Element, source: object) -> None:
        self.source = source
        self.nodes = {node.attributes.get("id", ""): node for node in nodes_of(root)}
        self.static = static_draft(root, source)
        # Every node has an identifier of its own; the parents stand in the order of the file.
        self.name_of: dict[str, Name] = dict(zip(self.nodes, self.static.parents, strict=True))
        self.role = {text: self._role(node) for text, node in self.nodes.items()}
        self.definitions: dict[tuple[str, int], Element] = {}
        for section in root.every("dynamic"):
            for element in section.children:
                self._add(element)

    def _role(self, node: Element) -> str:
        role = node.attributes.get("dynamic", CONTEMPORAL).lower()
        if role not in _ROLES:
            name = node.attributes["id"]
            problem = f"{name!r} has dynamic={role!r}; expected one of {', '.join(_ROLES)}."
            raise BadFile.at(self.source, problem, *node.place)
        return role

    def _add(self, element: Element) -> None:
        name, order = element.attributes.get("id", ""), element.attributes.get("order", "")
        if name not in self.nodes:
            raise BadFile.at(
                self.source, f"<dynamic> has a table of {name!r}, which is no node.", *element.place
            )
        if element.tag not in TABLES or element.tag != self.nodes[name].tag:
            problem = f"{name!r} is a <{self.nodes[name].tag}>, but a <{element.tag}> in <dynamic>."
            raise BadFile.at(self.source, problem, *element.place)
        if not order.isdecimal() or len(order) > 3 or not 1 <= int(order) <= _LARGEST_ORDER:
            expected = f"expected a number from 1 to {_LARGEST_ORDER}"
            problem = f"{name!r} has order={order[:20]!r} in <dynamic>; {expected}."
            raise BadFile.at(self.source, problem, *element.place)
        if self.role[name] != PLATE:
            problem = f"{name!r} has temporal arcs, but is not in the plate (it is {self.role[name]})."
            raise BadFile.at(self.source, problem, *element.place)
        if (name, int(order)) in self.definitions:
            problem = f"{name!r} has two tables of order {order} in <dynamic>."
            raise BadFile.at(self.source, problem, *element.place)
        self.definitions[name, int(order)] = element

    def draft(self) -> DynamicDraft:
        arcs: list[tuple[Name, Name, int]] = []
        later: dict[tuple[Name, int], FloatArray] = {}
        order_of = {variable.name: k for k, variable in enumerate(self.static.variables)}
        for text, name in sorted(self.name_of.items(), key=lambda item: order_of[item[1]]):
            lagged = self._lagged_parents(text)
            arcs += [(parent, name, 0) for parent in self.static.parents[name]]
            arcs += [(self.name_of[parent], name, lag) for parent, lag in lagged]
            for order in range(1, self._last_order(text, lagged) + 1):
                later[name, order] = self._table(text, order, lagged, later)
        groups = {
            role: frozenset(self.name_of[text] for text, own in self.role.items() if own == role)
            for role in _ROLES
        }
        return DynamicDraft(
            self.static, tuple(arcs), later, groups[CONTEMPORAL], groups[ANCHOR], groups[TERMINAL]
        )

    def _lagged_parents(self, text: str) -> list[tuple[str, int]]:
        """The parents in earlier slices, those of the next slice first."""
        found: list[tuple[str, int]] = []
        for (name, order), element in sorted(self.definitions.items(), key=lambda item: item[0][1]):
            if name == text:
                for parents in element.every("parents"):
                    for parent in parents.text.split():
                        self._check_parent(text, parent, element)
                        found.append((parent, order))
        return found

    def _check_parent(self, text: str, parent: str, element: Element) -> None:
        if parent not in self.nodes:
            problem = f"the parent {parent!r} of {text!r} in an earlier slice is no node."
            raise BadFile.at(self.source, problem, *element.place)
        if self.role[parent] != PLATE:
            problem = f"the parent {parent!r} of {text!r} in an earlier slice is not in the plate."
            raise BadFile.at(self.source, problem, *element.place)

    def _static_parents(self, text: str) -> list[str]:
        return [word for element in self.nodes[text].every("parents") for word in element.text.split()]

    def _last_order(self, text: str, lagged: list[tuple[str, int]]) -> int:
        """Up to which slice a node has tables of its own."""
        given = max((order for name, order in self.definitions if name == text), default=0)
        anchored = self.role[text] == PLATE and any(
            self.role[parent] == ANCHOR for parent in self._static_parents(text)
        )
        needed = max([lag for _, lag in lagged] + [int(anchored)])
        if given > needed:
            place = self.definitions[text, given].place
            problem = (
                f"{text!r} has a table of order {given}, but no arc over {given} slices; a node "
                "whose parents are the same has one table."
            )
            raise BadFile.at(self.source, problem, *place)
        return needed

    def _table(
        self,
        text: str,
        order: int,
        lagged: list[tuple[str, int]],
        later: Mapping[tuple[Name, int], FloatArray],
    ) -> FloatArray:
        """The table of a slice; where the file has none and the parents are those of the slice before, its
        table.
        """
        static = [parent for parent in self._static_parents(text) if self.role[parent] != ANCHOR]
        parents = [(parent, 0) for parent in static] + [(p, lag) for p, lag in lagged if lag <= order]
        element = self.definitions.get((text, order))
        if element is None:
            if order == 1 and len(static) < len(self._static_parents(text)):
                problem = (
                    f"{text!r} has a parent that exists in the first slice only, and no table for the slices "
                    "after it (order 1 in <dynamic>)."
                )
                raise BadFile.at(self.source, problem, *self.nodes[text].place)
            name = self.name_of[text]
            return later[name, order - 1] if order > 1 else self.static.tables[name]
        states = [state.attributes.get("id", "") for state in self.nodes[text].every("state")]
        sizes = [len(list(self.nodes[parent].every("state"))) for parent, _ in parents]
        table = element.only(TABLES[element.tag], self.source)
        values = table_values(element, table, states, sizes, self.source)
        return self._checked(f"{text}[t]", states, parents, values, table)

    def _checked(
        self,
        title: str,
        states: list[str],
        parents: list[tuple[str, int]],
        values: FloatArray,
        table: Element,
    ) -> FloatArray:
        """The table with its axes, checked as that of a static node with stand-ins for the parents."""
        found = []
        for parent, lag in parents:
            own = [state.attributes.get("id", "") for state in self.nodes[parent].every("state")]
            label = f"{parent}[t-{lag}]" if lag else f"{parent}[t]"
            share = np.full(len(own), 1 / max(len(own), 1))
            found.append(FoundFamilies(label, own, (), share, table.place))
        labels = [one.name for one in found]
        found.append(FoundFamilies(title, states, labels, values, table.place))
        return draft_from_families("", found, XDSL, self.source).tables[title]


@dataclass(frozen=True)
class _Writer:
    draft: DynamicDraft
    texts: SpeltDraft

    def lines(self) -> Iterator[str]:
        """The section with the tables of later slices."""
        yield f'\t<dynamic numslices="{SLICES}">'
        for variable in self.texts.variables:
            name = variable.name
            for order in range(1, 1 + max((k for own, k in self.draft.later if own == name), default=0)):
                parents = [p for p, child, lag in self.draft.arcs if child == name and lag == order]
                yield f'\t\t<cpt id="{self.texts.names[name]}" order="{order}">'
                if parents:
                    yield f"\t\t\t<parents>{' '.join(self.texts.names[p] for p in parents)}</parents>"
                numbers = " ".join(each_number(self.draft.later[name, order]))
                yield f"\t\t\t<probabilities>{numbers}</probabilities>"
                yield "\t\t</cpt>"
        yield "\t</dynamic>"


def dynamic_xdsl_text(draft: DynamicDraft) -> str:
    """Return a dynamic network as XDSL text with exact numbers."""
    texts = spelt(draft.static, XDSL, parents_first=True)
    outside = draft.constant | draft.first | draft.last
    roles = {v.name: PLATE for v in draft.static.variables if v.name not in outside}
    roles |= dict.fromkeys(draft.first, ANCHOR) | dict.fromkeys(draft.last, TERMINAL)
    return written(texts, roles, list(_Writer(draft, texts).lines()))
