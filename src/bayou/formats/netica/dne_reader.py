"""Netica's text files (``.dne``): reading.

The numbers of ``probs`` have the states of the node itself fastest and those of its first parent slowest. A
node with ``discrete = FALSE`` and ``levels`` becomes a variable of intervals. Netica puts a number that lies
on a level into the interval above it, bayou into the one below.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NoReturn

from bayou.errors import BadFile, listed
from bayou.formats.appearances.found_nodes import names_of, with_appearance
from bayou.formats.draft import NetworkDraft
from bayou.formats.families import (
    FoundFamilies,
    decoded,
    draft_from_families,
    noted_network,
    numbers_in,
)
from bayou.formats.file_content import FilePath, read_bytes
from bayou.formats.local_models import function_table
from bayou.formats.netica.dne_appearance import DNE, network_appearance, node_appearance, user_notes
from bayou.formats.netica.dne_blocks import DneBlock, DneParser, DneValue
from bayou.formats.netica.dne_states import NodeStates, states_of
from bayou.formats.scanner import Scanner
from bayou.typing import FloatArray

_READ = {
    "kind",
    "discrete",
    "chance",
    "states",
    "numstates",
    "statetitles",
    "statecomments",
    "levels",
    "parents",
    "probs",
    "functable",
    "title",
    "comment",
    "whenchanged",
}
_REFUSED = {"DECISION": "a decision", "UTILITY": "a utility"}


def read_dne(path: FilePath) -> NetworkDraft:
    """Read a DNE file, gzipped or not. See :func:`parse_dne`."""
    return parse_dne(read_bytes(path), source=path)


def parse_dne(text: str | bytes, source: object = "<text>") -> NetworkDraft:
    """Read DNE text; bytes are UTF-8, or else Windows-1252.

    Chance nodes with tables (``probs``) or functions (``functable``) become tables. Decisions, utilities,
    continuous nodes without levels and nodes whose only table is an equation are refused by name.

    >>> draft = parse_dne("bnet n { node X { kind = NATURE; discrete = TRUE; states = (a, b); parents = ();"
    ...                   " probs = (0.9, 0.1); }; };")
    >>> draft.name, draft.tables["X"].tolist()
    ('n', [0.9, 0.1])
    """
    # Old versions of Netica end lines with a carriage return alone.
    lines = _text_of(text, source).replace("\r\n", "\n").replace("\r", "\n")
    return _DneReader(DneParser(lines, source), source).network()


def _text_of(text: str | bytes, source: object) -> str:
    try:
        return decoded(text, source)
    except BadFile:
        if isinstance(text, str) or b"\0" in text:
            raise
        try:
            return bytes(text).decode("cp1252")
        except UnicodeDecodeError:
            pass
        raise


class _DneReader:
    def __init__(self, parser: DneParser, source: object) -> None:
        self.parser, self.source = parser, source
        self.scan: Scanner = parser.scan
        self.constants: set[str] = set()
        self.loose: set[str] = set()

    def network(self) -> NetworkDraft:
        block = self.parser.network()
        nodes = [node for node in block.every("node") if node.word("kind") != "CONSTANT"]
        self.loose = {one.name for one in block.every("param")}
        self.constants = {node.name for node in block.every("node") if node.word("kind") == "CONSTANT"}
        states = {node.name: self.states(node) for node in nodes}
        found = [self.found(node, states) for node in nodes]
        notes = user_notes(block)
        name, properties = noted_network(notes, block.name, self.source)
        draft = draft_from_families(name, found, DNE, self.source, properties)
        shown, overlapping = network_appearance(block, names_of(draft, found))
        draft = with_appearance(draft, found, DNE, shown, notes, self.source)
        return replace(draft, unread=(*_unread(block), *overlapping))

    def states(self, node: DneBlock) -> NodeStates:
        kind = node.word("kind") or "NATURE"
        if kind != "NATURE":
            what = _REFUSED.get(kind, f"of the kind {kind}")
            self.scan.fail(f"the node {node.name!r} is {what}; only chance nodes can be read", node.start)
        try:
            return states_of(node)
        except ValueError as error:
            start = node.values["levels"].start if "levels" in node.values else node.start
            self.scan.fail(f"the node {node.name!r} {str(error).rstrip('.')}", start)

    def found(self, node: DneBlock, states: dict[str, NodeStates]) -> FoundFamilies:
        own = states[node.name]
        links = node.values.get("parents", DneValue(node.start, ()))
        if None in links.entries:
            self.scan.fail(f"the node {node.name!r} has a link that comes from no node", links.start)
        parents = [token.text for token in links.tokens]
        for parent in parents:
            if parent in self.constants:
                self.scan.fail(f"{node.name!r} depends on the constant {parent!r}", links.start)
            if parent in self.loose:
                problem = f"the link {parent!r} of {node.name!r} comes from no node; connect it in Netica"
                self.scan.fail(problem, links.start)
        values, start = self.table(node, own)
        return FoundFamilies(
            node.name,
            own.texts,
            parents,
            values,
            self.scan.place(start),
            {**own.notes, **user_notes(node)},
            appearance=node_appearance(node, own.texts),
        )

    def table(self, node: DneBlock, states: NodeStates) -> tuple[FloatArray, int]:
        """The numbers of a node's table, and where they stand."""
        if "probs" in node.values:
            given = node.values["probs"]
            return self.scan.numbers(given.tokens, "'probs'"), given.start
        if "functable" not in node.values:
            self.refuse_without_table(node)
        given = node.values["functable"]
        return self.function(node, given, states), given.start

    def refuse_without_table(self, node: DneBlock) -> NoReturn:
        how = "no table (probs)"
        if "equation" in node.values:
            how = "an equation, but no table: let Netica make it (Table, Equation to Table) and save again"
        self.scan.fail(f"the node {node.name!r} has {how}", node.start)

    def function(self, node: DneBlock, given: DneValue, states: NodeStates) -> FloatArray:
        """The table of a function: names of states, their numbers (#0), or numbers that mean states."""
        words = [word for token in given.tokens for word in token.text.split()]
        try:
            return function_table([_result(word, states) for word in words], states.texts)
        except ValueError as error:
            self.scan.fail(f"the function of {node.name!r}: {error}", given.start)


def _result(word: str, states: NodeStates) -> str:
    if word in states.texts:
        return word
    if word.startswith("#") and word[1:].isdecimal() and len(word) < 8 and int(word[1:]) < len(states.texts):
        return states.texts[int(word[1:])]
    number = numbers_in(word)
    return word if number is None or len(number) != 1 else states.of_number(float(number[0]))


def _unread(block: DneBlock) -> Iterator[str]:
    """What the file had that a network of bayou has no place for."""
    constants = [node.name for node in block.every("node") if node.word("kind") == "CONSTANT"]
    if constants:
        yield f"the constants and texts {listed(constants)}"
    nodes = [node for node in block.every("node") if node.name not in constants]
    for key in sorted({key for node in nodes for key in node.values} - _READ):
        owners = [node.name for node in nodes if key in node.values]
        yield f"{key} of {listed(owners)}"
    users = [user for owner in (block, *nodes) for user in owner.every("user")]
    fields = sorted({key for user in users for key in user.values if not key.startswith("bayou_")})
    if fields:
        yield f"the user fields {listed(fields)}"
    drawn = {key for node in nodes for visual in node.every("visual") for key in visual.values}
    drawn |= {key for visual in block.every("visual") for key in visual.values}
    if drawn - {"center"}:
        yield f"how Netica draws windows, boxes and links ({listed(sorted(drawn - {'center'}))})"
