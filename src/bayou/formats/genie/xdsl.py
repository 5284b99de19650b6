"""XDSL, the XML files of GeNIe and SMILE (``.xdsl``): reading and writing.

Nodes and states are identifiers there. GeNIe shows a name beside a node's identifier: that name is the
variable's where all such names differ, else the identifiers are. A name or state that is no identifier
is written as one, with a user property that lets bayou restore it. Positions, colours, descriptions and
submodels are in the section <genie>, which the folder ``appearances`` reads and writes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NoReturn

from bayou.errors import BadFile, counted, listed
from bayou.formats.appearances.found_nodes import names_of, with_appearance
from bayou.formats.appearances.genie_reader import read_genie
from bayou.formats.appearances.genie_writer import default_title, genie_lines, native_parts
from bayou.formats.appearances.placing import shift_notes, shift_on_screen
from bayou.formats.appearances.rest_note import rest_notes
from bayou.formats.draft import NetworkDraft
from bayou.formats.families import (
    Conventions,
    FoundFamilies,
    draft_from_families,
    each_number,
    noted_network,
    numbers_in,
)
from bayou.formats.file_content import FilePath, read_bytes, write_bytes
from bayou.formats.format_labels import NAME_NOTE, typed_note
from bayou.formats.local_models import function_table, noisy_max_table, strength_orders
from bayou.formats.spelling import SpeltDraft, identifier, printable, spelt
from bayou.formats.xml_tree import Element, parse_xml, quoteattr
from bayou.networks.appearance import PLAIN_NODE, NodeAppearance
from bayou.schema import Variable
from bayou.typing import FloatArray, Name

XDSL = Conventions("XDSL", identifier, identifier, default_title=default_title)
TABLES = {"cpt": "probabilities", "deterministic": "resultingstates", "noisymax": "parameters"}


def read_xdsl(path: FilePath) -> NetworkDraft:
    """Read an XDSL file, gzipped or not. See :func:`parse_xdsl`."""
    return parse_xdsl(read_bytes(path), source=path)


def parse_xdsl(text: str | bytes, source: object = "<text>") -> NetworkDraft:
    """Read XDSL text; bytes are in the encoding that the XML declares.

    Chance nodes, deterministic nodes and noisy-MAX nodes without a leak become tables; decisions, values and
    equations are refused by name, and so are time slices, which :mod:`bayou.formats.dynamic` reads. Rows off
    1 by rounding are divided by their sum.

    >>> draft = parse_xdsl('<smile id="n"><nodes><cpt id="X"><state id="a"/><state id="b"/>'
    ...                    '<probabilities>0.9 0.1</probabilities></cpt></nodes></smile>')
    >>> draft.name, draft.tables["X"].tolist()
    ('n', [0.9, 0.1])
    """
    root = xdsl_root(text, source)
    if is_dynamic(root):
        raise BadFile.at(
            source, "is a dynamic network, not a static one; open it with bayou.load.", *root.place
        )
    return static_draft(root, source)


def xdsl_root(text: str | bytes, source: object) -> Element:
    """The element <smile> of a file."""
    root = parse_xml(text, source)
    if root.tag != "smile":
        raise BadFile.at(source, f"expected the element <smile>, found <{root.tag}>.", *root.place)
    return root


def is_dynamic(root: Element) -> bool:
    """Whether a file has time slices."""
    return any(root.every("dynamic")) or any("dynamic" in node.attributes for node in nodes_of(root))


def nodes_of(root: Element) -> list[Element]:
    """The elements of all nodes."""
    return [node for group in root.every("nodes") for node in group.children]


def static_draft(root: Element, source: object) -> NetworkDraft:
    """The draft of the nodes with their parents in the same slice."""
    nodes = nodes_of(root)
    sizes = {node.attributes.get("id", ""): len(list(node.every("state"))) for node in nodes}
    drawing = read_genie(root)
    found = [_found(node, sizes, drawing.nodes, source) for node in nodes]
    notes = {
        key: value
        for extensions in root.every("extensions")
        for own in extensions.every("bayou")
        for key, value in own.attributes.items()
    }
    name, properties = noted_network(notes, _shown_title(root), source)
    draft = draft_from_families(name, found, XDSL, source, properties)
    drawn = with_appearance(draft, found, XDSL, drawing.rest(names_of(draft, found)), notes, source)
    return replace(drawn, unread=(*_unread(nodes), *drawing.unread()))


def _unread(nodes: Sequence[Element]) -> Iterator[str]:
    """What the definitions of nodes have besides tables."""
    for kind, what in (("noisymax", "the parameters"), ("deterministic", "the functions")):
        count = sum(node.tag == kind for node in nodes)
        if count:
            yield f"{what} of {counted(count, f'<{kind}> node')}, which became tables"
    leaks = sum(node.tag == "noisymax" and _has_leak(node) for node in nodes)
    if leaks:
        yield (
            f"which parameters the {counted(leaks, '<noisymax> node')} with a leak have: they are read as "
            "SMILE's own (Díez's, 'net'), the leak as one more cause that is always present"
        )
    keys = {one.attributes.get("id", "") for node in nodes for one in node.every("property")}
    foreign = sorted(key for key in keys if not key.startswith("bayou_"))
    if foreign:
        yield f"the user properties {listed(foreign)}"


def _has_leak(node: Element) -> bool:
    values = [word for element in node.every("parameters") for word in element.text.split()]
    return bool(values) and float(values[-1]) != 1


def _shown_title(root: Element) -> str:
    for extensions in root.every("extensions"):
        for genie in extensions.every("genie"):
            if genie.attributes.get("name"):
                return genie.attributes["name"]
    return root.attributes.get("id", "")


def _found(
    node: Element, sizes: dict[str, int], drawn: dict[str, NodeAppearance], source: object
) -> FoundFamilies:
    name = node.attributes.get("id", "")
    if not name:
        raise BadFile.at(source, f"<{node.tag}> has no attribute id; expected the node's name.", *node.place)
    if node.tag not in TABLES:
        raise BadFile.at(
            source,
            f"the node {name!r} is a <{node.tag}>; only chance nodes that are tables can be read: "
            f"{', '.join(f'<{kind}>' for kind in TABLES)}.",
            *node.place,
        )
    states = [state.attributes.get("id", "") for state in node.every("state")]
    parents = [word for element in node.every("parents") for word in element.text.split()]
    table = node.only(TABLES[node.tag], source)
    notes = {element.attributes.get("id", ""): element.text for element in node.every("property")}
    values = table_values(node, table, states, [sizes.get(parent, 0) for parent in parents], source)
    shown = drawn.get(name, PLAIN_NODE)
    return FoundFamilies(
        name, states, parents, values, table.place, notes, shown=shown.title, appearance=shown
    )


def table_values(
    node: Element, table: Element, states: list[str], parent_sizes: list[int], source: object
) -> FloatArray:
    try:
        if node.tag == "deterministic":
            return function_table(table.text.split(), states)
        values = numbers_in(table.text)
        if values is None:
            raise ValueError(f"expected only numbers in <{table.tag}>")
        if node.tag == "cpt":
            return values
        strengths = [number for element in node.every("strengths") for number in element.text.split()]
        if not states or 0 in parent_sizes:
            raise ValueError("has a parent, or itself, without states")
        return noisy_max_table(values, parent_sizes, len(states), strength_orders(strengths, parent_sizes))
    except ValueError as error:
        _refuse(node, table, error, source)


def _refuse(node: Element, table: Element, error: ValueError, source: object) -> NoReturn:
    problem = f"the <{node.tag}> {node.attributes['id']!r}: {error}."
    raise BadFile.at(source, problem, *table.place) from None


def write_xdsl(draft: NetworkDraft, path: FilePath) -> None:
    """Write a draft to an XDSL file, completely or not at all; a name ending in ``.gz`` is gzipped."""
    write_bytes(path, xdsl_text(draft).encode("utf-8"))


def xdsl_text(draft: NetworkDraft) -> str:
    """Return a draft as XDSL text, parents before their children as SMILE requires; exact numbers.

    >>> text = xdsl_text(NetworkDraft("my net", (), {}, {}))
    >>> text.splitlines()[1]
    '<smile version="1.0" id="my_net" numsamples="10000" discsamples="10000">'
    """
    return written(spelt(draft, XDSL, parents_first=True))


def written(texts: SpeltDraft, roles: Mapping[Name, str] | None = None, slices: Sequence[str] = ()) -> str:
    """The text of a file; a dynamic network has a role for some nodes, and the lines of its slices."""
    title, shown = printable(texts.draft.name), texts.draft.appearance
    shift = shift_on_screen(shown)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<smile version="1.0" id="{identifier(texts.draft.name)}" numsamples="10000" discsamples="10000">',
        "\t<nodes>",
        *(line for variable in texts.variables for line in _node_lines(texts, variable, roles or {})),
        "\t</nodes>",
        *slices,
        "\t<extensions>",
        f'\t\t<genie version="1.0" app="bayou" name={quoteattr(title)}>',
        *genie_lines(texts, shift),
        "\t\t</genie>",
    ]
    own = [*texts.network_notes(title), *rest_notes(shown, native_parts(shown)), *shift_notes(shift)]
    notes = " ".join(f'{key}="{note}"' for key, note in own)
    lines += [f"\t\t<bayou {notes} />"] if notes else []
    return "\n".join([*lines, "\t</extensions>", "</smile>", ""])


def _node_lines(texts: SpeltDraft, variable: Variable, roles: Mapping[Name, str]) -> Iterator[str]:
    role = f' dynamic="{roles[variable.name]}"' if variable.name in roles else ""
    yield f'\t\t<cpt id="{texts.names[variable.name]}"{role}>'
    for state in texts.states[variable.name]:
        yield f'\t\t\t<state id="{state}" />'
    if texts.parents_of(variable):
        yield f"\t\t\t<parents>{' '.join(texts.parents_of(variable))}</parents>"
    yield f"\t\t\t<probabilities>{' '.join(each_number(texts.draft.tables[variable.name]))}</probabilities>"
    notes = dict(texts.notes(variable))
    if texts.draft.appearance.node(variable.name).title:
        # Without this note, the reader would take the title that GeNIe shows for the name.
        notes.setdefault(NAME_NOTE, typed_note([variable.name]))
    for key, note in notes.items():
        yield f'\t\t\t<property id="{key}">{note}</property>'
    yield "\t\t</cpt>"
