"""DSL, the old text files of GeNIe (``.dsl``): reading and writing.

Nodes and states are identifiers; the name that GeNIe shows becomes the variable's name if all those names
differ. A name or state that is not an identifier is written as one, with a user property from which bayou
restores it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

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
from bayou.formats.local_models import function_table
from bayou.formats.scanner import Scanner, Token
from bayou.formats.spelling import SpeltDraft, identifier, printable, spelt
from bayou.schema import Variable, label
from bayou.typing import FloatArray

_RESERVED = frozenset(("net", "node"))
_COMMENT = r"//[^\n]*|/\*.*?(?:\*/|\Z)"
_DEEPEST = 50
_ONCE = ("TYPE", "HEADER", "PARENTS", "DEFINITION", "NAMESTATES", "PROBABILITIES", "RESULTINGSTATES", "ID")


def _dsl_name(text: str) -> str:
    return identifier(text, _RESERVED)


def _dsl_string(text: str) -> str:
    return printable(text).replace('"', "_").replace("\\", "_")


DSL = Conventions("DSL", _dsl_name, _dsl_name)


@dataclass
class _Block:
    """The contents of a pair of braces: values by key, and the nodes inside."""

    start: int
    values: dict[str, _Value] = field(default_factory=dict)
    nodes: list[tuple[Token, _Block]] = field(default_factory=list)


_Value: TypeAlias = "_Block | list[Token]"


def read_dsl(path: FilePath) -> NetworkDraft:
    """Read a DSL file, gzipped or not. See :func:`parse_dsl`."""
    return parse_dsl(read_bytes(path), source=path)


def parse_dsl(text: str | bytes, source: object = "<text>") -> NetworkDraft:
    """Read DSL text (bytes are UTF-8).

    Chance nodes (``CPT``) and functions (``TRUTHTABLE``) become tables; other types of nodes are refused
    by name. Rows whose sum differs from 1 by rounding are divided by it.

    >>> draft = parse_dsl("net n { node X { TYPE = CPT; PARENTS = ();"
    ...                   " DEFINITION = { NAMESTATES = (a, b); PROBABILITIES = (0.9, 0.1); }; }; };")
    >>> draft.name, draft.tables["X"].tolist()
    ('n', [0.9, 0.1])
    """
    return _DslReader(Scanner(decoded(text, source), source, _COMMENT), source).network()


class _DslReader:
    def __init__(self, scanner: Scanner, source: object) -> None:
        self.scan = scanner
        self.source = source

    def network(self) -> NetworkDraft:
        opening = self.scan.word("'net'")
        if opening.text != "net":
            self.scan.fail(f"expected 'net', found {opening}", opening.start)
        words = [self.scan.word("the network's name").text]
        while not self.scan.at_sign("{"):
            words.append(self.scan.word("'{' after the network's name").text)
        block = self.block(0)
        if self.scan.at_sign(";"):
            self.scan.take()
        end = self.scan.peek()
        if end.kind != "end":
            self.scan.fail(f"expected the end of the file, found {end}", end.start)
        found = [self.found(name, node) for name, node in block.nodes]
        shown = self.shown(block) or " ".join(words)
        name, properties = noted_network(self.notes(block), shown, self.source)
        return draft_from_families(name, found, DSL, self.source, properties)

    def block(self, depth: int) -> _Block:
        block = _Block(self.scan.sign("{", "to begin a block").start)
        if depth > _DEEPEST:
            self.scan.fail(f"blocks are nested more than {_DEEPEST} deep", block.start)
        while not self.scan.at_sign("}"):
            key = self.scan.word("a key, 'node' or '}'")
            if key.text == "node" and not self.scan.at_sign("="):
                name = self.scan.word("the node's name")
                block.nodes.append((name, self.block(depth + 1)))
            else:
                if key.text in block.values and key.text in _ONCE:
                    self.scan.fail(f"a second {key.text!r} in one block", key.start)
                self.scan.sign("=", f"after {key.text!r}")
                block.values[key.text] = self.value(key, depth)
            self.scan.sign(";", f"after {key.text!r}")
        self.scan.take()
        return block

    def value(self, key: Token, depth: int) -> _Value:
        if self.scan.at_sign("{"):
            return self.block(depth + 1)
        whole = self.scan.number_list() if key.text == "PROBABILITIES" else None
        if whole is not None:
            return [whole]
        return self.scan.list_items(key, "{};")

    def part(self, block: _Block, key: str, owner: str) -> _Block:
        value = block.values.get(key)
        if not isinstance(value, _Block):
            self.scan.fail(f"{owner} has no block {key} = {{ ... }}", block.start)
        return value

    def words(self, block: _Block, key: str, owner: str) -> list[Token]:
        value = block.values.get(key)
        if not isinstance(value, list):
            self.scan.fail(f"{owner} has no list {key}", block.start)
        return value

    def shown(self, block: _Block) -> str:
        """The name in a block's header; empty if there is none."""
        header = block.values.get("HEADER")
        name = header.values.get("NAME") if isinstance(header, _Block) else None
        return name[0].text if isinstance(name, list) and len(name) == 1 else ""

    def notes(self, block: _Block) -> dict[str, str]:
        own = block.values.get("USER_PROPERTIES")
        values = own.values if isinstance(own, _Block) else {}
        return {
            key: " ".join(token.text for token in value)
            for key, value in values.items()
            if isinstance(value, list) and key.startswith("bayou_")
        }

    def found(self, name: Token, node: _Block) -> FoundFamilies:
        owner = f"the node {name.text!r}"
        kinds = self.words(node, "TYPE", owner)
        kind = kinds[0].text if len(kinds) == 1 else ""
        if kind not in ("CPT", "TRUTHTABLE"):
            self.scan.fail(
                f"{owner} is of the type {kind!r}; only chance nodes that are tables can be read: "
                "CPT, TRUTHTABLE",
                name.start,
            )
        definition = self.part(node, "DEFINITION", owner)
        states = [token.text for token in self.words(definition, "NAMESTATES", owner)]
        parents = [token.text for token in self.words(node, "PARENTS", owner)]
        if kind == "CPT":
            tokens = self.words(definition, "PROBABILITIES", owner)
            values = self.scan.numbers(tokens, "PROBABILITIES")
        else:
            tokens = self.words(definition, "RESULTINGSTATES", owner)
            values = self.function(tokens, states)
        place = self.scan.place(tokens[0].start if tokens else name.start)
        return FoundFamilies(
            name.text, states, parents, values, place, self.notes(node), shown=self.shown(node)
        )

    def function(self, tokens: list[Token], states: list[str]) -> FloatArray:
        for token in tokens:
            if token.text not in states:
                self.scan.fail(f"expected one of the states {', '.join(states)}, found {token}", token.start)
        return function_table([token.text for token in tokens], states)


