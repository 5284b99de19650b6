"""XMLBIF 0.3 (``.xmlbif``, ``.bifxml``, ``.xml``): reading and writing.

In the numbers of a table the states of the variable itself change fastest, those of its first parent slowest.
Properties of a variable or of the network are kept; bayou writes its own notes (types of states, names that
XML does not allow) as properties too, which other programs ignore.
"""

from __future__ import annotations

from collections.abc import Sequence

from bayou.errors import BadFile
from bayou.formats.appearances.position_property import position_property, with_positions
from bayou.formats.bif.bif_reader import sorted_properties
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
from bayou.formats.format_labels import NOTES, notes_of
from bayou.formats.spelling import SpeltDraft, printable, spelt
from bayou.formats.xml_tree import Element, escape, parse_xml
from bayou.schema import Variable

XMLBIF = Conventions("XMLBIF", printable, printable)


def read_xmlbif(path: FilePath) -> NetworkDraft:
    """Read an XMLBIF file, gzipped or not. See :func:`parse_xmlbif`."""
    return parse_xmlbif(read_bytes(path), source=path)


def parse_xmlbif(text: str | bytes, source: object = "<text>") -> NetworkDraft:
    """Read XMLBIF text; bytes are in the encoding that the XML declares.

    Rows are treated as in BIF: a sum that differs from 1 by rounding is divided out, a larger error refused.
    Decision and utility variables are refused.

    >>> parse_xmlbif('''<BIF VERSION="0.3"><NETWORK>
    ...   <VARIABLE TYPE="nature"><NAME>X</NAME><OUTCOME>a</OUTCOME><OUTCOME>b</OUTCOME></VARIABLE>
    ...   <DEFINITION><FOR>X</FOR><TABLE>0.9 0.1</TABLE></DEFINITION>
    ... </NETWORK></BIF>''').tables["X"].tolist()
    [0.9, 0.1]
    """
    root = parse_xml(text, source)
    if root.tag.lower() != "bif":
        raise BadFile.at(source, f"expected the element <BIF>, found <{root.tag}>.", *root.place)
    network = root.only("network", source)
    _refuse_others(network, ("name", "property", "variable", "definition"), source)
    definitions = _definitions(network, source)
    found = [_found(variable, definitions, source) for variable in network.every("variable")]
    for name, definition in definitions.items():
        problem = f"the definition for {name!r} has no variable of that name."
        raise BadFile.at(source, problem, *definition.place)
    shown = network.only("name", source).text if any(network.every("name")) else ""
    notes, kept = sorted_properties(element.text for element in network.every("property"))
    name = noted_network(notes, shown, source)[0]
    return with_positions(draft_from_families(name, found, XMLBIF, source, kept))


def _refuse_others(element: Element, tags: Sequence[str], source: object) -> None:
    for child in element.children:
        if child.tag.lower() not in tags:
            expected = ", ".join(f"<{tag.upper()}>" for tag in tags)
            problem = f"<{child.tag}> in <{element.tag}>; expected one of {expected}."
            raise BadFile.at(source, problem, *child.place)


def _definitions(network: Element, source: object) -> dict[str, Element]:
    definitions: dict[str, Element] = {}
    for definition in network.every("definition"):
        _refuse_others(definition, ("for", "given", "table", "property"), source)
        name = definition.only("for", source).text
        if name in definitions:
            raise BadFile.at(source, f"{name!r} has a second definition.", *definition.place)
        definitions[name] = definition
    return definitions


