"""Hugin NET (``.net``): reading and writing.

The numbers of a table are weights: rows are divided by their sums, so ``(10 90)`` means 0.1 and 0.9. The
states of the variable itself change fastest, those of its first parent slowest. A node's name is its
identifier; its ``label`` is for display only. States are strings. What Hugin's editor shows is read and
written in the folder ``appearances``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from bayou.formats.appearances.found_nodes import with_appearance
from bayou.formats.appearances.hugin import (
    default_title,
    header_lines,
    height,
    hugin_header,
    hugin_node,
    hugin_unread,
    label_line,
    native_parts,
    net_string,
    node_lines,
)
from bayou.formats.appearances.placing import shift_notes
from bayou.formats.appearances.rest_note import rest_notes
from bayou.formats.draft import NetworkDraft
from bayou.formats.families import (
    Conventions,
    FoundFamilies,
    decoded,
    draft_from_families,
    each_number,
    noted_network,
)
from bayou.formats.file_content import FilePath, read_bytes, write_bytes
from bayou.formats.scanner import Scanner, Token
from bayou.formats.spelling import SpeltDraft, identifier, spelt
from bayou.networks.appearance import Point
from bayou.schema import Variable
from bayou.typing import FloatArray

_RESERVED = frozenset(
    ("net", "class", "node", "decision", "utility", "function", "discrete", "continuous", "potential")
)
_COMMENT = r"%[^\n]*"
_REFUSED = {
    "decision": "a decision",
    "utility": "a utility",
    "function": "a function node",
    "continuous": "a continuous node",
    "class": "a class of an object-oriented network",
}
_Attributes = dict[str, list[Token]]


def _net_name(text: str) -> str:
    return identifier(text, _RESERVED)


NET = Conventions("Hugin NET", _net_name, net_string, weights=True, default_title=default_title)


def read_net(path: FilePath) -> NetworkDraft:
    """Read a Hugin NET file, gzipped or not. See :func:`parse_net`."""
    return parse_net(read_bytes(path), source=path)


def parse_net(text: str | bytes, source: object = "<text>") -> NetworkDraft:
    """Read Hugin NET text (bytes are UTF-8); every row of a table is divided by its sum.

    Decisions, utilities, continuous nodes, classes and tables given as expressions are refused by name.

    >>> draft = parse_net('net { } node X { states = ("a" "b"); } potential (X) { data = (10 90); }')
    >>> draft.tables["X"].tolist()
    [0.1, 0.9]
    """
    return _HuginReader(Scanner(decoded(text, source), source, _COMMENT), source).network()


@dataclass
class _Potential:
    start: int
    parents: list[str]
    data: FloatArray
    data_start: int


class _HuginReader:
    def __init__(self, scanner: Scanner, source: object) -> None:
        self.scan = scanner
        self.source = source
        self.nodes: dict[str, tuple[int, _Attributes]] = {}
        self.potentials: dict[str, _Potential] = {}
        self.unread: list[str] = []

    def network(self) -> NetworkDraft:
        opening = self.scan.word("'net'")
        if opening.text != "net":
            self.refuse_kind(opening)
            self.scan.fail(f"expected 'net', found {opening}", opening.start)
        header = self.attributes("the network")
        while self.scan.peek().kind != "end":
            self.block()
        for name, potential in self.potentials.items():
            if name not in self.nodes:
                self.scan.fail(f"there is no node {name!r} for this potential", potential.start)
        drawn, size = hugin_header(header)
        found = [
            self.found(name, start, attributes, size) for name, (start, attributes) in self.nodes.items()
        ]
        shown = header["name"][0].text if len(header.get("name", ())) == 1 else ""
        notes = _notes(header)
        name, properties = noted_network(notes, shown, self.source)
        draft = draft_from_families(name, found, NET, self.source, properties)
        draft = with_appearance(draft, found, NET, drawn, notes, self.source)
        attributes = {name: own for name, (_, own) in self.nodes.items()}
        return replace(draft, unread=(*hugin_unread(header, attributes), *self.unread))

    def block(self) -> None:
        kind = self.scan.word("'node' or 'potential'")
        if kind.text == "discrete":
            kind = self.scan.word("'node'")
        if kind.text == "node":
            name = self.scan.word("the node's name")
            if name.text in self.nodes:
                self.scan.fail(f"the node {name.text!r} is declared twice", name.start)
            self.nodes[name.text] = name.start, self.attributes(f"the node {name.text!r}")
        elif kind.text == "potential":
            self.potential()
        else:
            self.refuse_kind(kind)
            self.scan.fail(f"expected 'node' or 'potential', found {kind}", kind.start)

    def refuse_kind(self, kind: Token) -> None:
        if kind.text in _REFUSED:
            self.scan.fail(
                f"{kind.text!r} begins {_REFUSED[kind.text]}; only discrete chance nodes can be read",
                kind.start,
            )

    def attributes(self, owner: str) -> _Attributes:
        """Read ``{ key = value; … }``; each value is the list of its tokens without parentheses."""
        self.scan.sign("{", f"after {owner}")
        attributes: _Attributes = {}
        while not self.scan.at_sign("}"):
            key = self.scan.word(f"an attribute of {owner} or '}}'")
            if key.text in attributes and key.text in ("states", "data"):
                self.scan.fail(f"{owner} has a second {key.text!r}", key.start)
            self.scan.sign("=", f"after {key.text!r}")
            attributes[key.text] = self.value(key)
        self.scan.take()
        return attributes

    def value(self, key: Token) -> list[Token]:
        whole = self.scan.number_list() if key.text == "data" else None
        if whole is not None:
            self.scan.take()
            return [whole]
        items = self.scan.list_items(key, "{};=")
        self.scan.take()
        return items

    def potential(self) -> None:
        self.scan.sign("(", "after 'potential'")
        child = self.scan.word("the name of a node")
        parents: list[str] = []
        if self.scan.at_sign("|"):
            self.scan.take()
            while not self.scan.at_sign(")"):
                parents.append(self.scan.word("a parent's name or ')'").text)
        self.scan.sign(")", f"or '|' after {child.text!r} (a potential has one child)")
        if child.text in self.potentials:
            self.scan.fail(f"{child.text!r} has a second potential", child.start)
        attributes = self.attributes(f"the potential of {child.text!r}")
        if "data" not in attributes:
            model = "its 'model_data' is not read" if "model_data" in attributes else "expected its numbers"
            self.scan.fail(f"the potential of {child.text!r} has no 'data'; {model}", child.start)
        others = sorted(attributes.keys() - {"data"})
        if others:
            self.unread.append(f"{', '.join(others)} of the table of {child.text!r}")
        data = attributes["data"]
        start = data[0].start if data else child.start
        self.potentials[child.text] = _Potential(
            child.start, parents, self.scan.numbers(data, "'data'"), start
        )

    def found(self, name: str, start: int, attributes: _Attributes, size: Point | None) -> FoundFamilies:
        if name not in self.potentials:
            self.scan.fail(f"the node {name!r} has no block 'potential ({name} ...)'", start)
        if "states" not in attributes:
            self.scan.fail(f"the node {name!r} has no list of states", start)
        potential = self.potentials[name]
        states = [token.text for token in attributes["states"]]
        place = self.scan.place(potential.data_start)
        return FoundFamilies(
            name,
            states,
            potential.parents,
            potential.data,
            place,
            _notes(attributes),
            appearance=hugin_node(attributes, states, size),
        )


def _notes(attributes: _Attributes) -> dict[str, str]:
    return {
        key: " ".join(token.text for token in tokens).replace("$", "%")
        for key, tokens in attributes.items()
        if key.startswith("bayou_")
    }


def write_net(draft: NetworkDraft, path: FilePath) -> None:
    """Write a draft to a Hugin NET file, completely or not at all; a name ending in ``.gz`` is gzipped."""
    write_bytes(path, net_text(draft).encode("utf-8"))


def net_text(draft: NetworkDraft) -> str:
    """Return a draft as Hugin NET text; names become identifiers, attributes keep the names; exact numbers.

    >>> print(net_text(parse_net('net { } node X { states = ("a b" "c"); } potential (X) { data = (1 3); }')))
    net
    {
        name = "";
    }
    node X
    {
        label = "X";
        states = ("a b" "c");
    }
    potential (X)
    {
        data = (0.25 0.75);
    }
    """
    texts = spelt(draft, NET)
    title = net_string(draft.name) if draft.name else ""
    shown = draft.appearance
    up = height(shown)
    rest = rest_notes(shown, native_parts(shown, texts.variables))
    notes = [*texts.network_notes(title), *rest, *shift_notes((0, -up))]
    lines = ["net", "{", f'    name = "{title}";', *header_lines(shown), *_note_lines(notes), "}"]
    for variable in texts.variables:
        lines += _node_lines(texts, variable, up)
    for variable in texts.variables:
        lines += _potential_lines(texts, variable)
    return "\n".join([*lines, ""])


def _note_lines(notes: list[tuple[str, str]]) -> list[str]:
    # Some readers take a percent sign in a string for a comment, so it is written as a dollar sign, which
    # does not occur in notes.
    return ['    {} = "{}";'.format(key, note.replace("%", "$")) for key, note in notes]


def _node_lines(texts: SpeltDraft, variable: Variable, up: int) -> list[str]:
    shown = texts.draft.appearance.node(variable.name)
    states = " ".join(f'"{state}"' for state in texts.states[variable.name])
    return [
        f"node {texts.names[variable.name]}",
        "{",
        label_line(shown, variable.name),
        f"    states = ({states});",
        *node_lines(shown, variable, up),
        *_interval_lines(variable),
        *_note_lines(texts.notes(variable)),
        "}",
    ]


def _interval_lines(variable: Variable) -> list[str]:
    """The ends of intervals in Hugin's syntax. (Hugin's are closed on the left; notes keep the originals.)"""
    if variable.cuts is None:
        return []
    ends = (variable.cuts.low, *variable.cuts.points, variable.cuts.high)
    values = " ".join(repr(end).replace("inf", "infinity") for end in ends)
    return ["    subtype = interval;", f"    state_values = ({values});"]


def _potential_lines(texts: SpeltDraft, variable: Variable) -> list[str]:
    parents = texts.parents_of(variable)
    given = f" | {' '.join(parents)}" if parents else ""
    table = texts.draft.tables[variable.name]
    return [
        f"potential ({texts.names[variable.name]}{given})",
        "{",
        f"    data = {_nested(list(each_number(table)), table.shape)};",
        "}",
    ]


def _nested(numbers: list[str], shape: tuple[int, ...]) -> str:
    """Numbers in parentheses, nested as deep as the table has axes."""
    pieces = numbers
    for size in reversed(shape):
        pieces = [f"({' '.join(pieces[i : i + size])})" for i in range(0, len(pieces), size)]
    return pieces[0]
