"""The grammar of Netica's text files: blocks in braces, with keys, lists and blocks inside.

``bnet NAME { key = value; visual V1 { … }; node X { … }; };``. A value is a word, a number, a string, a block
or a list in parentheses; in a list, nothing between two commas is an empty entry, which holds its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from bayou.formats.scanner import Scanner, Token

_DEEPEST = 50
_NUMBERS = ("probs", "functable", "levels", "numcases")
_ONCE = ("kind", "states", "parents", "levels", *_NUMBERS)
_COMMENT_OR_STRING = re.compile(r'"(?:[^"\\]|\\.)*"?|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)


@dataclass(frozen=True)
class DneValue:
    """The words, strings and numbers of a value without parentheses; None for an empty entry of a list."""

    start: int
    entries: tuple[Token | None, ...]

    @property
    def tokens(self) -> list[Token]:
        """The entries that are not empty."""
        return [token for token in self.entries if token is not None]


@dataclass
class DneBlock:
    """A block: its kind (``node``), its name, its values by key, and the blocks inside."""

    kind: str
    name: str
    start: int
    values: dict[str, DneValue] = field(default_factory=dict)
    blocks: list[DneBlock] = field(default_factory=list)

    def every(self, kind: str) -> Iterator[DneBlock]:
        """The blocks of a kind inside this one."""
        return (block for block in self.blocks if block.kind == kind)

    def word(self, key: str) -> str:
        """The only word of a value; empty if there is none."""
        tokens = self.values[key].tokens if key in self.values else []
        return tokens[0].text if len(tokens) == 1 else ""


def without_comments(text: str) -> str:
    """The text with blanks for comments, so that every place stays where it is.

    >>> without_comments('a = "//"; // b')
    'a = "//";     '
    """
    return _COMMENT_OR_STRING.sub(_blank, text)


def _blank(found: re.Match[str]) -> str:
    whole = found[0]
    return whole if whole.startswith('"') else re.sub(r"[^\n]", " ", whole)


class DneParser:
    """Reads the block ``bnet`` of a file."""

    def __init__(self, text: str, source: object) -> None:
        self.scan = Scanner(without_comments(text), source, r"\Z(?!\Z)")

    def network(self) -> DneBlock:
        """The block of the network; nothing may follow it."""
        opening = self.scan.word("'bnet'")
        if opening.text != "bnet":
            self.scan.fail(f"expected 'bnet', found {opening}", opening.start)
        name = self.scan.word("the network's name")
        block = self._block("bnet", name.text, 0)
        if self.scan.at_sign(";"):
            self.scan.take()
        end = self.scan.peek()
        if end.kind != "end":
            self.scan.fail(f"expected the end of the file, found {end}", end.start)
        return block

    def _block(self, kind: str, name: str, depth: int) -> DneBlock:
        block = DneBlock(kind, name, self.scan.sign("{", f"to begin the block {kind}").start)
        if depth > _DEEPEST:
            self.scan.fail(f"blocks are nested more than {_DEEPEST} deep", block.start)
        while not self.scan.at_sign("}"):
            key = self.scan.word("a key or '}'")
            if self.scan.at_sign("="):
                self.scan.take()
                if key.text in block.values and key.text in _ONCE:
                    self.scan.fail(f"a second {key.text!r} in one block", key.start)
                block.values[key.text] = self._value(key, depth)
                self.scan.sign(";", f"after {key.text!r}")
            else:
                block.blocks.append(self._inner(key, depth))
        self.scan.take()
        return block

    def _inner(self, kind: Token, depth: int) -> DneBlock:
        """A block inside a block, which may have a name, and the ';' behind it."""
        name = ""
        if not self.scan.at_sign("{"):
            token = self.scan.take()
            if token.kind not in ("word", "string"):
                self.scan.fail(f"expected '=' or '{{' after {kind.text!r}, found {token}", token.start)
            name = token.text
        block = self._block(kind.text, name, depth + 1)
        block.start = kind.start
        if self.scan.at_sign(";"):
            self.scan.take()
        return block

    def _value(self, key: Token, depth: int) -> DneValue:
        first = self.scan.peek()
        whole = self.scan.number_list() if key.text in _NUMBERS else None
        if whole is not None:
            return DneValue(whole.start, (whole,))
        if first.kind == "sign" and first.text == "(":
            return DneValue(first.start, self._entries(key))
        if first.kind == "word":
            self.scan.take()
            if self.scan.at_sign("{"):
                self._block(first.text, "", depth + 1)
                return DneValue(first.start, ())
            return DneValue(first.start, (first,))
        if first.kind != "string":
            self.scan.fail(f"expected a value of {key.text!r}, found {first}", first.start)
        return DneValue(first.start, (self.scan.take(),))

    def _entries(self, key: Token) -> tuple[Token | None, ...]:
        """The entries of a list; lists inside it are opened."""
        entries: list[Token | None] = []
        depth, filled = 0, False
        while True:
            token = self.scan.take()
            if token.kind == "end" or (token.kind == "sign" and token.text not in "(),"):
                self.scan.fail(f"expected ')' in {key.text!r}, found {token}", token.start)
            if token.kind != "sign":
                entries.append(token)
                filled = True
            elif token.text == "(":
                depth, filled = depth + 1, False
            elif token.text == ",":
                entries += [] if filled else [None]
                filled = False
            else:
                depth, filled = depth - 1, True
                if depth == 0:
                    return tuple(entries)