def _found(variable: Element, definitions: dict[str, Element], source: object) -> FoundFamilies:
    """Return one variable with its definition, which is removed from ``definitions``."""
    _refuse_others(variable, ("name", "outcome", "value", "property"), source)
    name = variable.only("name", source).text
    kind = variable.attributes.get("TYPE", "nature")
    if kind.lower() != "nature":
        problem = f"{name!r} is a {kind} variable; a Bayesian network has chance ('nature') variables only."
        raise BadFile.at(source, problem, *variable.place)
    if name not in definitions:
        problem = f"the variable {name!r} is declared twice or has no <DEFINITION> with <FOR>{name}</FOR>."
        raise BadFile.at(source, problem, *variable.place)
    definition = definitions.pop(name)
    table = definition.only("table", source)
    values = numbers_in(table.text)
    if values is None or table.children:
        raise BadFile.at(source, f"expected only numbers in the table of {name!r}.", *table.place)
    properties = [*variable.every("property"), *definition.every("property")]
    notes, kept = sorted_properties(element.text for element in properties)
    states = [state.text for state in variable.every("outcome", "value")]
    parents = [parent.text for parent in definition.every("given")]
    return FoundFamilies(name, states, parents, values, table.place, notes, kept)


def write_xmlbif(draft: NetworkDraft, path: FilePath) -> None:
    """Write a draft to an XMLBIF file, completely or not at all; a name ending in ``.gz`` is gzipped."""
    write_bytes(path, xmlbif_text(draft).encode("utf-8"))


def xmlbif_text(draft: NetworkDraft) -> str:
    """Return a draft as XMLBIF 0.3 text; every number is the shortest that reads back to the same float.

    >>> draft = parse_xmlbif("<BIF><NETWORK><NAME>n</NAME></NETWORK></BIF>")
    >>> print(xmlbif_text(draft))
    <?xml version="1.0" encoding="UTF-8"?>
    <BIF VERSION="0.3">
    <NETWORK>
    <NAME>n</NAME>
    </NETWORK>
    </BIF>
    """
    texts = spelt(draft, XMLBIF)
    # A network without a name has no element for it, which reads back as the empty name.
    name = printable(draft.name) if draft.name else ""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<BIF VERSION="0.3">', "<NETWORK>"]
    lines += [f"<NAME>{escape(name)}</NAME>"] if name else []
    own = [(key, note) for key, note in texts.network_notes(name) if key in NOTES]
    lines += _properties(draft.properties.get(None, ()), own, "the network", "")
    for variable in texts.variables:
        lines += _variable_lines(texts, variable)
    for variable in texts.variables:
        lines += _definition_lines(texts, variable)
    return "\n".join([*lines, "</NETWORK>", "</BIF>", ""])


def _variable_lines(texts: SpeltDraft, variable: Variable) -> list[str]:
    name, states = texts.names[variable.name], texts.states[variable.name]
    return [
        '<VARIABLE TYPE="nature">',
        f"  <NAME>{escape(name)}</NAME>",
        *(f"  <OUTCOME>{escape(state)}</OUTCOME>" for state in states),
        *_properties(
            (
                *texts.draft.properties.get(variable.name, ()),
                *position_property(texts.draft.appearance, variable.name),
            ),
            list(notes_of(variable, name, states)),
            repr(variable.name),
            "  ",
        ),
        "</VARIABLE>",
    ]


def _definition_lines(texts: SpeltDraft, variable: Variable) -> list[str]:
    numbers = " ".join(each_number(texts.draft.tables[variable.name]))
    return [
        "<DEFINITION>",
        f"  <FOR>{escape(texts.names[variable.name])}</FOR>",
        *(f"  <GIVEN>{escape(parent)}</GIVEN>" for parent in texts.parents_of(variable)),
        f"  <TABLE>{numbers}</TABLE>",
        "</DEFINITION>",
    ]


def _properties(texts: Sequence[str], notes: Sequence[tuple[str, str]], whose: str, indent: str) -> list[str]:
    for text in texts:
        if text.partition(" = ")[0] in NOTES:
            raise BadFile(f"The property {text!r} of {whose} has a name that is reserved for bayou.")
        if text and printable(text) != text:
            raise BadFile(
                f"The property {text!r} of {whose} cannot be written to XMLBIF: it has a control character, "
                "or blanks at its ends."
            )
    written = [*texts, *(f"{key} = {note}" for key, note in notes)]
    return [f"{indent}<PROPERTY>{escape(text)}</PROPERTY>" for text in written]
