"""Graphs as arrow text: ``Storm -> Lightning -> Thunder; Storm, Bus -> Campfire``, read and written.

Statements end at ``;`` or at the end of a line, commas make groups (every left name to every right name),
``#`` starts a comment. A name with characters other than letters, digits, dots, underscores, inner hyphens
and inner single spaces can be quoted: ``'a, b'`` or ``"a b"``, with the escapes ``\\\\ \\' \\" \\n \\r \\t``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from bayou.errors import BadGraph, listed
from bayou.typing import Name

_ARROWS = {"->": "->", "<-": "<-", "→": "->", "←": "<-"}
_ENDS_BARE_NAME = frozenset(",;#'\"\\<>→←|[]=")
_ESCAPES = {"\\": "\\", "'": "'", '"': '"', "n": "\n", "r": "\r", "t": "\t"}
_ESCAPED = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


class ParsedArrows(NamedTuple):
    """The content of arrow text: the names by first appearance, and the parents of each name that has any."""

    nodes: tuple[str, ...]
    parents: dict[Name, tuple[Name, ...]]


class _Line(NamedTuple):
    text: str
    number: int

    def error(self, index: int, problem: str) -> BadGraph:
        return BadGraph.at(self.number, index + 1, self.text, problem)


class _Token(NamedTuple):
    kind: str  # "name", "->", "<-", "," or ";"
    text: str
    line: _Line
    start: int

    def error(self, problem: str) -> BadGraph:
        return self.line.error(self.start, problem)


def parse_arrows(text: str) -> ParsedArrows:
    """Read arrow text; error messages have the line, the column and what was expected.

    >>> parse_arrows("Storm -> Fire <- Bus; 'camp site'  # never used")
    ParsedArrows(nodes=('Storm', 'Fire', 'Bus', 'camp site'), parents={'Fire': ('Storm', 'Bus')})
    >>> parse_arrows("Storm -> ")
    Traceback (most recent call last):
    bayou.errors.BadGraph: Line 1, column 7 of the arrow text ('Storm ->'): expected a name after '->'.
    """
    nodes: dict[str, None] = {}
    parents: dict[str, list[str]] = {}
    for statement in _statements(text):
        groups, arrows = _groups(statement)
        nodes.update((token.text, None) for group in groups for token in group)
        for left, arrow, right in zip(groups, arrows, groups[1:], strict=False):
            sources, targets = (left, right) if arrow == "->" else (right, left)
            for target in targets:
                _add_parents(parents.setdefault(target.text, []), sources, target)
    return ParsedArrows(tuple(nodes), {child: tuple(names) for child, names in parents.items()})


def _add_parents(known: list[str], sources: Iterable[_Token], target: _Token) -> None:
    for source in sources:
        if source.text == target.text:
            raise source.error(f"an arc from {source.text!r} to itself; ';' separates arcs (A -> C; B -> C).")
        if source.text in known:
            raise source.error(f"the arc {source.text} -> {target.text} is given twice; give it once.")
        known.append(source.text)


def _statements(text: str) -> Iterator[list[_Token]]:
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), start=1):
        statement: list[_Token] = []
        for token in _tokens(_Line(line, number)):
            if token.kind != ";":
                statement.append(token)
            elif statement:
                yield statement
                statement = []
        if statement:
            yield statement


def _groups(statement: Sequence[_Token]) -> tuple[list[list[_Token]], list[str]]:
    groups: list[list[_Token]] = [[]]
    arrows: list[str] = []
    name_is_due = True
    for token in statement:
        if token.kind == "name":
            if not name_is_due:
                raise token.error(f"expected '->', '<-', ',' or ';' before {token.text!r}.")
            groups[-1].append(token)
        elif name_is_due:
            raise token.error(f"expected a name before {token.text!r}.")
        elif token.kind != ",":
            arrows.append(token.kind)
            groups.append([])
        name_is_due = token.kind != "name"
    if name_is_due:
        raise statement[-1].error(f"expected a name after {statement[-1].text!r}.")
    return groups, arrows


def _tokens(line: _Line) -> Iterator[_Token]:
    index = 0
    while index < len(line.text) and line.text[index] != "#":
        sign = line.text[index]
        arrow = sign if sign in _ARROWS else line.text[index : index + 2]
        if sign.isspace():
            index += 1
        elif sign in ",;":
            yield _Token(sign, sign, line, index)
            index += 1
        elif arrow in _ARROWS:
            yield _Token(_ARROWS[arrow], arrow, line, index)
            index += len(arrow)
        else:
            name, end = _quoted_name(line, index) if sign in "'\"" else _bare_name(line, index)
            yield _Token("name", name, line, index)
            index = end


def _quoted_name(line: _Line, start: int) -> tuple[str, int]:
    quote = line.text[start]
    letters: list[str] = []
    index = start + 1
    while index < len(line.text):
        sign = line.text[index]
        if sign == quote:
            return "".join(letters), index + 1
        if sign == "\\":
            index += 1
            escape = line.text[index : index + 1]
            if escape not in _ESCAPES:
                raise line.error(
                    index - 1, f"unknown escape \\{escape}; allowed after a \\: {listed(_ESCAPES)}."
                )
            sign = _ESCAPES[escape]
        letters.append(sign)
        index += 1
    raise line.error(
        start, f"the quote {quote} is not closed on this line (write a quote inside a name as \\{quote})."
    )


def _bare_name(line: _Line, start: int) -> tuple[str, int]:
    end = start
    while end < len(line.text) and line.text[end] not in _ENDS_BARE_NAME and line.text[end : end + 2] != "->":
        end += 1
    name = line.text[start:end].rstrip()
    if not name:
        raise line.error(start, f"unexpected {line.text[start]!r}; put a name that contains it in quotes.")
    if name[0] == "-" or name[-1] == "-":
        raise line.error(start, f"{name!r} begins or ends with '-': put it in quotes, or write '->' or '<-'.")
    if "--" in name:
        raise line.error(start, f"{name!r}: an arrow is '->' or '<-'; put a name with '--' in quotes.")
    if "  " in name or any(sign.isspace() and sign != " " for sign in name):
        raise line.error(
            start, f"more than a single space inside {name!r}: is an arrow missing? If not, put it in quotes."
        )
    return name, end


def write_arrows(nodes: Sequence[Name], parents: Mapping[Any, Sequence[Name]]) -> str:
    """Write a graph as arrow text that reads back with the same order of nodes and of parents.

    >>> write_arrows(["A", "B", "c, d"], {"B": ["A"], "c, d": ["B"]})
    'A -> B -> "c, d"'
    """
    place = {name: position for position, name in enumerate(nodes)}
    statements: list[_Chain] = []
    for child in nodes:
        own = list(parents.get(child, ()))
        early = [name for name in own if place[name] < place[child]]
        late = [name for name in own if place[name] > place[child]]
        if early + late == own:
            _append_chain(statements, early, child, late)
        else:
            _append_chain(statements, own, child, [])
    named = dict.fromkeys(name for chain in statements for name in chain.names())
    if tuple(named) != tuple(nodes):
        statements.insert(0, _Chain([list(nodes)], []))
    return "; ".join(chain.text() for chain in _without_needless_roots(statements))


class _Chain(NamedTuple):
    """One statement to write: groups of names and the arrows between them."""

    groups: list[list[Name]]
    arrows: list[str]

    def names(self) -> list[Name]:
        return [name for group in self.groups for name in group]

    def text(self) -> str:
        groups = [", ".join(name_in_arrows(name) for name in group) for group in self.groups]
        return groups[0] + "".join(
            f" {arrow} {group}" for arrow, group in zip(self.arrows, groups[1:], strict=True)
        )


def _append_chain(chains: list[_Chain], early: list[Name], child: Name, late: list[Name]) -> None:
    """Add ``early -> child <- late``, appended to the last statement if that gives the same graph."""
    last = chains[-1] if chains else _Chain([[]], [])
    if not early and not late and chains and not last.arrows:
        last.groups[0].append(child)
    elif early and last.groups[-1] == early:
        last.groups.append([child])
        last.arrows.append("->")
    elif early and not late and last.arrows[-1:] == ["->"] and last.groups[-2] == early:
        last.groups[-1].append(child)
        return
    elif early:
        chains.append(_Chain([early, [child]], ["->"]))
    else:
        chains.append(_Chain([[child]], []))
    if late:
        chains[-1].groups.append(late)
        chains[-1].arrows.append("<-")


def _without_needless_roots(chains: Sequence[_Chain]) -> Iterator[_Chain]:
    """Leave out single names that occur before, or that the next statement introduces in the same order."""
    seen: set[Name] = set()
    for chain, following in zip_longest(chains, chains[1:], fillvalue=_Chain([], [])):
        fresh = [name for name in chain.names() if name not in seen]
        introduced = [name for name in following.names() if name not in seen]
        if chain.arrows:
            yield chain
        elif fresh and introduced[: len(fresh)] != fresh:
            yield _Chain([fresh], [])
        seen.update(fresh)


def name_in_arrows(name: Name) -> str:
    """A name as it is written in arrow text, in quotes if necessary.

    >>> name_in_arrows("a b"), name_in_arrows("a, b")
    ('a b', '"a, b"')
    """
    if not isinstance(name, str):
        raise BadGraph(f"Only names that are text can be written as arrow text; {name!r} is not.")
    try:
        if [(token.kind, token.text) for token in _tokens(_Line(name, 1))] == [("name", name)]:
            return name
    except BadGraph:
        pass
    return f'"{name.translate(_ESCAPED)}"'