def write_dsl(draft: NetworkDraft, path: FilePath) -> None:
    """Write a draft to a DSL file, completely or not at all; a name ending in ``.gz`` is gzipped."""
    write_bytes(path, dsl_text(draft).encode("utf-8"))


def dsl_text(draft: NetworkDraft) -> str:
    """Return a draft as DSL text, parents before their children; identifiers for names; exact numbers.

    >>> text = dsl_text(NetworkDraft("net 1", (), {}, {}))
    >>> text.splitlines()[0], "bayou_name" in text
    ('net net_1', False)
    """
    texts = spelt(draft, DSL, parents_first=True)
    title = _dsl_string(draft.name)
    lines = [f"net {_dsl_name(draft.name)}", "{"]
    lines += _header(_dsl_name(draft.name), title, texts.network_notes(title), "\t")
    for variable in texts.variables:
        lines += _node_lines(texts, variable)
    return "\n".join([*lines, "};", ""])


def _header(word: str, title: str, notes: list[tuple[str, str]], indent: str) -> Iterator[str]:
    yield f"{indent}HEADER ="
    yield f"{indent}{{"
    yield f"{indent}\tID = {word};"
    yield f'{indent}\tNAME = "{title}";'
    yield f"{indent}}};"
    if notes:
        yield f"{indent}USER_PROPERTIES ="
        yield f"{indent}{{"
        for key, note in notes:
            yield f'{indent}\t{key} = "{note}";'
        yield f"{indent}}};"


def _node_lines(texts: SpeltDraft, variable: Variable) -> Iterator[str]:
    word = texts.names[variable.name]
    yield f"\tnode {word}"
    yield "\t{"
    yield "\t\tTYPE = CPT;"
    yield from _header(word, _dsl_string(label(variable.name)), texts.notes(variable), "\t\t")
    yield f"\t\tPARENTS = ({', '.join(texts.parents_of(variable))});"
    yield "\t\tDEFINITION ="
    yield "\t\t{"
    yield f"\t\t\tNAMESTATES = ({', '.join(texts.states[variable.name])});"
    yield f"\t\t\tPROBABILITIES = ({', '.join(each_number(texts.draft.tables[variable.name]))});"
    yield "\t\t};"
    yield "\t};"
